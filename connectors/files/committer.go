package files

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
		return nil, exec.Fatal(fmt.Errorf("folder '%s': %w", s.path, err))
	}
	return &committer{s, ctx}, nil
}

func (c *committer) Start(context.Context, []exec.Committable) error { return nil }

// Commit renames each file. A file that already has its final name was
// committed before; one that is gone under both names is lost.
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
	if _, err := os.Lstat(final); err == nil {
		o.Status, o.Detail = checkpoint.Committed, "the file was in place"
		return o, nil
	}
	err = os.Rename(temp, final)
	switch {
	case err == nil:
		o.Status, o.Detail = checkpoint.Committed, "renamed to "+p.final
		return o, nil
	case isMissing(err):
		o.Status = checkpoint.Lost
		o.Detail = fmt.Sprintf("file '%s' with %d rows of checkpoint %d is gone", temp, p.rows, item.Checkpoint)
		return o, nil
	}
	return o, err
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
	entries, err := os.ReadDir(c.sink.path)
	if err != nil {
		return err
	}
	prefix := c.sink.prefix(c.ctx.UID)
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, prefix) || !strings.HasSuffix(name, unfinished) || kept[name] {
			continue
		}
		if err := os.Remove(filepath.Join(c.sink.path, name)); err != nil && !isMissing(err) {
			return err
		}
	}
	return syncFolder(c.sink.path)
}

func (c *committer) Close() error { return nil }
