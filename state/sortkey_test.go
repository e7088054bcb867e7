package state

import (
	"bytes"
	"cmp"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Compound keys of all classes compare as bytes like their values do, in both directions.
func TestSortKeys(t *testing.T) {
	type value struct {
		I int64
		F float64
		W Int128
		B []byte
	}
	gen := rapid.Custom(func(t *rapid.T) value {
		return value{
			rapid.OneOf(rapid.Int64Range(-2, 2), rapid.Int64()).Draw(t, "I"),
			rapid.OneOf(rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN()}), rapid.Float64()).Draw(t, "F"),
			Int128{rapid.Int64Range(-1, 1).Draw(t, "Hi"), rapid.Uint64().Draw(t, "Lo")},
			rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 255}), 0, 3).Draw(t, "B"),
		}
	})
	float := func(a, b float64) int { // NaN above all
		return cmp.Or(cmp.Compare(btoi(a != a), btoi(b != b)), btoi(a > b)-btoi(a < b))
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		if rapid.Bool().Draw(t, "same") {
			b.B, b.W = a.B, a.W
		}
		desc := rapid.Bool().Draw(t, "desc")
		key := func(v value) []byte {
			k := AppendSortBytes(nil, v.B, desc)
			k = AppendSortI128(k, v.W, desc)
			k = AppendSortF64(k, v.F, desc)
			return AppendSortI64(k, v.I, desc)
		}
		want := cmp.Or(bytes.Compare(a.B, b.B), cmp.Compare(a.W.Hi, b.W.Hi), cmp.Compare(a.W.Lo, b.W.Lo), float(a.F, b.F), cmp.Compare(a.I, b.I))
		if desc {
			want = -want
		}
		if got := bytes.Compare(key(a), key(b)); got != want {
			t.Fatalf("%v and %v: %d, want %d", a, b, got, want)
		}
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestSortedWalk(t *testing.T) {
	_, tab := openTable(t, Layout{Name: "t", Keys: []Class{I64}, Sorted: []ListLayout{{"s", []Class{I64}}}})
	var p Probe
	i64Probe(&p, []int64{1, 2})
	tab.FindOrInsert(&p)
	m, slot := tab.Sorted(0), p.Slots[0]
	for _, v := range []int64{5, -3, 9, 0, 7} {
		row, _ := m.Insert(slot, AppendSortI64(nil, v, false))
		m.I64Col(0).Set(row, v)
	}
	var up, down []int64
	for r := m.First(slot); r >= 0; r = m.Next(r) {
		up = append(up, m.I64Col(0).At(r))
	}
	for r := m.Last(slot); r >= 0; r = m.Prev(r) {
		down = append(down, m.I64Col(0).At(r))
	}
	for i, want := range []int64{-3, 0, 5, 7, 9} {
		if up[i] != want || down[4-i] != want {
			t.Fatalf("up %v, down %v", up, down)
		}
	}
	if r := m.Seek(slot, AppendSortI64(nil, 6, false)); m.I64Col(0).At(r) != 7 {
		t.Error("the first from 6 on is not 7")
	}
	if m.Seek(slot, AppendSortI64(nil, 10, false)) != -1 || m.First(p.Slots[1]) != -1 || m.Last(p.Slots[1]) != -1 {
		t.Error("a row where there is none")
	}
}
