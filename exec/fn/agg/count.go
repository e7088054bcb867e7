package agg

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

func init() {
	fn.RegisterAggregate(&fn.Aggregate{
		Name: "COUNT", Syntax: "COUNT(*) | COUNT([DISTINCT] value [, value …])",
		Doc: "The number of rows, or of rows in which no value is NULL.",
		Bind: func(args []fn.Arg) (*fn.BoundAgg, error) {
			b := &fn.BoundAgg{
				Result: types.Of(types.BigInt).Nullable(false), State: []state.Class{state.I64}, SeesNulls: true,
				New: func(bool) fn.Accumulator { return &count{} },
			}
			for _, a := range args {
				b.Params = append(b.Params, a.Type)
			}
			return b, nil
		},
	})
}

// count counts rows without nulls.
type count struct{ n state.Col[int64] }

func (c *count) Open(t *state.Table, at fn.Place) { c.n = t.I64Col(at.Col) }

func (c *count) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	if ops == nil && !anyNulls(args) {
		for _, s := range slots {
			*c.n.Ptr(s)++
		}
		return nil
	}
	for i, r := range rows {
		if !nullIn(args, int(r)) {
			*c.n.Ptr(slots[i]) += sign(ops, r)
		}
	}
	return nil
}

func anyNulls(args []*vec.Vector) bool {
	for _, a := range args {
		if a.Nulls != nil {
			return true
		}
	}
	return false
}

func nullIn(args []*vec.Vector, row int) bool {
	for _, a := range args {
		if a.IsNull(row) {
			return true
		}
	}
	return false
}

// sign is −1 for a row that retracts, else 1.
func sign(ops []vec.Op, row int32) int64 {
	if ops != nil && ops[row].Retracts() {
		return -1
	}
	return 1
}

func (c *count) Merge(to, from []int32) error {
	for i := range to {
		*c.n.Ptr(to[i]) += c.n.At(from[i])
	}
	return nil
}

func (c *count) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		out.I64 = append(out.I64, c.n.At(s))
	}
	return nil
}
