package files

import (
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// reader reads its files in turn, a batch of each.
type reader struct {
	src     *source
	ctx     exec.SourceContext
	splits  []exec.Split
	files   []*file // nil: ended
	done    []int   // splits that had ended when they were restored, to be reported again
	turn    int
	decoder format.Decoder
	inner   *vec.Batch // what the decoder fills, where metadata columns exist
	filter  *expr.Filter
	env     fn.Env
	limit   connectors.RateLimit
}

// file is one open file. offset counts unpacked bytes, line records from 1.
type file struct {
	path    string
	closers []io.Closer
	in      io.Reader
	info    os.FileInfo
	buf     []byte // unread bytes
	eof     bool
	offset  int64
	line    int64
	msgs    format.Messages
}

const (
	readSize  = 256 << 10
	maxRecord = 64 << 20
)

// position is the offset and number of records behind a file's last read
// record; the offset of an ended file is −1.
func position(offset, line int64) []byte {
	return binary.AppendVarint(binary.AppendVarint(nil, offset), line)
}

func parsePosition(b []byte) (offset, line int64, err error) {
	if b == nil {
		return 0, 0, nil
	}
	offset, n := binary.Varint(b)
	if n <= 0 {
		return 0, 0, errors.New("damaged file position")
	}
	line, m := binary.Varint(b[n:])
	if m <= 0 {
		return 0, 0, errors.New("damaged file position")
	}
	return offset, line, nil
}

func (s *source) Reader(ctx exec.SourceContext, splits []exec.Split) (exec.Reader, error) {
	r := &reader{src: s, ctx: ctx, splits: append([]exec.Split(nil), splits...), files: make([]*file, len(splits))}
	spec := s.decode
	spec.Bad = func(int, error) { ctx.Metrics.Skipped.Add(1) }
	var err error
	if r.decoder, err = s.format.Decoder(&spec); err != nil {
		return nil, err
	}
	if len(s.meta) > 0 {
		r.inner = &vec.Batch{}
		if s.scan.Filter != nil {
			if r.filter, err = expr.CompileFilter(s.scan.Filter); err != nil {
				return nil, err
			}
		}
	}
	r.env.Zone = s.table.Env.Zone
	r.limit = connectors.RateLimitOf(s.table.Options, s.scan.Parallelism, ctx.Clock)
	return r, r.open()
}

func (r *reader) open() error {
	for i, s := range r.splits {
		offset, line, err := parsePosition(s.Position)
		if err != nil {
			return fmt.Errorf("file '%s': %w", s.ID, err)
		}
		if offset < 0 {
			r.done = append(r.done, i)
			continue
		}
		if r.files[i], err = openFile(s.ID, offset, line); err != nil {
			return errors.Join(err, r.Close())
		}
	}
	return nil
}

func openFile(path string, offset, line int64) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	out := &file{path: path, in: f, closers: []io.Closer{f}, offset: offset, line: line}
	if out.info, err = f.Stat(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if !strings.HasSuffix(path, ".gz") {
		if offset > out.info.Size() {
			return nil, errors.Join(exec.Fatal(fmt.Errorf("file '%s' has %d bytes, but was read up to byte %d before; it must not shrink while a job is stopped", path, out.info.Size(), offset)), f.Close())
		}
		_, err = f.Seek(offset, io.SeekStart)
	} else {
		err = out.unpack(f, offset)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("file '%s': %w", path, err), f.Close())
	}
	return out, nil
}

// unpack reads gzip and steps over the bytes that were read before.
func (f *file) unpack(in io.Reader, offset int64) error {
	z, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	f.in, f.closers = z, append(f.closers, z)
	_, err = io.CopyN(io.Discard, z, offset)
	return err
}

func (r *reader) Next(ctx context.Context, b *vec.Batch) (split int, ended bool, err error) {
	if n := len(r.done); n > 0 {
		b.N, b.Sel = 0, nil
		split, r.done = r.done[n-1], r.done[:n-1]
		return split, true, nil
	}
	split = r.pick()
	if split < 0 {
		b.N, b.Sel = 0, nil
		_, err = connectors.Pause(ctx, &r.ctx, connectors.MaxPause)
		return 0, false, err
	}
	rows, wait := r.limit.Allow(vec.MaxRows)
	if rows == 0 {
		b.N, b.Sel = 0, nil
		_, err = connectors.Pause(ctx, &r.ctx, wait)
		return split, false, err
	}
	f := r.files[split]
	if err := f.fill(r.src.framing, rows); err != nil {
		return split, false, fmt.Errorf("file '%s': %w", f.path, err)
	}
	first := f.line - int64(len(f.msgs.Spans)) + 1
	if err := r.fillBatch(f, b); err != nil {
		return split, false, r.located(f, first, err)
	}
	r.limit.GiveBack(rows - len(f.msgs.Spans))
	r.splits[split].Position = position(f.offset, f.line)
	if f.eof && len(f.buf) == 0 {
		r.splits[split].Position = position(-1, f.line)
		r.files[split] = nil
		return split, true, f.close()
	}
	return split, false, nil
}

// pick is the next file that has not ended, or −1.
func (r *reader) pick() int {
	for range r.files {
		r.turn = (r.turn + 1) % len(r.files)
		if r.files[r.turn] != nil {
			return r.turn
		}
	}
	return -1
}

func (r *reader) located(f *file, first int64, err error) error {
	var e *format.Error
	if errors.As(err, &e) {
		return exec.Fatal(fmt.Errorf("file '%s', record %d: %w; 'on-error' = 'skip' or 'null' would go on", f.path, first+int64(e.Message), e))
	}
	return err
}

// fillBatch decodes the messages into the columns that come from the record,
// and fills those that come from the file.
func (r *reader) fillBatch(f *file, b *vec.Batch) error {
	b.Hash = nil
	if r.inner == nil {
		_, err := r.decoder.Decode(&f.msgs, b)
		return err
	}
	r.inner.Cols = r.inner.Cols[:0]
	for _, c := range r.src.columns {
		r.inner.Cols = append(r.inner.Cols, b.Cols[c])
	}
	if _, err := r.decoder.Decode(&f.msgs, r.inner); err != nil {
		return err
	}
	b.N, b.Sel, b.Ops = r.inner.N, r.inner.Sel, r.inner.Ops
	for _, m := range r.src.meta {
		f.metadata(m.key, b.Cols[m.column], b.N)
	}
	if r.filter == nil {
		return nil
	}
	sel, err := r.filter.Select(&r.env, b)
	b.Sel = sel
	return err
}

func (f *file) metadata(key string, c *vec.Vector, n int) {
	c.Resize(n)
	for i := range n {
		switch key {
		case "file.path":
			c.SetString(i, f.path)
		case "file.name":
			c.SetString(i, filepath.Base(f.path))
		case "file.size":
			c.I64[i] = f.info.Size()
		case "file.modification-time":
			c.I64[i] = f.info.ModTime().Truncate(time.Millisecond).UnixMicro()
		}
	}
}

// fill reads the next messages: at most rows, and no more than what one read
// gives.
func (f *file) fill(framing format.Framing, rows int) error {
	f.msgs.Reset()
	used := 0
	for len(f.msgs.Spans) < rows {
		lo, hi, next := framing(f.buf[used:], f.eof)
		if next == 0 {
			if len(f.msgs.Spans) > 0 || f.eof {
				break
			}
			f.buf = append(f.buf[:0], f.buf[used:]...)
			used = 0
			if err := f.read(); err != nil {
				return err
			}
			continue
		}
		if lo <= hi {
			f.msgs.Spans = append(f.msgs.Spans, vec.Span{Off: uint32(used + lo), Len: uint32(hi - lo)})
			f.line++
		}
		used += next
	}
	// The messages keep a copy, so that the buffer may move on.
	f.msgs.Data = append(f.msgs.Data[:0], f.buf[:used]...)
	f.buf = append(f.buf[:0], f.buf[used:]...)
	f.offset += int64(used)
	return f.peek()
}

// peek reads ahead where nothing is left, so that the end is known with the
// last record.
func (f *file) peek() error {
	if len(f.buf) > 0 || f.eof {
		return nil
	}
	return f.read()
}

func (f *file) read() error {
	if len(f.buf) > maxRecord {
		return exec.Fatal(fmt.Errorf("record %d is longer than %d bytes", f.line+1, maxRecord))
	}
	n := len(f.buf)
	f.buf = append(f.buf, make([]byte, readSize)...)
	got, err := io.ReadFull(f.in, f.buf[n:])
	f.buf = f.buf[:n+got]
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		f.eof = true
		return nil
	}
	return err
}

func (f *file) close() error {
	var errs []error
	for i := len(f.closers) - 1; i >= 0; i-- {
		errs = append(errs, f.closers[i].Close())
	}
	return errors.Join(errs...)
}

func (r *reader) Positions() []exec.Split {
	return append([]exec.Split(nil), r.splits...)
}

func (r *reader) Completed(context.Context, []exec.Split) error { return nil }

func (r *reader) Close() error {
	var errs []error
	for i, f := range r.files {
		if f != nil {
			errs = append(errs, f.close())
			r.files[i] = nil
		}
	}
	return errors.Join(errs...)
}
