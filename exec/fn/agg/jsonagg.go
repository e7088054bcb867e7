package agg

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/scalar"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

func init() {
	fn.RegisterAggregate(&fn.Aggregate{
		Name: "JSON_ARRAYAGG", Syntax: "JSON_ARRAYAGG(value [NULL | ABSENT ON NULL])",
		Doc:  "The values in the order they came, as the text of a JSON array; NULLs are left out unless NULL ON NULL.",
		Bind: func(args []fn.Arg) (*fn.BoundAgg, error) { return bindJSONAgg("JSON_ARRAYAGG", args, 1) },
	})
	fn.RegisterAggregate(&fn.Aggregate{
		Name: "JSON_OBJECTAGG", Syntax: "JSON_OBJECTAGG([KEY] key VALUE value [NULL | ABSENT ON NULL])",
		Doc:  "The pairs as the text of a JSON object, with the last value of each key; NULL values are kept unless ABSENT ON NULL.",
		Bind: func(args []fn.Arg) (*fn.BoundAgg, error) { return bindJSONAgg("JSON_OBJECTAGG", args, 2) },
	})
}

// bindJSONAgg binds n values, followed by the treatment of nulls.
func bindJSONAgg(name string, args []fn.Arg, n int) (*fn.BoundAgg, error) {
	if len(args) != n+1 {
		return nil, fmt.Errorf("%s takes %d, not %d arguments", name, n, len(args)-1)
	}
	if n == 2 && !args[0].Type.IsString() {
		return nil, wrong(name, args[0].Type, "a string as key")
	}
	word := args[n].Literal
	if word == nil || word.S != "NULL" && word.S != "ABSENT" {
		return nil, fmt.Errorf("%s takes NULL ON NULL or ABSENT ON NULL", name)
	}
	text := types.Of(types.Varchar).Nullable(false)
	text.Precision = 2000
	b := &fn.BoundAgg{Result: text, SeesNulls: true}
	var ts []types.Type
	for _, a := range args[:n] {
		ts = append(ts, a.Type.WithAttr(types.NoTime))
	}
	b.Params = append(append(b.Params, ts...), args[n].Type)
	b.Lists = []state.ListLayout{listOf("values", ts...)}
	b.New = func(bool) fn.Accumulator {
		a := jsonAgg{list: rowList{ts: ts}, absent: word.S == "ABSENT", value: vec.New(ts[n-1])}
		if n == 1 {
			return &jsonArrayAgg{a}
		}
		return &jsonObjectAgg{jsonAgg: a, last: map[string]int32{}}
	}
	return b, nil
}

// jsonAgg keeps values, and writes them.
type jsonAgg struct {
	list   rowList
	absent bool
	value  *vec.Vector
	text   []byte
}

func (a *jsonAgg) Open(t *state.Table, at fn.Place) { a.list.open(t.List(at.List)) }

func (a *jsonAgg) Merge(to, from []int32) error {
	a.list.merge(to, from)
	return nil
}

// write appends the value of a list row.
func (a *jsonAgg) write(at int32) {
	c := len(a.list.cols) - 1
	a.value.Reset()
	a.list.cols[c].Append(a.value, at)
	a.text = scalar.AppendJSON(a.text, a.value, 0, a.list.ts[c])
}

// shown tells whether the value of a list row is not left out.
func (a *jsonAgg) shown(at int32) bool {
	return !a.absent || !a.list.cols[len(a.list.cols)-1].IsNull(at)
}

type jsonArrayAgg struct{ jsonAgg }

func (a *jsonArrayAgg) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	a.list.add(args, rows, slots, ops)
	return nil
}

func (a *jsonArrayAgg) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		a.text = append(a.text[:0], '[')
		for at := a.list.rows.First(s); at >= 0; at = a.list.rows.Next(at) {
			if !a.shown(at) {
				continue
			}
			if len(a.text) > 1 {
				a.text = append(a.text, ',')
			}
			a.write(at)
		}
		out.AppendBytes(append(a.text, ']'))
		out.KeepNulls()
	}
	return nil
}

// jsonObjectAgg has the last value of each key, in the order of the keys.
type jsonObjectAgg struct {
	jsonAgg
	keys  state.BytesCol
	last  map[string]int32 // scratch: the last list row of each key
	order []string         // scratch: the keys in order
}

var errNullKey = errors.New("a key of the JSON object is NULL; filter such rows out")

func (a *jsonObjectAgg) Open(t *state.Table, at fn.Place) {
	a.jsonAgg.Open(t, at)
	a.keys = a.list.rows.BytesCol(0)
}

func (a *jsonObjectAgg) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	for _, r := range rows {
		if args[0].IsNull(int(r)) {
			return errNullKey
		}
	}
	a.list.add(args, rows, slots, ops)
	return nil
}

func (a *jsonObjectAgg) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		clear(a.last)
		for at := a.list.rows.First(s); at >= 0; at = a.list.rows.Next(at) {
			a.last[string(a.keys.At(at))] = at
		}
		a.text = append(a.text[:0], '{')
		a.order = a.order[:0]
		for k := range a.last {
			a.order = append(a.order, k)
		}
		slices.Sort(a.order)
		for _, k := range a.order {
			a.member(k, a.last[k])
		}
		out.AppendBytes(append(a.text, '}'))
		out.KeepNulls()
	}
	return nil
}

// member writes a key with its last value.
func (a *jsonObjectAgg) member(key string, last int32) {
	if !a.shown(last) {
		return
	}
	if len(a.text) > 1 {
		a.text = append(a.text, ',')
	}
	a.text = append(scalar.AppendJSONString(a.text, []byte(key)), ':')
	a.write(last)
}
