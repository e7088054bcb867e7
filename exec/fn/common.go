package fn

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Common is the type that values of all the given types become where one is
// needed: CASE, COALESCE, UNION, VALUES, IN, ARRAY. It is nullable if one of
// them is. The order counts: FLOAT and DOUBLE make the first of the two.
func Common(ts ...types.Type) (types.Type, error) {
	if len(ts) == 0 {
		return types.Type{}, fmt.Errorf("no types to find a common one for")
	}
	r := ts[0]
	for _, t := range ts[1:] {
		c, ok := common(r, t)
		if !ok {
			return types.Type{}, fmt.Errorf("no common type for %s and %s; add a CAST", r.Text(), t.Text())
		}
		r = c
	}
	r.Attr = types.NoTime
	return r, nil
}

func common(a, b types.Type) (types.Type, bool) {
	notNull := a.NotNull && b.NotNull
	c, ok := commonOf(a, b)
	return c.Nullable(!notNull), ok
}

func commonOf(a, b types.Type) (types.Type, bool) {
	switch {
	case a.Kind == types.Null:
		return b, true
	case b.Kind == types.Null, a.Equal(b):
		return a, true
	case a.IsNumeric() && b.IsNumeric():
		return commonNumber(a, b), true
	case a.IsString() && b.IsString():
		return commonLength(a, b, types.Char, types.Varchar), true
	case a.IsBinary() && b.IsBinary():
		return commonLength(a, b, types.Binary, types.Varbinary), true
	case a.IsTimestamp() && b.IsTimestamp():
		return commonTimestamp(a, b), true
	case a.Kind == types.Date && b.IsTimestamp():
		return b, true
	case a.IsTimestamp() && b.Kind == types.Date:
		return a, true
	case a.Kind != b.Kind:
		return a, false
	case a.Kind == types.TimeOfDay:
		a.Precision = max(a.Precision, b.Precision)
		return a, true
	case a.IsInterval():
		return a, true
	}
	return commonNested(a, b)
}

// commonNumber widens integers and decimals exactly; beyond 38 digits it is the
// fraction that gives way. Of FLOAT and DOUBLE the
// first one wins, as in Flink; DECIMAL with either is DOUBLE.
func commonNumber(a, b types.Type) types.Type {
	switch {
	case a.IsApprox() && b.IsApprox():
		return a
	case a.IsApprox() || b.IsApprox():
		if a.Kind == types.Decimal || b.Kind == types.Decimal {
			return types.Of(types.Double)
		}
		if a.IsApprox() {
			return a
		}
		return b
	case a.IsInteger() && b.IsInteger():
		return types.Of(max(a.Kind, b.Kind))
	}
	a, b = AsDecimal(a), AsDecimal(b)
	whole := max(a.Precision-a.Scale, b.Precision-b.Scale)
	s := min(max(a.Scale, b.Scale), 38-whole)
	return types.DecimalOf(whole+s, s)
}

var integerDigits = map[types.Kind]int{types.TinyInt: 3, types.SmallInt: 5, types.Int: 10, types.BigInt: 19}

// AsDecimal is the decimal type that an exact number counts as.
func AsDecimal(t types.Type) types.Type {
	if t.IsInteger() {
		return types.DecimalOf(integerDigits[t.Kind], 0).Nullable(!t.NotNull)
	}
	return t
}

// commonLength: two fixed lengths that differ make a varying one.
func commonLength(a, b types.Type, fixed, varying types.Kind) types.Type {
	k := varying
	if a.Kind == fixed && b.Kind == fixed && a.Precision == b.Precision {
		k = fixed
	}
	return types.Type{Kind: k, Precision: max(a.Precision, b.Precision)}
}

func commonTimestamp(a, b types.Type) types.Type {
	return types.Type{Kind: max(a.Kind, b.Kind), Precision: max(a.Precision, b.Precision)}
}

func commonNested(a, b types.Type) (types.Type, bool) {
	var ok bool
	switch a.Kind {
	case types.Array, types.Multiset:
		elem, ok := common(*a.Elem, *b.Elem)
		a.Elem = &elem
		return a, ok
	case types.Map:
		key, okKey := common(*a.Key, *b.Key)
		elem, okElem := common(*a.Elem, *b.Elem)
		a.Key, a.Elem = &key, &elem
		return a, okKey && okElem
	case types.Row:
		if len(a.Fields) != len(b.Fields) {
			return a, false
		}
		fields := make([]types.Field, len(a.Fields))
		for i, f := range a.Fields {
			if f.Type, ok = common(f.Type, b.Fields[i].Type); !ok {
				return a, false
			}
			fields[i] = f
		}
		a.Fields = fields
		return a, true
	}
	return a, false
}
