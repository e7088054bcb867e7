package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func isCollection(t types.Type) bool {
	return t.Kind == types.Array || t.Kind == types.Map || t.Kind == types.Multiset
}

func init() {
	simple{name: "CARDINALITY", syntax: "CARDINALITY(collection)", doc: "Number of elements of an array, or entries of a map.",
		params: []param{{"an ARRAY, MAP or MULTISET", isCollection, types.ArrayOf(types.Of(types.Int))}}, result: types.Of(types.Int),
		kernel: intRows(func(r row) (int64, bool) { return int64(r.args[0].Spans[r.i].Len), true })}.register()
	simple{name: "ELEMENT", syntax: "ELEMENT(array)", doc: "The only element of an array; NULL if it is empty, an error if there are more.",
		params: []param{arrayArg}, resultOf: func(ts []types.Type) types.Type { return *ts[0].Elem }, nullable: true,
		kernel: func() fn.Kernel { return onlyElement }}.register()
}

func onlyElement(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	for _, i := range rows {
		switch s := args[0].Spans[i]; s.Len {
		case 0:
			out.SetNull(int(i))
		case 1:
			setFrom(out, i, args[0].Kids[0], int(s.Off))
		default:
			return fmt.Errorf("ELEMENT of an array of %d elements", s.Len)
		}
	}
	return nil
}
