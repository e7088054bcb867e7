package agg

import (
	"errors"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

func init() {
	fn.RegisterAggregate(&fn.Aggregate{
		Name: "SINGLE_VALUE", Syntax: "SINGLE_VALUE(value)",
		Doc: "The value of the only row; a second row fails the job. The planner puts it over a subquery that is used as a value.",
		Bind: func(args []fn.Arg) (*fn.BoundAgg, error) {
			t, err := oneArg("SINGLE_VALUE", args)
			if err != nil {
				return nil, err
			}
			return &fn.BoundAgg{
				Params: []types.Type{t}, Result: t.Nullable(true).WithAttr(types.NoTime),
				State: []state.Class{store.Class(t), state.I64}, SeesNulls: true,
				New: func(bool) fn.Accumulator { return &singleValue{typ: t} },
			}, nil
		},
	})
}

var errSecondRow = errors.New("a subquery that is used as a value returned more than one row")

// singleValue keeps the value and the number of rows, 0 or 1.
type singleValue struct {
	typ   types.Type
	value *store.Column
	rows  state.Col[int64]
}

func (a *singleValue) Open(t *state.Table, at fn.Place) {
	a.value, a.rows = store.NewColumn(t, at.Col, a.typ), t.I64Col(at.Col+1)
}

func (a *singleValue) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	for i, r := range rows {
		n := a.rows.Ptr(slots[i])
		if *n += sign(ops, r); *n > 1 {
			return errSecondRow
		}
		if *n == 1 {
			a.value.Put(slots[i], args[0], int(r))
		}
	}
	return nil
}

func (a *singleValue) Merge(to, from []int32) error {
	v := vec.New(a.typ)
	for i := range to {
		n := a.rows.At(from[i])
		if n == 0 {
			continue
		}
		if *a.rows.Ptr(to[i]) += n; a.rows.At(to[i]) > 1 {
			return errSecondRow
		}
		v.Reset()
		a.value.Append(v, from[i])
		a.value.Put(to[i], v, 0)
	}
	return nil
}

func (a *singleValue) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		if a.rows.At(s) != 1 {
			out.AppendNull()
			continue
		}
		a.value.Append(out, s)
	}
	return nil
}
