package scalar

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	elem := func(ts []types.Type) types.Type { return *ts[0].Elem }
	keep := func(ts []types.Type) types.Type { return ts[0] }
	sortable := param{"an ARRAY of values with an order", func(t types.Type) bool { return t.Kind == types.Array && t.Elem.Kind < types.Array }, types.Type{}}
	simple{name: "ARRAY_SORT", syntax: "ARRAY_SORT(array [, ascending [, nulls first]])", doc: "An array in order; nulls come first in ascending order unless said otherwise.",
		params: []param{sortable, boolArg, boolArg}, opt: 2, resultOf: keep, kernel: arrayRows(arraySort)}.register()
	simple{name: "ARRAY_SLICE", syntax: "ARRAY_SLICE(array, start [, end])", doc: "Elements from a position to another; negative ones count from the end.",
		params: []param{arrayArg, bigArg, bigArg}, opt: 1, resultOf: keep, kernel: arrayRows(arraySlice)}.register()
	simple{name: "ARRAY_MAX", syntax: "ARRAY_MAX(array)", doc: "The greatest element that is not NULL.", params: []param{sortable}, resultOf: elem, nullable: true,
		kernel: extremeKernel(1)}.register()
	simple{name: "ARRAY_MIN", syntax: "ARRAY_MIN(array)", doc: "The least element that is not NULL.", params: []param{sortable}, resultOf: elem, nullable: true,
		kernel: extremeKernel(-1)}.register()
	simple{name: "ARRAY_JOIN", syntax: "ARRAY_JOIN(array, separator [, null text])", doc: "The elements of an array of strings in one string; nulls are left out unless a text stands for them.",
		params: []param{{"an ARRAY of strings", func(t types.Type) bool { return t.Kind == types.Array && t.Elem.IsString() }, types.Type{}}, stringArg, stringArg},
		opt:    1, result: types.String(), kernel: textRows(arrayJoin)}.register()
}

func arraySort(b builder, r row) bool {
	descending := len(r.args) > 1 && !r.bool(1)
	nullsFirst := !descending
	if len(r.args) > 2 {
		nullsFirst = r.bool(2)
	}
	l := r.list(0)
	order := make([]int, l.n)
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int { return arrayOrder(l.v, l.off+i, l.off+j, descending, nullsFirst) })
	for _, j := range order {
		b.add(l, j)
	}
	return true
}

func arraySlice(b builder, r row) bool {
	l := r.list(0)
	n := int64(l.n)
	place := func(p int64) int64 {
		switch {
		case p < 0:
			return max(p+n+1, 1)
		case p == 0:
			return 1
		}
		return p
	}
	end := min(place(r.intOr(2, n)), n)
	if len(r.args) > 2 && r.int(2) < -n {
		end = 0
	}
	for j := place(r.int(1)); j <= end; j++ {
		b.add(l, int(j-1))
	}
	return true
}

func arrayJoin(dst []byte, r row) ([]byte, bool) {
	l, first := r.list(0), true
	for j := range l.n {
		null := l.v.IsNull(l.off + j)
		if null && len(r.args) < 3 {
			continue
		}
		if !first {
			dst = append(dst, r.bytes(1)...)
		}
		first = false
		if null {
			dst = append(dst, r.bytes(2)...)
			continue
		}
		dst = append(dst, l.v.BytesAt(l.off+j)...)
	}
	return dst, true
}
