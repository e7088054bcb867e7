package state

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func openTable(tb testing.TB, l Layout) (*Backend, *Table) {
	tb.Helper()
	b, err := Open(Options{Operator: "op", Range: AllGroups})
	if err != nil {
		tb.Fatal(err)
	}
	t, err := b.Table(l)
	if err != nil {
		tb.Fatal(err)
	}
	return b, t
}

func strs(v ...string) KeyCol {
	k := KeyCol{Class: Bytes}
	for _, s := range v {
		k.Spans = append(k.Spans, Span{uint32(len(k.Data)), uint32(len(s))})
		k.Data = append(k.Data, s...)
	}
	return k
}

// Every class of key, all rows with one hash, so that only the comparison of keys tells them apart. Row i equals row want[i].
func TestKeyEquality(t *testing.T) {
	nan2 := math.Float64frombits(math.Float64bits(math.NaN()) ^ 1)
	for _, c := range []struct {
		name string
		key  KeyCol
		want []int
	}{
		{"bool", KeyCol{Class: Bool, Bool: []bool{true, false, true, false, true}, Null: []uint64{1 << 4}}, []int{0, 1, 0, 1, 4}},
		{"i64", KeyCol{Class: I64, I64: []int64{7, 0, 7, 0, 5}, Null: []uint64{1<<3 | 1<<4}}, []int{0, 1, 0, 3, 3}},
		{"f64", KeyCol{Class: F64, F64: []float64{0, math.Copysign(0, -1), math.NaN(), nan2, 1}}, []int{0, 0, 2, 2, 4}},
		{"i128", KeyCol{Class: I128, I128: []Int128{{1, 2}, {2, 1}, {1, 2}, {1, 3}, {0, 0}}}, []int{0, 1, 0, 3, 4}},
		{"bytes", strs("a", "", "a", "ab", "\x00"), []int{0, 1, 0, 3, 4}},
		{"null bytes", KeyCol{Class: Bytes, Spans: strs("a", "", "a", "ab", "x").Spans, Data: []byte("aaabx"), Null: []uint64{1<<2 | 1<<4}}, []int{0, 1, 2, 3, 2}},
	} {
		for _, firstAlone := range []bool{true, false} {
			_, tab := openTable(t, Layout{Name: "t", Keys: []Class{c.key.Class}})
			p := Probe{Hashes: make([]uint64, 5), Keys: []KeyCol{c.key}, N: 5}
			if firstAlone { // later rows meet stored keys, not those of their own batch
				for i := range int32(5) {
					p.Rows = []int32{i}
					tab.FindOrInsert(&p)
				}
				p.Rows = nil
			}
			tab.FindOrInsert(&p)
			for i, w := range c.want {
				if p.Slots[i] != p.Slots[w] || !firstAlone && p.New[i] != (i == w) {
					t.Errorf("%s: slots %v, new %v; want row %d to be row %d", c.name, p.Slots, p.New, i, w)
				}
			}
			distinct := slices.Compact(slices.Sorted(slices.Values(c.want)))
			if tab.Rows() != len(distinct) {
				t.Errorf("%s: %d rows, want %d", c.name, tab.Rows(), len(distinct))
			}
		}
	}
}

// Hashes that collide in all or some bits: inserts and deletes still find the right rows.
func TestCollidingHashes(t *testing.T) {
	for _, distinct := range []uint64{1, 3, 50} {
		_, tab := openTable(t, Layout{Name: "t", Keys: []Class{I64}})
		model := map[int64]bool{}
		for range 300 {
			keys := some(7, 60)
			p := Probe{Keys: []KeyCol{{Class: I64, I64: keys}}, N: len(keys)}
			for _, k := range keys {
				p.Hashes = append(p.Hashes, uint64(k)%distinct<<33)
			}
			tab.Find(&p)
			for i, k := range keys {
				if (p.Slots[i] >= 0) != model[k] {
					t.Fatalf("key %d: slot %d, in the model %v", k, p.Slots[i], model[k])
				}
			}
			if rand.IntN(2) == 0 {
				tab.Delete(p.Slots)
			} else {
				tab.FindOrInsert(&p)
			}
			for i, k := range keys {
				if tab.Live(p.Slots[i]) {
					model[k] = true
				} else {
					delete(model, k)
				}
			}
			if err := tab.check(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestRowsSelectsPhysicalRows(t *testing.T) {
	_, tab := openTable(t, Layout{Name: "t", Keys: []Class{I64}, Values: []Class{I64}})
	p := Probe{Keys: []KeyCol{{Class: I64, I64: []int64{10, 11, 12, 13}}}, Hashes: []uint64{10, 11, 12, 13}, Rows: []int32{3, 1}}
	tab.FindOrInsert(&p)
	if tab.Rows() != 2 || tab.KeyI64(0).At(p.Slots[0]) != 13 || tab.KeyI64(0).At(p.Slots[1]) != 11 {
		t.Fatalf("%d rows, slots %v", tab.Rows(), p.Slots)
	}
}

// A reused slot does not show what the deleted row had.
func TestNewRowsAreZero(t *testing.T) {
	l := Layout{Name: "t", Keys: []Class{I64}, Values: []Class{I64, Bytes, F64, I128, Bool},
		Lists: []ListLayout{{"l", []Class{I64}}}, Sorted: []ListLayout{{"s", nil}}, Timers: []string{"e"}}
	_, tab := openTable(t, l)
	var p Probe
	for round := range 3 {
		i64Probe(&p, []int64{1, 2, 3})
		tab.FindOrInsert(&p)
		for _, s := range p.Slots {
			if tab.I64Col(0).At(s) != 0 || tab.BytesCol(1).Len(s) != 0 || tab.F64Col(2).At(s) != 0 || tab.I128Col(3).At(s) != (Int128{}) ||
				tab.BoolCol(4).At(s) || tab.I64Col(0).IsNull(s) || tab.List(0).Len(s) != 0 || tab.Sorted(0).Len(s) != 0 || tab.Timers(0).Len(s) != 0 {
				t.Fatalf("round %d: slot %d is not zero", round, s)
			}
			tab.I64Col(0).Set(s, 5)
			tab.I64Col(0).SetNull(s, true)
			tab.BytesCol(1).Set(s, []byte("five"))
			tab.F64Col(2).Set(s, 5)
			tab.I128Col(3).Set(s, Int128{5, 5})
			tab.BoolCol(4).Set(s, true)
			tab.List(0).InsertBefore(s, -1)
			tab.Sorted(0).Insert(s, []byte("k"))
			tab.Timers(0).SetOne(s, 5)
		}
		i64Probe(&p, []int64{1, 2, 3}[round:]) // all, and some
		tab.Find(&p)
		tab.Delete(p.Slots)
		i64Probe(&p, []int64{1, 2, 3}[:round])
		tab.Find(&p)
		tab.Delete(p.Slots)
	}
	if tab.Rows() != 0 || tab.List(0).Rows() != 0 || tab.Sorted(0).Rows() != 0 || tab.Timers(0).Count() != 0 {
		t.Fatal("something is left")
	}
}

// Overwritten and deleted Bytes are reused or compacted away.
func TestBytesGarbage(t *testing.T) {
	b, tab := openTable(t, Layout{Name: "t", Keys: []Class{I64}, Values: []Class{Bytes, Bytes}})
	var p Probe
	keys := make([]int64, 2000)
	want := map[int64]int{}
	for round := range 60 {
		for i := range keys {
			keys[i] = rand.Int64N(4000)
		}
		i64Probe(&p, keys)
		tab.FindOrInsert(&p)
		tab.Touch(p.Slots)
		for i, s := range p.Slots {
			n := rand.IntN(900)
			want[keys[i]] = n
			v := make([]byte, n)
			for j := range v {
				v[j] = byte(keys[i])
			}
			tab.BytesCol(0).Set(s, v)
			tab.BytesCol(1).Set(s, v[:n/2])
		}
		if round%5 == 0 {
			s, err := b.Freeze()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Release()
		}
		if err := tab.check(); err != nil {
			t.Fatal(err)
		}
	}
	i64Probe(&p, []int64{1})
	tab.Find(&p)
	tab.Touch(p.Slots) // compacts
	if a := tab.arena; a.used > 2*a.alive || a.size > 4*a.alive {
		t.Errorf("arena: %d bytes for %d that live", a.size, a.alive)
	}
	for _, s := range tab.LiveIn(AllGroups, nil) {
		k := tab.KeyI64(0).At(s)
		v, half := tab.BytesCol(0).At(s), tab.BytesCol(1).At(s)
		if len(v) != want[k] || len(half) != want[k]/2 {
			t.Fatalf("key %d: %d and %d bytes, want %d", k, len(v), len(half), want[k])
		}
		for _, c := range slices.Concat(v, half) {
			if c != byte(k) {
				t.Fatalf("key %d holds bytes of another", k)
			}
		}
	}
}

func TestTTL(t *testing.T) {
	l := Layout{Name: "t", Keys: []Class{I64}, Values: []Class{I64, Bytes}, Lists: []ListLayout{{"l", nil}}, TTL: true}
	b, tab := openTable(t, l)
	var p Probe
	access := func(now int64, keys ...int64) {
		i64Probe(&p, keys)
		tab.FindOrInsert(&p)
		tab.Renew(p.Slots, p.New, now, 100)
		tab.Stamp(p.Slots, now)
	}
	access(0, 1, 2)
	s1, s2 := p.Slots[0], p.Slots[1]
	tab.I64Col(0).Set(s1, 7)
	tab.BytesCol(1).Set(s1, []byte("seven"))
	tab.List(0).InsertBefore(s1, -1)
	if access(99, 1); p.New[0] || tab.I64Col(0).At(s1) != 7 {
		t.Fatal("a row expired too early")
	}
	snap, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	i64Probe(&p, []int64{1, 2})
	tab.Find(&p)
	if tab.HideExpired(p.Slots, 100, 100); p.Slots[0] != s1 || p.Slots[1] != -1 {
		t.Fatalf("slots %v at 100", p.Slots)
	}
	if access(199, 1, 1); p.Slots[0] != s1 || !p.New[0] || p.New[1] {
		t.Fatalf("slots %v, new %v at 199", p.Slots, p.New)
	}
	if tab.I64Col(0).At(s1) != 0 || tab.BytesCol(1).Len(s1) != 0 || tab.List(0).Len(s1) != 0 {
		t.Fatal("an expired value is seen")
	}
	if err := tab.check(); err != nil {
		t.Fatal(err)
	}
	if n := tab.Expire(199, 100, 1000); n != 1 || tab.Live(s2) || !tab.Live(s1) {
		t.Fatalf("%d rows expired", n)
	}
	for k := range int64(5000) {
		access(200, k+10)
	}
	calls, deleted := 0, 0
	for ; tab.Rows() > 0; calls++ {
		deleted += tab.Expire(300, 100, 100)
	}
	if deleted != 5001 || calls < 50 || calls > 52 {
		t.Fatalf("%d rows expired in %d calls", deleted, calls)
	}
}

func TestScan(t *testing.T) {
	_, tab := openTable(t, Layout{Name: "t", Keys: []Class{I64}})
	var p Probe
	i64Probe(&p, some(5000, 100_000))
	tab.FindOrInsert(&p)
	tab.Delete(p.Slots[:2000])
	var all []int32
	for from := int32(0); from >= 0; {
		var batch [100]int32
		var n int
		n, from = tab.Scan(from, batch[:])
		all = append(all, batch[:n]...)
	}
	if want := tab.LiveIn(AllGroups, nil); len(all) != tab.Rows() || !slices.Equal(all, want) {
		t.Fatalf("%d rows scanned of %d", len(all), tab.Rows())
	}
	if n := len(tab.LiveIn(RangeOf(0, 2), nil)) + len(tab.LiveIn(RangeOf(1, 2), nil)); n != tab.Rows() {
		t.Fatalf("%d rows in both halves of %d", n, tab.Rows())
	}
}

// Batches of known keys allocate nothing.
func TestNoAllocations(t *testing.T) {
	_, tab := filled(t, 10_000)
	var p Probe
	i64Probe(&p, some(4096, 10_000))
	tab.FindOrInsert(&p)
	if n := testing.AllocsPerRun(20, func() {
		tab.FindOrInsert(&p)
		tab.Touch(p.Slots)
		tab.Find(&p)
	}); n != 0 {
		t.Errorf("%v allocations a batch", n)
	}
}

// The accounting of memory follows what is there.
func TestBytes(t *testing.T) {
	b, tab := filled(t, 100_000)
	if perRow := b.Bytes() / 100_000; perRow < 40 || perRow > 100 || b.Rows() != 100_000 || tab.Bytes() != b.Bytes() {
		t.Errorf("%d bytes a row, %d rows", perRow, b.Rows())
	}
}

func TestListAppend(t *testing.T) {
	_, tab := openTable(t, Layout{Name: "t", Keys: []Class{I64}, Lists: []ListLayout{{"l", []Class{I64, F64, Bool, I128}}}})
	var p Probe
	i64Probe(&p, []int64{1, 2})
	tab.FindOrInsert(&p)
	a, b := p.Slots[0], p.Slots[1]
	l := tab.List(0)
	rows := make([]int32, 4)
	l.Append([]int32{a, b, -1, a}, rows)
	if rows[2] != -1 || l.Len(a) != 2 || l.Len(b) != 1 || l.First(a) != rows[0] || l.Next(rows[0]) != rows[3] || l.Prev(rows[3]) != rows[0] || l.Next(rows[3]) != -1 {
		t.Fatalf("rows %v", rows)
	}
	if l.Owner(rows[1]) != b || l.Last(b) != rows[1] {
		t.Fatal("the row of b")
	}
	if l.Remove(rows[0]); l.First(a) != rows[3] || l.Len(a) != 1 || l.Prev(rows[3]) != -1 {
		t.Fatal("after the removal")
	}
}
