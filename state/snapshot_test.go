package state

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var wideLayout = Layout{
	Name: "wide", Keys: []Class{I64}, Values: []Class{I64, Bytes},
	Lists: []ListLayout{{"list", []Class{Bytes}}}, Sorted: []ListLayout{{"sorted", []Class{I64}}}, Timers: []string{"event"},
}

// wide is a table over many pages, with a model: key → value.
type wide struct {
	b     *Backend
	t     *Table
	p     Probe
	model map[int64]string
}

func openWide(tb testing.TB, manifests [][]byte, r Range, chunks ChunkReader) *wide {
	tb.Helper()
	b, err := Open(Options{Operator: "op", Range: r, Manifests: manifests, Chunks: chunks})
	if err != nil {
		tb.Fatal(err)
	}
	t, err := b.Table(wideLayout)
	if err != nil {
		tb.Fatal(err)
	}
	return &wide{b: b, t: t, model: map[int64]string{}}
}

// put sets keys to a value each, and appends it to their lists.
func (w *wide) put(keys []int64, value func(k int64) string) {
	i64Probe(&w.p, keys)
	w.t.FindOrInsert(&w.p)
	w.t.Touch(w.p.Slots)
	for i, s := range w.p.Slots {
		v := value(keys[i])
		w.t.I64Col(0).Set(s, int64(len(v)))
		w.t.BytesCol(1).Set(s, []byte(v))
		if w.t.List(0).Len(s) > 3 {
			w.t.List(0).Remove(w.t.List(0).First(s))
		}
		w.t.List(0).BytesCol(0).Set(w.t.List(0).InsertBefore(s, -1), []byte(v))
		m := w.t.Sorted(0)
		if m.Len(s) > 3 {
			m.Remove(m.First(s))
		}
		row, _ := m.Insert(s, AppendSortI64(nil, rand.Int64N(1000), false))
		m.TouchOne(row)
		m.I64Col(0).Set(row, keys[i])
		w.t.Timers(0).SetOne(s, keys[i]%1000)
		w.model[keys[i]] = v
	}
}

func (w *wide) delete(keys []int64) {
	i64Probe(&w.p, keys)
	w.t.Find(&w.p)
	w.t.Delete(w.p.Slots)
	for _, k := range keys {
		delete(w.model, k)
	}
}

func (w *wide) copyModel() map[int64]string {
	c := map[int64]string{}
	for k, v := range w.model {
		c[k] = v
	}
	return c
}

func (w *wide) equal(tb testing.TB, model map[int64]string) {
	tb.Helper()
	if err := w.t.check(); err != nil {
		tb.Fatal(err)
	}
	if w.t.Rows() != len(model) {
		tb.Fatalf("%d rows, %d in the model", w.t.Rows(), len(model))
	}
	for _, s := range w.t.LiveIn(AllGroups, nil) {
		k := w.t.KeyI64(0).At(s)
		want, ok := model[k]
		last := string(w.t.List(0).BytesCol(0).At(w.t.List(0).Last(s)))
		if got := string(w.t.BytesCol(1).At(s)); !ok || got != want || last != want {
			tb.Fatalf("key %d: %q, last in its list %q, in the model %q (%v)", k, got, last, want, ok)
		}
		for row := w.t.Sorted(0).First(s); row >= 0; row = w.t.Sorted(0).Next(row) {
			if w.t.Sorted(0).I64Col(0).At(row) != k {
				tb.Fatalf("key %d has a row of %d", k, w.t.Sorted(0).I64Col(0).At(row))
			}
		}
		if w.t.Timers(0).Len(s) != 1 {
			tb.Fatalf("key %d has %d timers", k, w.t.Timers(0).Len(s))
		}
	}
}

func some(n int, of int64) []int64 {
	keys := make([]int64, n)
	for i := range keys {
		keys[i] = rand.Int64N(of)
	}
	return keys
}

func value(round int) func(k int64) string {
	return func(k int64) string { return strings.Repeat(fmt.Sprintf("%d/%d ", k, round), int(k%7)) }
}

func write(tb testing.TB, s *Snapshot, w ChunkWriter) Written {
	tb.Helper()
	out, err := s.Write(w)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// completed is a checkpoint from its barrier to its end.
func completed(tb testing.TB, b *Backend, w ChunkWriter) Written {
	tb.Helper()
	s, err := b.Freeze()
	if err != nil {
		tb.Fatal(err)
	}
	out := write(tb, s, w)
	s.Release()
	s.Completed()
	return out
}

// A snapshot is written on another goroutine while rows are inserted, changed and deleted: it has the rows of the freeze.
func TestWriteBesideChanges(t *testing.T) {
	chunks := &memChunks{data: map[uint64][]byte{}}
	w := openWide(t, nil, AllGroups, nil)
	for round := range 12 {
		w.put(some(3000, 30_000), value(round))
		frozen := w.copyModel()
		s, err := w.b.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		var out Written
		done := make(chan error)
		go func() {
			var err error
			out, err = s.Write(chunks)
			s.Release()
			done <- err
		}()
		for written := false; !written; {
			w.put(some(200, 30_000), value(1000+round))
			w.delete(some(100, 30_000))
			select {
			case err := <-done:
				if err != nil {
					t.Fatal(err)
				}
				written = true
			default:
			}
		}
		if round%3 != 2 { // else: aborted
			s.Completed()
		}
		openWide(t, [][]byte{out.Manifest}, AllGroups, chunks).equal(t, frozen)
	}
	w.equal(t, w.model)
}

// Chunks that no kept checkpoint has are forgotten at once, and what is kept stays under about twice of what lives.
func TestGarbageIsBounded(t *testing.T) {
	chunks := &memChunks{data: map[uint64][]byte{}}
	w := openWide(t, nil, AllGroups, nil)
	w.put(some(40_000, 30_000), value(0))
	for round := range 60 {
		if round%2 == 0 {
			base := rand.Int64N(29_000) // near keys share pages
			w.put(some(300, 1000), func(k int64) string { return value(round)(k + base) })
		} else {
			w.put(some(20, 30_000), value(round))
			w.delete(some(20, 30_000))
		}
		before := len(chunks.data)
		out := completed(t, w.b, chunks)
		if len(out.New)+before != len(chunks.data) {
			t.Fatalf("%d new chunks named, %d stored", len(out.New), len(chunks.data)-before)
		}
		chunks.drop(out.Dropped)
		if len(out.Refs) != len(chunks.data) {
			t.Fatalf("round %d: %d chunks needed, %d left", round, len(out.Refs), len(chunks.data))
		}
		stored := 0
		for _, c := range chunks.data {
			stored += len(c)
		}
		if full := fullBytes(t, w.b); int64(stored) > 2*full+chunkBytes {
			t.Fatalf("round %d: %d bytes stored, a full snapshot has %d", round, stored, full)
		}
		if round%10 == 9 {
			restored := openWide(t, [][]byte{out.Manifest}, AllGroups, chunks)
			restored.equal(t, w.model)
			restored.model = w.model
			w = restored
		}
	}
}

// fullBytes is what a snapshot takes that builds upon nothing.
func fullBytes(tb testing.TB, b *Backend) int64 {
	tb.Helper()
	s, err := b.Freeze()
	if err != nil {
		tb.Fatal(err)
	}
	defer s.Release()
	s.base = &base{}
	return write(tb, s, &memChunks{data: map[uint64][]byte{}}).Bytes
}

// What a snapshot writes grows with what changed, not with what there is.
func TestIncrementalBytes(t *testing.T) {
	b, tab := filled(t, 200_000)
	chunks := &memChunks{data: map[uint64][]byte{}}
	snap := func() int64 {
		out := completed(t, b, chunks)
		return out.Bytes - int64(len(out.Manifest))
	}
	full := snap()
	if none := snap(); none != 0 {
		t.Errorf("%d bytes written without a change", none)
	}
	update(tab, 0, 2000)
	small := snap()
	update(tab, 50_000, 70_000)
	large := snap()
	if small == 0 || small > full/20 {
		t.Errorf("1 %% of the rows changed: %d bytes of %d", small, full)
	}
	if large < 2*small || large > full/4 {
		t.Errorf("10 %% of the rows changed: %d bytes of %d", large, full)
	}
}

// Pages whose rows are all deleted take no room, also if they were only a few.
func TestDeletedPages(t *testing.T) {
	b, tab := filled(t, 100_000)
	full := fullBytes(t, b)
	tab.Delete(tab.LiveIn(AllGroups, nil)[:99_000])
	if left := fullBytes(t, b); left > full/20 {
		t.Errorf("1,000 rows take %d bytes; 100,000 took %d", left, full)
	}
	b, tab = filled(t, 2*PageRows+50)
	s, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	write(t, s, &memChunks{data: map[uint64][]byte{}})
	s.Completed()
	tab.Delete(tab.LiveIn(AllGroups, nil)[2*PageRows:])
	if s, err = b.Freeze(); err != nil {
		t.Fatal(err)
	}
	write(t, s, &memChunks{data: map[uint64][]byte{}})
	if last := s.written.set("agg").fams[famKeys][2]; last.size != 1 || len(last.patches) > 0 {
		t.Errorf("a page of dead rows takes %d bytes and %d patches", last.size, len(last.patches))
	}
}

// A restore in place goes on incrementally.
func TestIncrementalAfterRestore(t *testing.T) {
	chunks := &memChunks{data: map[uint64][]byte{}}
	w := openWide(t, nil, AllGroups, nil)
	w.put(some(40_000, 30_000), value(0))
	s, err := w.b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	full := write(t, s, chunks)
	r := openWide(t, [][]byte{full.Manifest}, AllGroups, chunks)
	r.model = w.model
	r.put([]int64{1, 2, 3}, value(1))
	if s, err = r.b.Freeze(); err != nil {
		t.Fatal(err)
	}
	frozen := r.copyModel()
	next := write(t, s, chunks)
	if next.Bytes > full.Bytes/5 {
		t.Errorf("%d bytes written after three changes; all are %d", next.Bytes, full.Bytes)
	}
	openWide(t, [][]byte{next.Manifest}, AllGroups, chunks).equal(t, frozen)
}

// Every flipped byte of every chunk is found, and the message names the chunk.
func TestCorruptChunk(t *testing.T) {
	chunks := &memChunks{data: map[uint64][]byte{}, next: 4710}
	w := openWide(t, nil, AllGroups, nil)
	w.put(some(20_000, 30_000), value(0))
	s, err := w.b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	out := write(t, s, chunks)
	open := func() error {
		b, err := Open(Options{Operator: "op 7", Range: AllGroups, Manifests: [][]byte{out.Manifest}, Chunks: chunks})
		if err == nil {
			_, err = b.Table(wideLayout)
		}
		return err
	}
	if len(out.Refs) < 3 {
		t.Fatalf("only %d chunks", len(out.Refs))
	}
	for _, ref := range out.Refs {
		whole := chunks.data[ref]
		damaged := bytes.Clone(whole)
		damaged[rand.IntN(len(damaged)-chunkTail)] ^= 0x10
		for _, bad := range [][]byte{damaged, whole[:len(whole)-1], nil} {
			chunks.data[ref] = bad
			if bad == nil {
				delete(chunks.data, ref)
			}
			err := open()
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("chunk %d", ref)) || !strings.Contains(err.Error(), "op 7") {
				t.Fatalf("chunk %d: %v", ref, err)
			}
		}
		chunks.data[ref] = whole
	}
	if err := open(); err != nil {
		t.Fatal(err)
	}
}

func TestCorruptManifest(t *testing.T) {
	w := openWide(t, nil, AllGroups, nil)
	w.put(some(100, 100), value(0))
	s, err := w.b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	m := write(t, s, &memChunks{data: map[uint64][]byte{}}).Manifest
	for i := range m {
		bad := bytes.Clone(m)
		bad[i] ^= 1
		if _, err := Open(Options{Operator: "op", Range: AllGroups, Manifests: [][]byte{bad}}); err == nil {
			t.Fatalf("byte %d is flipped, and nobody saw it", i)
		}
	}
}

// A Write that is still running when its snapshot is released gives up; the next snapshot is complete.
func TestAbandonedWrite(t *testing.T) {
	w := openWide(t, nil, AllGroups, nil)
	w.put(some(40_000, 30_000), value(0))
	s, err := w.b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	puts := 0
	_, err = s.Write(putFunc(func([]byte) (uint64, error) {
		puts++
		s.Release()
		return 1, nil
	}))
	if !errors.Is(err, ErrAbandoned) || puts != 1 {
		t.Fatalf("%v after %d chunks", err, puts)
	}
	s.Completed() // without effect
	if w.b.clk.newest.Load() != 0 {
		t.Fatal("pages are still copied on write")
	}
	chunks := &memChunks{data: map[uint64][]byte{}}
	if s, err = w.b.Freeze(); err != nil {
		t.Fatal(err)
	}
	openWide(t, [][]byte{write(t, s, chunks).Manifest}, AllGroups, chunks).equal(t, w.model)
}

type putFunc func([]byte) (uint64, error)

func (f putFunc) Put(data []byte) (uint64, error) { return f(data) }

// The state of one subtask goes to three and to two, and its groups with it; a missing manifest is refused.
func TestRescale(t *testing.T) {
	chunks := &memChunks{data: map[uint64][]byte{}}
	one := openWide(t, nil, AllGroups, nil)
	one.put(some(30_000, 20_000), value(0))
	model := one.model
	subs := []*wide{one}
	for _, p := range []int{3, 2, 1} {
		var manifests [][]byte
		for _, s := range subs {
			snap, err := s.b.Freeze()
			if err != nil {
				t.Fatal(err)
			}
			manifests = append(manifests, write(t, snap, chunks).Manifest)
		}
		subs = nil
		rows := 0
		for i := range p {
			s := openWide(t, manifests, RangeOf(i, p), chunks)
			part := map[int64]string{}
			for k, v := range model {
				if SubtaskOf(Group(mixed(uint64(k))), p) == i {
					part[k] = v
				}
			}
			s.equal(t, part)
			rows += s.t.Rows()
			subs = append(subs, s)
		}
		if rows != len(model) {
			t.Fatalf("%d rows of %d at parallelism %d", rows, len(model), p)
		}
		if len(manifests) > 1 {
			_, err := Open(Options{Operator: "op", Range: AllGroups, Manifests: manifests[1:], Chunks: chunks})
			if err == nil || !strings.Contains(err.Error(), "key group 0 is in 0") {
				t.Fatalf("a manifest is missing: %v", err)
			}
		}
	}
}

func TestRanges(t *testing.T) {
	for p := 1; p <= MaxParallelism; p++ {
		next := 0
		for i := range p {
			r := RangeOf(i, p)
			if int(r.First) != next || !r.valid() {
				t.Fatalf("subtask %d of %d has %s, want it to begin at %d", i, p, r, next)
			}
			for g := int(r.First); g <= int(r.Last); g++ {
				if SubtaskOf(uint8(g), p) != i {
					t.Fatalf("group %d of %d subtasks belongs to %d, not %d", g, p, SubtaskOf(uint8(g), p), i)
				}
			}
			next = int(r.Last) + 1
		}
		if next != MaxParallelism {
			t.Fatalf("%d subtasks own %d groups", p, next)
		}
	}
}

// snapshotOf writes a full snapshot of a backend.
func snapshotOf(tb testing.TB, b *Backend, chunks ChunkWriter) []byte {
	tb.Helper()
	s, err := b.Freeze()
	if err != nil {
		tb.Fatal(err)
	}
	defer s.Release()
	return write(tb, s, chunks).Manifest
}

func TestOtherLayout(t *testing.T) {
	chunks := &memChunks{data: map[uint64][]byte{}}
	w := openWide(t, nil, AllGroups, nil)
	w.put(some(5000, 3000), value(0))
	m := snapshotOf(t, w.b, chunks)
	open := func(l Layout) (*Table, error) {
		b, err := Open(Options{Operator: "op", Range: AllGroups, Manifests: [][]byte{m}, Chunks: chunks})
		if err != nil {
			return nil, err
		}
		return b.Table(l)
	}
	l := wideLayout
	l.Version, l.Values, l.Lists, l.Sorted = 1, []Class{Bytes, I64}, nil, nil
	if _, err := open(l); err == nil || !strings.Contains(err.Error(), "state table wide of operator op: the checkpoint has another layout (version 0") {
		t.Fatalf("%v", err)
	}
	l.Migrate = func(old, new *Table, oldSlots, newSlots []int32) error {
		for i, s := range newSlots {
			new.BytesCol(0).Set(s, old.BytesCol(1).At(oldSlots[i]))
			new.I64Col(1).Set(s, -old.I64Col(0).At(oldSlots[i]))
		}
		return nil
	}
	tab, err := open(l)
	if err != nil {
		t.Fatal(err)
	}
	if tab.Rows() != len(w.model) {
		t.Fatalf("%d rows of %d", tab.Rows(), len(w.model))
	}
	for _, s := range tab.LiveIn(AllGroups, nil) {
		k := tab.KeyI64(0).At(s)
		if at, ok := tab.Timers(0).First(s); !ok || at != k%1000 {
			t.Fatalf("key %d: timer %d", k, at)
		}
		if v := w.model[k]; string(tab.BytesCol(0).At(s)) != v || tab.I64Col(1).At(s) != -int64(len(v)) {
			t.Fatalf("key %d: %q", k, tab.BytesCol(0).At(s))
		}
	}
	l.Keys = []Class{Bytes}
	if _, err := open(l); err == nil {
		t.Fatal("other key classes were taken")
	}
}

func TestUnclaimedState(t *testing.T) {
	chunks := &memChunks{data: map[uint64][]byte{}}
	w := openWide(t, nil, AllGroups, nil)
	v, err := w.b.Value("progress", First)
	if err != nil {
		t.Fatal(err)
	}
	v.Set([]byte("x"))
	b, err := Open(Options{Operator: "op", Range: AllGroups, Manifests: [][]byte{snapshotOf(t, w.b, chunks)}, Chunks: chunks})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.CheckClaimed(); err == nil || !strings.Contains(err.Error(), "state table wide, value progress of operator op") {
		t.Fatalf("%v", err)
	}
	if _, err := b.Freeze(); err == nil {
		t.Fatal("a snapshot without the old state")
	}
}

func TestValueRescale(t *testing.T) {
	chunks := &memChunks{data: map[uint64][]byte{}}
	var manifests [][]byte
	for i := range 3 {
		b, err := Open(Options{Operator: "op", Range: RangeOf(i, 3)})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"first", "union"} {
			v, err := b.Value(name, First)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				v.Set([]byte{byte(i)})
			}
		}
		manifests = append(manifests, snapshotOf(t, b, chunks))
	}
	b, err := Open(Options{Operator: "op", Range: RangeOf(0, 2), Manifests: manifests})
	if err != nil {
		t.Fatal(err)
	}
	first, err1 := b.Value("first", First)
	union, err2 := b.Value("union", Union)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	same := func(a, b []byte) bool { return bytes.Equal(a, b) }
	if !slices.EqualFunc(first.Restored(), [][]byte{{1}}, same) || first.Get()[0] != 1 {
		t.Errorf("first: %v", first.Restored())
	}
	if !slices.EqualFunc(union.Restored(), [][]byte{{1}, {2}}, same) {
		t.Errorf("union: %v", union.Restored())
	}
}
