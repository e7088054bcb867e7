package badger

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Open {
		dir := filepath.Join(t.TempDir(), "state", "job")
		return func(j checkpoint.Job) (checkpoint.Store, error) { return Open(dir, j) }
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string) checkpoint.Store {
	t.Helper()
	s, err := Open(dir, storetest.Job)
	must(t, err)
	return s
}

func meta(id checkpoint.ID, refs ...uint64) *checkpoint.Metadata {
	return &checkpoint.Metadata{ID: id, Operators: []checkpoint.OperatorState{{UID: "u1", Chunks: refs}}}
}

// twoCheckpoints leaves a closed directory with checkpoints 1 and 2.
func twoCheckpoints(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "job")
	s := open(t, dir)
	ref, err := s.PutChunk(make([]byte, 100_000))
	must(t, err)
	must(t, s.Save(meta(1, ref)))
	must(t, s.Save(meta(2, ref)))
	must(t, s.Close())
	return dir
}

func wants(t *testing.T, err, kind error, texts ...string) {
	t.Helper()
	if err == nil || kind != nil && !errors.Is(err, kind) {
		t.Fatalf("got %v, want %v", err, kind)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q does not say %q", err, text)
		}
	}
}

func TestPermissions(t *testing.T) {
	dir := twoCheckpoints(t)
	for path, want := range map[string]os.FileMode{"": 0o700, dbName: 0o700, latestName: 0o600} {
		st, err := os.Stat(filepath.Join(dir, path))
		must(t, err)
		if got := st.Mode().Perm(); got != want {
			t.Errorf("%q has mode %o, want %o", path, got, want)
		}
	}
}

// TestRefusedDirectories: each with its own message.
func TestRefusedDirectories(t *testing.T) {
	foreign := t.TempDir()
	must(t, os.WriteFile(filepath.Join(foreign, "thesis.doc"), nil, 0o600))
	_, err := Open(foreign, storetest.Job)
	wants(t, err, nil, "is not a state directory (it holds thesis.doc)", "--state-dir")
	_, err = Inspect(foreign)
	wants(t, err, checkpoint.ErrNotFound, "is not a state directory")

	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	_, err = Open(file, storetest.Job)
	wants(t, err, nil, "not a directory")

	dir := twoCheckpoints(t)
	must(t, os.RemoveAll(filepath.Join(dir, dbName)))
	_, err = Open(dir, storetest.Job)
	wants(t, err, checkpoint.ErrCorrupt, "has a file LATEST but no database")
}

func TestReadOnly(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("SKIPPED: root may write everywhere")
	}
	parent := t.TempDir()
	must(t, os.Chmod(parent, 0o500))
	_, err := Open(filepath.Join(parent, "job"), storetest.Job)
	wants(t, err, os.ErrPermission, "cannot be written", "permissions")
	dir := twoCheckpoints(t)
	must(t, os.Chmod(filepath.Join(dir, dbName), 0o500))
	_, err = Open(dir, storetest.Job)
	wants(t, err, os.ErrPermission, dir+" cannot be written")
	must(t, os.Chmod(filepath.Join(dir, dbName), 0o700))
}

// TestLatestAhead: an older copy of the database under a newer LATEST.
func TestLatestAhead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job")
	s := open(t, dir)
	must(t, s.Save(meta(1)))
	must(t, s.Close())
	old := filepath.Join(t.TempDir(), "db")
	copyDir(t, old, filepath.Join(dir, dbName))
	s = open(t, dir)
	must(t, s.Save(meta(2)))
	must(t, s.Close())
	must(t, os.RemoveAll(filepath.Join(dir, dbName)))
	must(t, os.Rename(old, filepath.Join(dir, dbName)))
	_, err := Open(dir, storetest.Job)
	wants(t, err, checkpoint.ErrCorrupt, dir, "LATEST names checkpoint 2, the newest in the database is 1", "--fresh")
}

func TestTornLatest(t *testing.T) {
	dir := twoCheckpoints(t)
	path := filepath.Join(dir, latestName)
	rec, err := os.ReadFile(path)
	must(t, err)
	for n := range rec {
		must(t, os.WriteFile(path, rec[:n], 0o600))
		_, err := Open(dir, storetest.Job)
		wants(t, err, checkpoint.ErrCorrupt, "LATEST")
	}
	must(t, os.WriteFile(path, rec, 0o600))
	must(t, open(t, dir).Close())
	// A torn temporary file is of a crash before the rename: LATEST counts.
	must(t, os.WriteFile(path+".tmp", rec[:3], 0o600))
	must(t, open(t, dir).Close())
}

// TestNewerDirectory: the version of the directory itself.
func TestNewerDirectory(t *testing.T) {
	dir := twoCheckpoints(t)
	path := filepath.Join(dir, latestName)
	rec, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, storetest.NewerVersion(rec), 0o600))
	_, err = Open(dir, storetest.Job)
	wants(t, err, checkpoint.ErrNewerFormat, dir, "file LATEST has format 2, this program reads up to 1", "use a newer sqlstream")
}

// TestFlippedByte flips one byte after another of what an unclean end left in
// the logs (Badger opens and silently loses what follows) and of the tables
// of a clean one. The store must refuse, or still give everything back.
func TestFlippedByte(t *testing.T) {
	for _, clean := range []bool{false, true} {
		t.Run(fmt.Sprintf("clean=%v", clean), func(t *testing.T) {
			dir, want := damaged(t, clean)
			refused := 0
			for _, at := range hits(t, dir) {
				if flippedByte(t, dir, at, want) {
					refused++
				}
			}
			if refused == 0 {
				t.Error("no flipped byte was noticed")
			}
			t.Logf("%d noticed", refused)
		})
	}
}

// copyDir copies files as sparse as Badger makes its logs.
func copyDir(t *testing.T, to, from string) {
	t.Helper()
	must(t, filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(from, path)
		if err != nil || d.IsDir() {
			return errors.Join(err, os.MkdirAll(filepath.Join(to, rel), 0o700))
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dst := filepath.Join(to, rel)
		return errors.Join(os.WriteFile(dst, bytes.TrimRight(data, "\x00"), 0o600), os.Truncate(dst, int64(len(data))))
	}))
}

type hit struct {
	file string
	off  int64
}

const chunkMark = "SQLSTREAMCHUNK"

// damaged makes a directory with one marked chunk and three checkpoints;
// unless clean it is a copy of an open one, as kill -9 leaves it.
func damaged(t *testing.T, clean bool) (dir string, want checkpoint.ID) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "job")
	s := open(t, dir)
	ref, err := s.PutChunk([]byte(chunkMark + strings.Repeat("x", 2000)))
	must(t, err)
	for id := checkpoint.ID(1); id <= 3; id++ {
		must(t, s.Save(meta(id, ref)))
	}
	if clean {
		must(t, s.Close())
		return dir, 3
	}
	killed := filepath.Join(t.TempDir(), "job")
	copyDir(t, killed, dir)
	must(t, s.Close())
	return killed, 3
}

// hits: one byte within the chunk, and one within each metadata record.
func hits(t *testing.T, dir string) (l []hit) {
	t.Helper()
	for _, pattern := range []string{"*.mem", "*.sst", "*.vlog"} {
		files, err := filepath.Glob(filepath.Join(dir, dbName, pattern))
		must(t, err)
		for _, f := range files {
			data, err := os.ReadFile(f)
			must(t, err)
			for _, mark := range []string{chunkMark, "sqCK"} {
				for from := 0; ; {
					i := bytes.Index(data[from:], []byte(mark))
					if i < 0 {
						break
					}
					l = append(l, hit{filepath.Base(f), int64(from + i + len(mark) + 6)})
					from += i + 1
				}
			}
		}
	}
	if len(l) < 2 {
		t.Fatalf("marks found: %v", l)
	}
	return l
}

// flippedByte reports whether the damage was refused, at open or on reading.
func flippedByte(t *testing.T, from string, at hit, want checkpoint.ID) bool {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "job")
	copyDir(t, dir, from)
	f, err := os.OpenFile(filepath.Join(dir, dbName, at.file), os.O_RDWR, 0)
	must(t, err)
	b := make([]byte, 1)
	_, err = f.ReadAt(b, at.off)
	must(t, err)
	_, err = f.WriteAt([]byte{b[0] ^ 0x10}, at.off)
	must(t, err)
	must(t, f.Close())

	s, err := Open(dir, storetest.Job)
	if err != nil {
		wants(t, err, checkpoint.ErrCorrupt)
		return true
	}
	defer s.Close()
	m, err := s.Latest()
	must(t, err)
	if m == nil || m.ID != want {
		t.Fatalf("byte %d of %s: opened with %+v, want checkpoint %d", at.off, at.file, m, want)
	}
	if _, err := s.GetChunk(m.Operators[0].Chunks[0]); err != nil {
		wants(t, err, checkpoint.ErrCorrupt)
		return true
	}
	return false
}

func TestInspect(t *testing.T) {
	dir := twoCheckpoints(t)
	i, err := Inspect(dir)
	must(t, err)
	if list, err := i.List(); err != nil || len(list) != 2 || !list[1].Latest {
		t.Error(list, err)
	}
	_, err = Inspect(dir)
	wants(t, err, checkpoint.ErrLocked, dir, "is open in another process")
	must(t, i.Close())
	s := open(t, dir)
	if s.Start() != 2 {
		t.Errorf("start %d: Inspect has counted one", s.Start())
	}
	must(t, s.Close())
}

func TestSetAside(t *testing.T) {
	now := time.Date(2026, 11, 29, 21, 4, 5, 678e6, time.UTC)
	dir := twoCheckpoints(t)
	s := open(t, dir)
	_, err := SetAside(dir, now)
	wants(t, err, checkpoint.ErrLocked)
	must(t, s.Close())
	aside, err := SetAside(dir+"/", now)
	must(t, err)
	if want := dir + ".aside-20261129-210405.678"; aside != want {
		t.Errorf("%s, want %s", aside, want)
	}
	if s = open(t, dir); s.NextID() != 1 {
		t.Error("not fresh")
	}
	must(t, s.Close())
	if s = open(t, aside); s.NextID() != 3 {
		t.Error("the old one is not as it was")
	}
	must(t, s.Close())
	if aside, err := SetAside(filepath.Join(dir, "no"), now); aside != "" || err != nil {
		t.Error(aside, err)
	}
}
