package files

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
)

// pending is the payload of a committable: a finished file under its hidden
// name, and the name it gets. Encoding, version 1: two strings with a
// varint length each, then the number of rows as a varint.
type pending struct {
	temp, final string
	rows        int64
}

const pendingVersion = 1

func (p pending) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(len(p.temp)))
	b = append(b, p.temp...)
	b = binary.AppendUvarint(b, uint64(len(p.final)))
	b = append(b, p.final...)
	return binary.AppendUvarint(b, uint64(p.rows))
}

var errPending = errors.New("damaged committable of a file sink")

func decodePending(c exec.Committable) (p pending, err error) {
	if c.Version != pendingVersion {
		return p, fmt.Errorf("committable of a file sink has version %d, this program knows %d", c.Version, pendingVersion)
	}
	b := c.Payload
	text := func() string {
		n, k := binary.Uvarint(b)
		if k <= 0 || n > uint64(len(b)-k) {
			err = errPending
			return ""
		}
		s := string(b[k : k+int(n)])
		b = b[k+int(n):]
		return s
	}
	p.temp, p.final = text(), text()
	if err != nil {
		return p, err
	}
	rows, k := binary.Uvarint(b)
	if k <= 0 || p.temp != filepath.Base(p.temp) || p.final != filepath.Base(p.final) {
		return p, errPending
	}
	p.rows = int64(rows)
	return p, nil
}

// committer renames finished files into place.
type committer struct {
	sink *sink
	ctx  exec.SinkContext
}

func (s *sink) Committer(_ context.Context, ctx exec.SinkContext) (exec.Committer, error) {
	if err := os.MkdirAll(s.path, 0o755); err != nil {
		return nil, exec.Fatal(fmt.Errorf("folder '%s' cannot be written: %w; option 'path' of a sink names a folder", s.path, err))
	}
	c := &committer{s, ctx}
	return c, c.note()
}

// keyNewest + writer is the journal's record of the newest checkpoint that put
// a file of the writer in place.
const keyNewest = "newest/"

// Start refuses a directory that is not the latest one: files are in place
// that neither its record nor a pending committable explains.
func (c *committer) Start(_ context.Context, pending []exec.Committable) error {
	known := map[string]bool{}
	for _, p := range pending {
		d, err := decodePending(p)
		if err != nil {
			return exec.Fatal(err)
		}
		known[d.final] = true
	}
	entries, err := os.ReadDir(c.sink.path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		id, writer, ok := c.parse(e.Name())
		if !ok || known[e.Name()] {
			continue
		}
		newest, err := c.newest(writer)
		if err != nil {
			return err
		}
		if id > newest {
			return exec.Fatal(fmt.Errorf("this state directory is not the latest one: file '%s' was put in place by checkpoint %d of this run, which this directory does not know; another copy of the directory wrote since; use that one",
				filepath.Join(c.sink.path, e.Name()), id))
		}
	}
	return nil
}

// parse reads the name of a file that this sink put in place.
func (c *committer) parse(name string) (id checkpoint.ID, writer string, ok bool) {
	rest, ok := strings.CutPrefix(name, finalPrefix(c.ctx))
	if !ok {
		return 0, "", false
	}
	writer, number, ok := strings.Cut(rest, "-")
	n, err := strconv.ParseUint(number, 10, 64)
	return checkpoint.ID(n), writer, ok && err == nil
}

func (c *committer) newest(writer string) (checkpoint.ID, error) {
	v, err := c.ctx.Journal.Get(keyNewest + writer)
	if err != nil || v == nil {
		return 0, err
	}
	n, err := strconv.ParseUint(string(v), 10, 64)
	return checkpoint.ID(n), err
}

// Commit renames each file. One that is gone under its hidden name and has
// its final one was committed before; one that is gone under both is lost.
func (c *committer) Commit(_ context.Context, list []exec.Committable) ([]exec.Outcome, error) {
	outcomes := make([]exec.Outcome, len(list))
	var first error
	for i, item := range list {
		o, err := c.commit(item)
		outcomes[i] = o
		if err != nil && first == nil {
			first = err
		}
	}
	if err := syncFolder(c.sink.path); err != nil {
		return forget(outcomes), err
	}
	return outcomes, first
}

// forget takes back what an unsynced folder may lose.
func forget(outcomes []exec.Outcome) []exec.Outcome {
	for i := range outcomes {
		outcomes[i].Status = checkpoint.Unknown
	}
	return outcomes
}

func (c *committer) commit(item exec.Committable) (exec.Outcome, error) {
	o := exec.Outcome{Committable: item}
	p, err := decodePending(item)
	if err != nil {
		return o, exec.Fatal(err)
	}
	temp, final := filepath.Join(c.sink.path, p.temp), filepath.Join(c.sink.path, p.final)
	_, tempErr := os.Lstat(temp)
	_, finalErr := os.Lstat(final)
	switch {
	case finalErr == nil && isMissing(tempErr):
		return c.committed(o, "the file was in place")
	case finalErr == nil:
		return o, exec.Fatal(fmt.Errorf("file '%s' is in place already, and was not put there by this process: another copy of the state directory wrote it; use that one", final))
	case isMissing(tempErr):
		o.Status, o.Fatal = checkpoint.Lost, true
		o.Detail = fmt.Sprintf("file '%s' with %d rows of checkpoint %d is gone; put it back, or accept the loss by `sqlstream txn abort`", temp, p.rows, item.Checkpoint)
		return o, nil
	}
	if err := os.Rename(temp, final); err != nil {
		return o, err
	}
	return c.committed(o, "renamed to "+p.final)
}

// committed notes, in the same write as the outcome, what is in place. In one
// Commit later checkpoints come later in the list, so the newest stays.
func (c *committer) committed(o exec.Outcome, detail string) (exec.Outcome, error) {
	writer := strconv.Itoa(o.Committable.Writer.Index)
	newest, err := c.newest(writer)
	if err != nil {
		return o, err
	}
	newest = max(newest, o.Committable.Checkpoint)
	o.Status, o.Detail = checkpoint.Committed, detail
	o.Journal = []checkpoint.Entry{{Key: keyNewest + writer, Value: strconv.AppendUint(nil, uint64(newest), 10)}}
	return o, nil
}

// Recover removes unfinished files that no pending committable names.
func (c *committer) Recover(_ context.Context, keep []exec.Committable) error {
	kept := map[string]bool{}
	for _, k := range keep {
		p, err := decodePending(k)
		if err != nil {
			return exec.Fatal(err)
		}
		kept[p.temp] = true
	}
	names, err := c.hidden()
	if err != nil {
		return err
	}
	for _, name := range names {
		if kept[name] {
			continue
		}
		if err := os.Remove(filepath.Join(c.sink.path, name)); err != nil && !isMissing(err) {
			return err
		}
	}
	return syncFolder(c.sink.path)
}

// hidden are the unfinished and finished files of this job's sink that are not
// in place.
func (c *committer) hidden() (names []string, err error) {
	entries, err := os.ReadDir(c.sink.path)
	for _, e := range entries {
		if isHidden(e.Name(), c.ctx) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func (c *committer) Close() error { return nil }
