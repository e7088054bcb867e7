package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// sinkTable is a table opened for writing.
type sinkTable struct {
	table     *connectors.Table
	format    *format.Format
	path      string
	guarantee exec.Guarantee
}

func openSink(t *connectors.Table) (connectors.SinkTable, error) {
	f, err := formatOf(t)
	if err != nil {
		return nil, err
	}
	if f.Encoder == nil {
		return nil, fmt.Errorf("format '%s' cannot be written", f.Name)
	}
	if len(t.PartitionedBy) > 0 {
		return nil, &connectors.UnsupportedError{Msg: "writing a partitioned table is not supported yet"}
	}
	g, err := connectors.GuaranteeOf(t.Options)
	if err != nil {
		return nil, err
	}
	s := &sinkTable{t, f, strings.TrimPrefix(t.Options.Text("path"), "file://"), g}
	_, err = f.Encoder(s.encodeSpec())
	return s, err
}

func (s *sinkTable) encodeSpec() *format.EncodeSpec {
	spec := &format.EncodeSpec{Options: s.table.Options, Zone: s.table.Env.Zone}
	for _, c := range s.table.Columns {
		if c.Metadata == "" {
			spec.Columns = append(spec.Columns, len(spec.Fields))
			spec.Fields = append(spec.Fields, types.Field{Name: c.Name, Type: c.Type})
		}
	}
	return spec
}

func (s *sinkTable) Accepts() connectors.Changelog { return s.format.Changelog }
func (s *sinkTable) Guarantee() exec.Guarantee     { return s.guarantee }
func (s *sinkTable) Parallelism() int              { return int(s.table.Options.Int("sink.parallelism")) }

func (s *sinkTable) Promise() string {
	switch s.guarantee {
	case exec.ExactlyOnce:
		return "exactly-once: a file appears, whole, when its checkpoint is complete" + every(s.table.Env)
	case exec.AtLeastOnce:
		return "at-least-once: files appear on every checkpoint's barrier; rows may repeat after a crash"
	}
	return "none: files appear when the job ends; rows may be lost or repeat after a crash"
}

func every(e connectors.Env) string {
	if e.CheckpointInterval <= 0 {
		return ""
	}
	return fmt.Sprintf(", every %s", e.CheckpointInterval)
}

func (s *sinkTable) Sink() (exec.Sink, error) { return &sink{s}, nil }

// sink is one use of the table.
type sink struct{ *sinkTable }

// writer writes one file per checkpoint, under a hidden name until it is
// published.
type writer struct {
	sink    *sink
	ctx     exec.SinkContext
	encoder format.Encoder
	msgs    format.Messages
	file    *os.File
	out     *bufio.Writer
	temp    string
	rows    int64
	serial  int // files of this writer without a checkpoint
}

func (s *sink) Writer(_ context.Context, ctx exec.SinkContext) (exec.Writer, error) {
	if err := os.MkdirAll(s.path, 0o755); err != nil {
		return nil, exec.Fatal(fmt.Errorf("folder '%s' cannot be written: %w; option 'path' of a sink names a folder", s.path, err))
	}
	e, err := s.format.Encoder(s.encodeSpec())
	if err != nil {
		return nil, err
	}
	w := &writer{sink: s, ctx: ctx, encoder: e}
	if s.guarantee == exec.ExactlyOnce {
		return &committing{w}, nil
	}
	return w, nil
}

func (w *writer) Write(_ context.Context, b *vec.Batch) error {
	if b.Len() == 0 {
		return nil
	}
	if err := w.open(); err != nil {
		return err
	}
	w.msgs.Reset()
	if err := w.encoder.Encode(b, b.Rows(), &w.msgs); err != nil {
		return exec.Fatal(err)
	}
	for i := range w.msgs.Spans {
		if _, err := w.out.Write(w.msgs.At(i)); err != nil {
			return err
		}
		if err := w.out.WriteByte('\n'); err != nil {
			return err
		}
	}
	w.rows += int64(b.Len())
	w.ctx.Metrics.BytesOut.Add(int64(len(w.msgs.Data)))
	return nil
}

func (w *writer) open() error {
	if w.file != nil {
		return nil
	}
	f, err := os.CreateTemp(w.sink.path, hiddenPrefix(w.ctx)+"*"+unfinished)
	if err != nil {
		return fmt.Errorf("folder '%s': %w", w.sink.path, err)
	}
	w.file, w.temp, w.rows = f, filepath.Base(f.Name()), 0
	w.out = bufio.NewWriterSize(f, 256<<10)
	return f.Chmod(0o644)
}

// finish makes the open file durable under its hidden name.
func (w *writer) finish() error {
	err := errors.Join(w.out.Flush(), w.file.Sync(), w.file.Close())
	w.file = nil
	return err
}

// Flush publishes what was written (at-least-once); with guarantee none
// files are published on Close.
func (w *writer) Flush(context.Context) error {
	if w.sink.guarantee == exec.None {
		return nil
	}
	return w.publish()
}

func (w *writer) publish() error {
	if w.file == nil {
		return nil
	}
	if err := w.finish(); err != nil {
		return err
	}
	w.serial++
	name := fmt.Sprintf("part-%s-%d-%d-%s", short(w.ctx.RunID), w.ctx.Subtask.Index, w.serial, w.unique())
	if err := os.Rename(filepath.Join(w.sink.path, w.temp), filepath.Join(w.sink.path, name)); err != nil {
		return err
	}
	return syncFolder(w.sink.path)
}

// unique is the random part of the temporary file's name.
func (w *writer) unique() string {
	name := strings.TrimPrefix(w.temp, hiddenPrefix(w.ctx))
	return strings.TrimSuffix(name, unfinished)
}

func (w *writer) Close() error {
	if w.sink.guarantee == exec.None {
		return w.publish()
	}
	if w.file == nil {
		return nil
	}
	f := w.file
	w.file = nil
	return errors.Join(f.Close(), os.Remove(filepath.Join(w.sink.path, w.temp)))
}

// committing is the writer of guarantee exactly-once.
type committing struct{ *writer }

func (w *committing) Flush(context.Context) error { return nil }

// PreCommit closes the open file; its committable names the file and what it
// will be called.
func (w *committing) PreCommit(_ context.Context, id checkpoint.ID, _ bool) ([]exec.Committable, error) {
	if w.file == nil {
		return nil, nil
	}
	if err := w.finish(); err != nil {
		return nil, err
	}
	if err := syncFolder(w.sink.path); err != nil {
		return nil, err
	}
	p := pending{
		temp:  w.temp,
		final: finalName(w.ctx, w.ctx.Subtask.Index, id),
		rows:  w.rows,
	}
	c := exec.Committable{Writer: checkpoint.Subtask{UID: w.ctx.UID, Index: w.ctx.Subtask.Index}, Checkpoint: id, Version: pendingVersion, Payload: p.encode()}
	return []exec.Committable{c}, nil
}

func (w *committing) Settled([]exec.Committable) error { return nil }

// syncFolder makes renames and new names in a folder durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
