// Package badger keeps a job's checkpoints in a directory: a Badger database
// in db/, and beside it the file LATEST, which names the newest checkpoint
// that a commit may rely on.
package badger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/sqlstream/sqlstream/checkpoint"
	"golang.org/x/sys/unix"
)

// Open opens the state directory of a job, and makes it (0700) if there is
// none. It is locked until the Store is closed or the process dies. Errors
// name the directory and the remedy; see checkpoint.Err… for their kinds.
func Open(dir string, job checkpoint.Job) (checkpoint.Store, error) {
	return OpenWrapped(dir, job, nil)
}

// OpenWrapped is Open for tests that lose or break writes on their way to
// Badger: wrap, unless nil, gets the engine that the Store would use.
func OpenWrapped(dir string, job checkpoint.Job, wrap func(checkpoint.Engine) checkpoint.Engine) (checkpoint.Store, error) {
	eng, err := openEngine(dir)
	if err != nil {
		return nil, err
	}
	if wrap != nil {
		eng = wrap(eng)
	}
	s, err := checkpoint.OpenKVStore(eng, dir, job)
	if err != nil {
		return nil, errors.Join(err, eng.Close())
	}
	return s, nil
}

// Inspect opens the directory of a job that does not run, for `checkpoint
// list` and `show`, `txn list` and the like: of any job, without counting a
// start. Nothing is written but by methods that write; Latest, which is for
// those who are going to commit, brings the file LATEST up.
func Inspect(dir string) (*checkpoint.KVStore, error) {
	if _, err := os.Stat(filepath.Join(dir, dbName)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is not a state directory", checkpoint.ErrNotFound, dir)
	}
	eng, err := openEngine(dir)
	if err != nil {
		return nil, err
	}
	s, err := checkpoint.InspectKVStore(eng, dir)
	if err != nil {
		return nil, errors.Join(err, eng.Close())
	}
	return s, nil
}

func openEngine(dir string) (checkpoint.Engine, error) {
	if err := prepare(dir); err != nil {
		return nil, err
	}
	db := filepath.Join(dir, dbName)
	if err := usable(dir, db); err != nil {
		return nil, err
	}
	if err := room(dir, 0, smallReserve); err != nil {
		return nil, err
	}
	if err := dropEmptyFiles(db); err != nil {
		return nil, err
	}
	bdb, err := badger.Open(dbOptions(db))
	if err != nil {
		return nil, explain(dir, db, err)
	}
	return &engine{dir: dir, db: bdb}, nil
}

// usable: Badger's own errors for these cannot be told apart.
func usable(dir, db string) error {
	if err := unix.Access(db, unix.W_OK|unix.X_OK); err != nil {
		return errNotWritable(dir, err)
	}
	unlock, err := lock(db)
	if err == nil {
		unlock()
	}
	return err
}

func explain(dir, db string, err error) error {
	if unusable := usable(dir, db); unusable != nil {
		return unusable // somebody was faster
	}
	return fmt.Errorf("%w: %s: %w; put back a copy of the directory, or start anew with --fresh", checkpoint.ErrCorrupt, dir, err)
}

// dropEmptyFiles removes what a kill leaves between the two steps in which
// Badger deletes a log or memtable (cut off to nothing, unlink) or makes one
// (create, give it its size). Badger would refuse to open such a database. If
// what was in it was needed, LATEST or a missing chunk tells.
func dropEmptyFiles(db string) error {
	unlock, err := lock(db)
	if err != nil {
		return err
	}
	defer unlock()
	entries, err := os.ReadDir(db)
	if err != nil {
		return err
	}
	for _, e := range entries {
		i, err := e.Info()
		if ext := filepath.Ext(e.Name()); err != nil || i.Size() > 0 || ext != ".mem" && ext != ".vlog" {
			continue
		}
		if err := os.Remove(filepath.Join(db, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes the directory, or checks that it is one of ours.
func prepare(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &notOurs{fmt.Errorf("state directory %s cannot be read: %w; use another --state-dir", dir, reason(err))}
	}
	for _, e := range entries {
		if e.Name() == dbName {
			return nil
		}
	}
	for _, e := range entries {
		switch e.Name() {
		case "control", "control.sock", latestName + ".tmp":
		case latestName:
			return fmt.Errorf("%w: %s has a file LATEST but no database; put back a copy of the directory, or start anew with --fresh", checkpoint.ErrCorrupt, dir)
		default:
			return &notOurs{fmt.Errorf("%s is not a state directory (it holds %s); use another --state-dir", dir, e.Name())}
		}
	}
	return makeDirs(dir)
}

func makeDirs(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, dbName), 0o700); err != nil {
		return errNotWritable(dir, err)
	}
	for _, d := range []string{dir, filepath.Dir(filepath.Clean(dir))} {
		if err := syncDir(d); err != nil {
			return err
		}
	}
	return nil
}

// lock takes the same lock as Badger does, on the folder itself.
func lock(db string) (unlock func(), err error) {
	f, err := os.Open(db)
	if errors.Is(err, fs.ErrPermission) {
		return nil, errNotWritable(filepath.Dir(db), err)
	}
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, errLocked(filepath.Dir(db))
	}
	return func() { f.Close() }, nil
}

func errLocked(dir string) error {
	return fmt.Errorf("%w: %s is open in another process; stop that one, or use another --state-dir", checkpoint.ErrLocked, dir)
}

func errNotWritable(dir string, err error) error {
	return fmt.Errorf("state directory %s cannot be written (%w); change its permissions, or use another --state-dir", dir, err)
}

// SetAside renames a state directory to <dir>.aside-<time>, for --fresh, and
// returns the new name; "" if there was none. Refused while a process has it
// open.
func SetAside(dir string, now time.Time) (string, error) {
	dir = filepath.Clean(dir)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	unlock, err := lock(filepath.Join(dir, dbName))
	if err == nil {
		defer unlock()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	aside := dir + ".aside-" + now.UTC().Format("20060102-150405.000")
	if err := os.Rename(dir, aside); err != nil {
		return "", err
	}
	return aside, syncDir(filepath.Dir(dir))
}
