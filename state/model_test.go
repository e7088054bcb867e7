package state

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// modelRow is one row as plain Go.
type modelRow struct {
	I      int64
	INull  bool
	S      string
	F      float64
	W      Int128
	B      bool
	List   []string         // "int:bytes", in order
	Sorted map[string]int64 // by key
	Timers map[int64]bool
}

type modelKey struct {
	I    int64
	Null bool
	S    string
}

func (k modelKey) hash() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %v %q", k.I, k.Null, k.S)
	return h.Sum64()
}

// groupHash is the hash of the exchange key, which is another one than that of the table's key.
func (k modelKey) groupHash() uint64 { return k.hash()*31 + 7 }

var modelLayout = Layout{
	Name: "rows", Version: 3,
	Keys:   []Class{I64, Bytes},
	Values: []Class{I64, Bytes, F64, I128, Bool},
	Lists:  []ListLayout{{"list", []Class{I64, Bytes}}},
	Sorted: []ListLayout{{"sorted", []Class{I64}}},
	Timers: []string{"event"},
}

// subtask is one real backend.
type subtask struct {
	b *Backend
	t *Table
	v *Value
	p Probe
}

func openSubtask(tb rapid.TB, r Range, manifests [][]byte, chunks ChunkReader) *subtask {
	b, err := Open(Options{Operator: "op", Range: r, Manifests: manifests, Chunks: chunks})
	if err != nil {
		tb.Fatal(err)
	}
	s := &subtask{b: b}
	if s.t, err = b.Table(modelLayout); err != nil {
		tb.Fatal(err)
	}
	if s.v, err = b.Value("progress", Union); err != nil {
		tb.Fatal(err)
	}
	if err := s.t.check(); err != nil {
		tb.Fatal(err)
	}
	return s
}

// find probes one batch of keys, with rows picked out of a larger batch.
func (s *subtask) find(keys []modelKey, insert bool) []int32 {
	var k0, k1 KeyCol
	k0.Null = make([]uint64, len(keys)/64+1)
	s.p = Probe{Slots: s.p.Slots, New: s.p.New, N: len(keys)}
	for i, k := range keys {
		s.p.Hashes = append(s.p.Hashes, k.hash())
		s.p.Groups = append(s.p.Groups, k.groupHash())
		k0.I64 = append(k0.I64, k.I)
		if k.Null {
			k0.Null[i>>6] |= 1 << (i & 63)
			k0.I64[i] = 999 // garbage under a null
		}
		k1.Spans = append(k1.Spans, Span{uint32(len(k1.Data)), uint32(len(k.S))})
		k1.Data = append(k1.Data, k.S...)
	}
	s.p.Keys = []KeyCol{k0, k1}
	if insert {
		s.t.FindOrInsert(&s.p)
	} else {
		s.t.Find(&s.p)
	}
	return s.p.Slots
}

// dump reads a whole table back.
func (s *subtask) dump(out map[modelKey]modelRow) {
	t := s.t
	k0, k1 := t.KeyI64(0), t.KeyBytes(1)
	for _, slot := range t.LiveIn(t.owned, nil) {
		k := modelKey{I: k0.At(slot), Null: k0.IsNull(slot), S: string(k1.At(slot))}
		r := modelRow{
			I: t.I64Col(0).At(slot), INull: t.I64Col(0).IsNull(slot), S: string(t.BytesCol(1).At(slot)),
			F: t.F64Col(2).At(slot), W: t.I128Col(3).At(slot), B: t.BoolCol(4).At(slot),
			Sorted: map[string]int64{}, Timers: map[int64]bool{},
		}
		l := t.List(0)
		for x := l.First(slot); x >= 0; x = l.Next(x) {
			r.List = append(r.List, fmt.Sprintf("%d:%s", l.I64Col(0).At(x), l.BytesCol(1).At(x)))
		}
		m := t.Sorted(0)
		for x := m.First(slot); x >= 0; x = m.Next(x) {
			r.Sorted[string(m.Key(x))] = m.I64Col(0).At(x)
		}
		e := t.Timers(0)
		for x := e.list.First(slot); x >= 0; x = e.list.Next(x) {
			r.Timers[e.time.at(x)] = true
		}
		out[k] = r
	}
}

// memChunks is a chunk store that forgets what it is told to.
type memChunks struct {
	data map[uint64][]byte
	next uint64
	left int // Puts until one fails; 0: never
}

func (m *memChunks) Put(data []byte) (uint64, error) {
	if m.left > 0 {
		if m.left--; m.left == 0 {
			return 0, fmt.Errorf("disk full")
		}
	}
	m.next++
	m.data[m.next] = data
	return m.next, nil
}

func (m *memChunks) Get(ref uint64) ([]byte, error) {
	if d, ok := m.data[ref]; ok {
		return d, nil
	}
	return nil, fmt.Errorf("not there")
}

func (m *memChunks) drop(refs []uint64) {
	for _, r := range refs {
		delete(m.data, r)
	}
}

// machine is the system under test beside its model.
type machine struct {
	subs   []*subtask
	model  map[modelKey]modelRow
	chunks *memChunks
}

func newMachine(tb rapid.TB) *machine {
	m := &machine{model: map[modelKey]modelRow{}, chunks: &memChunks{data: map[uint64][]byte{}}}
	m.subs = []*subtask{openSubtask(tb, AllGroups, nil, m.chunks)}
	return m
}

func (m *machine) of(k modelKey) *subtask {
	return m.subs[SubtaskOf(Group(k.groupHash()), len(m.subs))]
}

var genKey = rapid.Custom(func(t *rapid.T) modelKey {
	k := modelKey{I: rapid.Int64Range(0, 40).Draw(t, "i"), S: rapid.SampledFrom([]string{"", "a", "bb", "a longer key than eight bytes"}).Draw(t, "s")}
	if rapid.IntRange(0, 9).Draw(t, "null") == 0 {
		k.I, k.Null = 0, true
	}
	return k
})

var genBytes = rapid.Custom(func(t *rapid.T) string {
	n := rapid.SampledFrom([]int{0, 1, 7, 8, 9, 100, 5000, 70_000, 300_000}).Draw(t, "len")
	if n > 100 && rapid.IntRange(0, 3).Draw(t, "long") > 0 {
		n = 20
	}
	c := byte(rapid.IntRange('a', 'z').Draw(t, "c"))
	return string(slices.Repeat([]byte{c}, n))
})

func (m *machine) upsert(t *rapid.T) {
	keys := rapid.SliceOfN(genKey, 1, 30).Draw(t, "keys")
	by := map[*subtask][]modelKey{}
	for _, k := range keys {
		by[m.of(k)] = append(by[m.of(k)], k)
	}
	for _, s := range m.subs {
		if len(by[s]) == 0 {
			continue
		}
		slots := s.find(by[s], true)
		s.t.Touch(slots)
		for i, k := range by[s] {
			r, there := m.model[k]
			if s.p.New[i] == there {
				t.Fatalf("key %v: new %v, in the model %v", k, s.p.New[i], there)
			}
			r.I, r.INull = rapid.Int64().Draw(t, "I"), rapid.Bool().Draw(t, "INull")
			r.S, r.F, r.B = genBytes.Draw(t, "S"), rapid.Float64().Draw(t, "F"), rapid.Bool().Draw(t, "B")
			r.W = Int128{rapid.Int64().Draw(t, "Hi"), rapid.Uint64().Draw(t, "Lo")}
			m.model[k] = r
			slot := slots[i]
			s.t.I64Col(0).Set(slot, r.I)
			s.t.I64Col(0).SetNull(slot, r.INull)
			s.t.BytesCol(1).Set(slot, []byte(r.S))
			s.t.F64Col(2).Set(slot, r.F)
			s.t.I128Col(3).Set(slot, r.W)
			s.t.BoolCol(4).Set(slot, r.B)
		}
	}
}

func (m *machine) delete(t *rapid.T) {
	for _, k := range rapid.SliceOfN(genKey, 1, 20).Draw(t, "keys") {
		s := m.of(k)
		slots := s.find([]modelKey{k}, false)
		if _, there := m.model[k]; there != (slots[0] >= 0) {
			t.Fatalf("key %v: slot %d, in the model %v", k, slots[0], there)
		}
		s.t.Delete([]int32{slots[0], slots[0]})
		delete(m.model, k)
	}
}

// pick is an existing key and its slot.
func (m *machine) pick(t *rapid.T) (modelKey, *subtask, int32) {
	k := genKey.Draw(t, "key")
	if _, there := m.model[k]; !there {
		t.Skip()
	}
	s := m.of(k)
	return k, s, s.find([]modelKey{k}, false)[0]
}

func (m *machine) list(t *rapid.T) {
	k, s, slot := m.pick(t)
	r, l := m.model[k], s.t.List(0)
	r.List = slices.Clone(r.List)
	at := rapid.IntRange(-1, len(r.List)-1).Draw(t, "at")
	row := int32(-1)
	if at >= 0 {
		row = l.First(slot)
		for range at {
			row = l.Next(row)
		}
	}
	if at >= 0 && rapid.Bool().Draw(t, "remove") {
		l.Remove(row)
		r.List = slices.Delete(r.List, at, at+1)
	} else {
		v, b := rapid.Int64().Draw(t, "v"), genBytes.Draw(t, "b")
		row = l.InsertBefore(slot, row)
		l.I64Col(0).Set(row, v)
		l.BytesCol(1).Set(row, []byte(b))
		if at < 0 {
			at = len(r.List)
		}
		r.List = slices.Insert(r.List, at, fmt.Sprintf("%d:%s", v, b))
	}
	m.model[k] = r
}

func (m *machine) sorted(t *rapid.T) {
	k, s, slot := m.pick(t)
	r, x := m.model[k], s.t.Sorted(0)
	sorted := map[string]int64{}
	for key, v := range r.Sorted {
		sorted[key] = v
	}
	for range rapid.IntRange(1, 10).Draw(t, "n") {
		key := string(AppendSortI64(nil, rapid.Int64Range(-10, 10).Draw(t, "key"), false))
		_, there := sorted[key]
		if there && rapid.Bool().Draw(t, "remove") {
			x.Remove(x.Find(slot, []byte(key)))
			delete(sorted, key)
			continue
		}
		row, isNew := x.Insert(slot, []byte(key))
		if isNew == there {
			t.Fatalf("sorted key %x: new %v, in the model %v", key, isNew, there)
		}
		sorted[key] = rapid.Int64().Draw(t, "v")
		x.Touch([]int32{row})
		x.I64Col(0).Set(row, sorted[key])
	}
	r.Sorted = sorted
	m.model[k] = r
}

func (m *machine) timers(t *rapid.T) {
	k, s, slot := m.pick(t)
	r, e := m.model[k], s.t.Timers(0)
	timers := map[int64]bool{}
	for at := range r.Timers {
		timers[at] = true
	}
	at := rapid.Int64Range(0, 50).Draw(t, "time")
	if cancel := rapid.IntRange(0, 3).Draw(t, "cancel"); cancel < 2 {
		if cancel == 1 && len(timers) > 0 {
			at = slices.Min(slices.Collect(maps.Keys(timers))) // one that is there
		}
		if e.Cancel(slot, at) != timers[at] {
			t.Fatalf("cancel of %d", at)
		}
		delete(timers, at)
	} else {
		if e.SetOne(slot, at) == timers[at] {
			t.Fatalf("set of %d", at)
		}
		timers[at] = true
	}
	r.Timers = timers
	m.model[k] = r
}

// pop fires what is due and compares with the model.
func (m *machine) pop(t *rapid.T) {
	now := rapid.Int64Range(0, 30).Draw(t, "now")
	want, got := map[string]bool{}, map[string]bool{}
	for k, r := range m.model {
		timers := map[int64]bool{}
		for at := range r.Timers {
			if at <= now {
				want[fmt.Sprint(k, at)] = true
			} else {
				timers[at] = true
			}
		}
		r.Timers = timers
		m.model[k] = r
	}
	for _, s := range m.subs {
		last := int64(-1)
		var due [3]Due
		for n := s.t.Timers(0).PopDue(now, due[:]); n > 0; n = s.t.Timers(0).PopDue(now, due[:]) {
			for _, d := range due[:n] {
				k := modelKey{I: s.t.KeyI64(0).At(d.Slot), Null: s.t.KeyI64(0).IsNull(d.Slot), S: string(s.t.KeyBytes(1).At(d.Slot))}
				got[fmt.Sprint(k, d.Time)] = true
				if d.Time < last {
					t.Fatalf("timer %d after %d", d.Time, last)
				}
				last = d.Time
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func (m *machine) compare(t *rapid.T) { compareWith(t, m.subs, m.model) }

func compareWith(t *rapid.T, subs []*subtask, model map[modelKey]modelRow) {
	got := map[modelKey]modelRow{}
	for _, s := range subs {
		s.dump(got)
		if err := s.t.check(); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != len(model) {
		t.Fatalf("%d rows, %d in the model", len(got), len(model))
	}
	for k, want := range model {
		g := got[k]
		if len(want.Sorted) == 0 {
			want.Sorted = map[string]int64{}
		}
		if len(want.Timers) == 0 {
			want.Timers = map[int64]bool{}
		}
		if len(want.List) == 0 {
			want.List = nil
		}
		if diff := cmp.Diff(want, g); diff != "" {
			t.Fatalf("key %v: %s", k, diff)
		}
	}
}

// checkpoint freezes, goes on changing, writes, and then completes, aborts or fails. A completed one is restored at a random
// parallelism into other backends, which must equal the model at the freeze; sometimes they take over.
func (m *machine) checkpoint(t *rapid.T) {
	frozen := map[modelKey]modelRow{}
	for k, r := range m.model {
		frozen[k] = r
	}
	var snaps []*Snapshot
	for i, s := range m.subs {
		s.v.Set([]byte(fmt.Sprintf("subtask %d", i)))
		snap, err := s.b.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		snaps = append(snaps, snap)
	}
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		m.upsert(t)
		m.delete(t)
	}
	m.compare(t)
	fate := rapid.SampledFrom([]string{"complete", "complete", "take over", "abort", "fail", "abandon"}).Draw(t, "fate")
	if fate == "fail" {
		m.chunks.left = 1
	}
	var manifests [][]byte
	var refs, fresh [][]uint64
	for _, snap := range snaps {
		if fate == "abandon" {
			snap.Release()
		}
		w, err := snap.Write(m.chunks)
		snap.Release()
		if err == nil {
			manifests, refs, fresh = append(manifests, w.Manifest), append(refs, w.Refs), append(fresh, w.New)
		}
	}
	m.chunks.left = 0
	if fate != "complete" && fate != "take over" {
		for _, r := range fresh {
			m.chunks.drop(r)
		}
		return
	}
	for _, snap := range snaps {
		snap.Completed()
	}
	m.keepOnly(refs)
	p := rapid.IntRange(1, 4).Draw(t, "parallelism")
	var subs []*subtask
	for i := range p {
		s := openSubtask(t, RangeOf(i, p), manifests, m.chunks)
		if len(s.v.Restored()) != len(m.subs) {
			t.Fatalf("%d values restored of %d", len(s.v.Restored()), len(m.subs))
		}
		subs = append(subs, s)
	}
	compareWith(t, subs, frozen)
	if fate == "take over" {
		m.subs, m.model = subs, frozen
	}
}

// keepOnly forgets all chunks that the completed checkpoint does not name, as a store that keeps one checkpoint does.
func (m *machine) keepOnly(refs [][]uint64) {
	needed := map[uint64]bool{}
	for _, r := range slices.Concat(refs...) {
		needed[r] = true
	}
	for ref := range m.chunks.data {
		if !needed[ref] {
			delete(m.chunks.data, ref)
		}
	}
}

func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		t.Repeat(map[string]func(*rapid.T){
			"": m.compare, "upsert": m.upsert, "delete": m.delete, "list": m.list, "sorted": m.sorted,
			"timers": m.timers, "pop": m.pop, "checkpoint": m.checkpoint,
		})
	})
}
