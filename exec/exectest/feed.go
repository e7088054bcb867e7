package exectest

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Feed is a source whose splits are filled by the test, and which can be read
// again from any position: it outlives jobs, as a topic does. Safe for
// concurrent use.
type Feed struct {
	Fields []types.Field
	// BatchSize is the most rows that a reader returns at once; 0: any number.
	BatchSize int

	mu       sync.Mutex
	splits   map[string]*feedSplit
	fail     error                      // the next Next returns it
	marks    map[*vec.Batch]*vec.Vector // watermarks of batches handed out
	wake     chan struct{}              // closed and replaced when something comes
	progress chan struct{}              // closed and replaced when something is read
}

// feedSplit is a log of entries; its positions count entries.
type feedSplit struct {
	entries []entry
	ended   bool
	read    int // position that a reader has asked to go beyond
}

// entry is a row, or a watermark alone.
type entry struct {
	row  *vec.Batch // of one row; nil: none
	mark types.Time // only without row
}

// NewFeed returns a feed with the given empty splits.
func NewFeed(fields []types.Field, splits ...string) *Feed {
	f := &Feed{Fields: fields, splits: map[string]*feedSplit{}, marks: map[*vec.Batch]*vec.Vector{}, wake: make(chan struct{}), progress: make(chan struct{})}
	for _, s := range splits {
		f.splits[s] = &feedSplit{}
	}
	return f
}

func (f *Feed) changed() {
	close(f.wake)
	f.wake = make(chan struct{})
}

// Add appends rows to a split.
func (f *Feed) Add(split string, rows *vec.Batch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range cut(rows, 1) {
		f.splits[split].entries = append(f.splits[split].entries, entry{row: one})
	}
	f.changed()
}

// Watermark appends a watermark to a split.
func (f *Feed) Watermark(split string, t types.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.splits[split].entries = append(f.splits[split].entries, entry{mark: t})
	f.changed()
}

// End ends a split.
func (f *Feed) End(split string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.splits[split].ended = true
	f.changed()
}

// EndAll ends all splits.
func (f *Feed) EndAll() {
	for _, id := range f.ids() {
		f.End(id)
	}
}

func (f *Feed) ids() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []string
	for id := range f.splits {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return ids
}

// Forget makes AwaitRead wait for readers that are yet to come: call it
// before a job starts again.
func (f *Feed) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget()
}

func (f *Feed) forget() {
	for _, s := range f.splits {
		s.read = -1
	}
}

// AwaitRead waits until every entry of the splits that have not ended has
// been handed out, and another read has been asked for after the last.
func (f *Feed) AwaitRead(limit time.Duration) bool {
	deadline := time.After(limit)
	for {
		f.mu.Lock()
		ok, c := true, f.progress
		for _, s := range f.splits {
			ok = ok && (s.ended || s.read >= len(s.entries))
		}
		f.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-c:
		case <-deadline:
			return false
		}
	}
}

// Fail makes one of the next reads return err.
func (f *Feed) Fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = err
	f.forget()
	f.changed()
}

// Node is a graph node that reads the feed, with its watermarks.
func (f *Feed) Node(uid string, parallelism int) *exec.Node {
	return &exec.Node{UID: uid, Name: "Feed", Parallelism: parallelism, Output: f.Fields, Source: &exec.SourceNode{
		Source: f, Watermark: func() (exec.WatermarkGenerator, error) { return feedMarks{f}, nil },
	}}
}

// feedMarks gives the watermarks of the batch that a reader has just made.
type feedMarks struct{ f *Feed }

func (m feedMarks) Eval(b *vec.Batch) (*vec.Vector, error) {
	m.f.mu.Lock()
	defer m.f.mu.Unlock()
	v := m.f.marks[b]
	if v == nil || v.Len() != b.N {
		return nil, fmt.Errorf("a batch that is not the reader's")
	}
	return v, nil
}

// Splits lists the splits by name.
func (f *Feed) Splits(context.Context) ([]exec.Split, error) {
	var all []exec.Split
	for _, id := range f.ids() {
		all = append(all, exec.Split{ID: id})
	}
	return all, nil
}

// Reader reads the given splits in turn.
func (f *Feed) Reader(ctx exec.SourceContext, splits []exec.Split) (exec.Reader, error) {
	r := &feedReader{f: f, ctx: ctx}
	for _, s := range splits {
		if f.splits[s.ID] == nil {
			return nil, fmt.Errorf("there is no split %q", s.ID)
		}
		at := 0
		if s.Position != nil {
			var err error
			if at, err = strconv.Atoi(string(s.Position)); err != nil {
				return nil, err
			}
		}
		f.mu.Lock()
		f.splits[s.ID].read = at
		f.mu.Unlock()
		r.ids, r.at, r.ended = append(r.ids, s.ID), append(r.at, at), append(r.ended, false)
	}
	return r, nil
}

type feedReader struct {
	f     *Feed
	ctx   exec.SourceContext
	ids   []string
	at    []int
	ended []bool
	turn  int
}

func (r *feedReader) Next(ctx context.Context, b *vec.Batch) (int, bool, error) {
	b.Reset()
	for {
		split, ended, wake, err := r.take(b)
		if err != nil || split >= 0 {
			return max(split, 0), ended, err
		}
		select {
		case <-wake:
		case <-r.ctx.Wake:
			return 0, false, nil
		case <-time.After(50 * time.Millisecond):
			return 0, false, nil
		case <-ctx.Done():
			return 0, false, context.Cause(ctx)
		}
	}
}

// take fills b from the next split that has something; split is -1 if none
// has.
func (r *feedReader) take(b *vec.Batch) (split int, ended bool, wake <-chan struct{}, err error) {
	f := r.f
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.fail; err != nil {
		f.fail = nil
		return 0, false, nil, err
	}
	for i, id := range r.ids {
		// What was handed out before this call is processed by now.
		f.splits[id].read = max(f.splits[id].read, r.at[i])
	}
	close(f.progress)
	f.progress = make(chan struct{})
	for k := range r.ids {
		i := (r.turn + k) % len(r.ids)
		s := f.splits[r.ids[i]]
		if r.ended[i] || r.at[i] == len(s.entries) && !s.ended {
			continue
		}
		r.turn = i + 1
		r.fill(b, i, s)
		r.ended[i] = s.ended && r.at[i] == len(s.entries)
		return i, r.ended[i], nil, nil
	}
	return -1, false, f.wake, nil
}

func (r *feedReader) fill(b *vec.Batch, i int, s *feedSplit) {
	marks := &vec.Vector{Kind: vec.I64}
	var sel []int32
	for r.at[i] < len(s.entries) && (r.f.BatchSize == 0 || b.N < r.f.BatchSize) {
		e := s.entries[r.at[i]]
		r.at[i]++
		if e.row != nil {
			sel = append(sel, int32(b.N))
			b.Append(e.row)
			marks.AppendNull()
			continue
		}
		for _, c := range b.Cols {
			c.AppendNull()
		}
		if b.Ops != nil {
			b.Ops = append(b.Ops, vec.Insert)
		}
		b.N++
		marks.I64 = append(marks.I64, int64(min(e.mark, types.Time(1)<<52))*1000)
		if marks.Nulls != nil {
			marks.ClearNull(b.N - 1)
			for len(marks.Nulls)<<6 < b.N {
				marks.Nulls = append(marks.Nulls, 0)
			}
		}
	}
	if len(sel) < b.N {
		b.Sel = append([]int32{}, sel...)
	}
	r.f.marks[b] = marks
}

func (r *feedReader) Positions() []exec.Split {
	var all []exec.Split
	for i, id := range r.ids {
		all = append(all, exec.Split{ID: id, Position: []byte(strconv.Itoa(r.at[i]))})
	}
	return all
}

func (r *feedReader) Completed(context.Context, []exec.Split) error { return nil }
func (r *feedReader) Close() error                                  { return nil }
