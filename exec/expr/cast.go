package expr

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// sameStorage tells that a cast changes no stored value.
func sameStorage(x *Cast) bool { return isNoop(x.X.Type(), x.T) }

func isNoop(from, to types.Type) bool {
	if from.Equal(to) {
		return true
	}
	if vec.KindOf(from) != vec.KindOf(to) {
		return false
	}
	switch {
	case from.IsInteger() && to.IsInteger():
		return from.Kind <= to.Kind
	case from.IsApprox() && to.IsApprox():
		return from.Kind <= to.Kind
	case to.Kind == types.Decimal && from.IsExact():
		from = fn.AsDecimal(from)
		return from.Scale == to.Scale && from.Precision <= to.Precision
	case to.Kind == types.Varchar && from.IsString(), to.Kind == types.Varbinary && from.IsBinary():
		return from.Precision <= to.Precision
	case from.IsString() && to.IsBinary(), from.IsBinary() && to.IsString():
		return to.Precision == types.MaxLength
	case from.Kind != to.Kind:
		return false
	case from.IsTemporal():
		return from.Precision <= to.Precision
	case from.IsInterval():
		return true
	}
	return noopNested(from, to)
}

func noopNested(from, to types.Type) bool {
	switch to.Kind {
	case types.Array, types.Multiset:
		return isNoop(*from.Elem, *to.Elem)
	case types.Map:
		return isNoop(*from.Key, *to.Key) && isNoop(*from.Elem, *to.Elem)
	case types.Row:
		for i := range to.Fields {
			if !isNoop(from.Fields[i].Type, to.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	return false
}

// conversion is a cast of one pair of types.
type conversion struct {
	from, to types.Type
	try      bool
}

// castKernel makes the kernel of a cast; nil if there is none. A total one
// may see rows that are null.
func castKernel(from, to types.Type, try bool) (k fn.Kernel, total bool) {
	c := conversion{from, to, try}
	switch {
	case to.IsString():
		return c.toString(), false
	case from.IsString():
		return c.fromString(), false
	case to.IsBinary():
		return c.toBinary(), false
	case to.Kind == types.Boolean:
		return c.toBoolean(), true
	case to.IsInteger():
		return c.toInteger(), true
	case to.IsApprox():
		return c.toFloat(), true
	case to.Kind == types.Decimal:
		return c.toDecimal(), false
	case to.IsTemporal():
		return c.toTemporal(), false
	}
	return c.toNested(), false
}
