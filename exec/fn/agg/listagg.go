package agg

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

func init() {
	fn.RegisterAggregate(&fn.Aggregate{
		Name: "LISTAGG", Syntax: "LISTAGG([DISTINCT] string [, separator])",
		Doc:  "The strings in the order they came, without NULLs, with a separator (',') between them; NULL over no values.",
		Bind: bindListagg,
	})
}

func bindListagg(args []fn.Arg) (*fn.BoundAgg, error) {
	if len(args) < 1 || len(args) > 2 {
		return nil, fmt.Errorf("LISTAGG takes a string and a separator")
	}
	t, separator := args[0].Type, ","
	if !t.IsString() {
		return nil, wrong("LISTAGG", t, "a string")
	}
	if len(args) == 2 {
		if args[1].Literal == nil || args[1].Literal.Null || args[1].Literal.Kind != vec.Bytes {
			return nil, fmt.Errorf("the separator of LISTAGG must be a string constant")
		}
		separator = args[1].Literal.S
	}
	b := &fn.BoundAgg{
		Result: types.String().Nullable(!t.NotNull), Lists: []state.ListLayout{listOf("strings", t)},
		New: func(bool) fn.Accumulator { return &listagg{list: rowList{ts: []types.Type{t}}, separator: separator} },
	}
	for _, a := range args {
		b.Params = append(b.Params, a.Type)
	}
	return b, nil
}

type listagg struct {
	list      rowList
	strings   state.BytesCol
	separator string
	text      []byte
}

func (a *listagg) Open(t *state.Table, at fn.Place) {
	a.list.open(t.List(at.List))
	a.strings = a.list.rows.BytesCol(0)
}

func (a *listagg) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	a.list.add(args, rows, slots, ops)
	return nil
}

func (a *listagg) Merge(to, from []int32) error {
	a.list.merge(to, from)
	return nil
}

func (a *listagg) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		at := a.list.rows.First(s)
		if at < 0 {
			out.AppendNull()
			continue
		}
		a.text = append(a.text[:0], a.strings.At(at)...)
		for at = a.list.rows.Next(at); at >= 0; at = a.list.rows.Next(at) {
			a.text = append(a.text, a.separator...)
			a.text = append(a.text, a.strings.At(at)...)
		}
		out.AppendBytes(a.text)
		out.KeepNulls()
	}
	return nil
}
