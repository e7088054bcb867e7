package expr

import "github.com/sqlstream/sqlstream/exec/types"

// Castable tells whether CAST(from AS to) exists.
func Castable(from, to types.Type) bool {
	switch {
	case from.Kind == types.Null:
		return true
	case to.IsString():
		return true
	case from.IsString():
		return fromString(to)
	case to.Kind == types.Boolean:
		return from.Kind == types.Boolean || from.IsNumeric()
	case to.IsNumeric():
		return from.IsNumeric() || from.Kind == types.Boolean
	case to.IsBinary():
		return from.IsBinary()
	case to.Kind == types.Date:
		return from.Kind == types.Date || from.IsTimestamp()
	case to.Kind == types.TimeOfDay:
		return from.Kind == types.TimeOfDay || from.IsTimestamp()
	case to.IsTimestamp():
		return from.IsTemporal()
	case to.IsInterval():
		return from.Kind == to.Kind
	}
	return nestedCastable(from, to)
}

func fromString(to types.Type) bool {
	switch {
	case to.Kind == types.Boolean, to.IsNumeric(), to.IsBinary(), to.IsTemporal():
		return true
	}
	return false
}

func nestedCastable(from, to types.Type) bool {
	if from.Kind != to.Kind {
		return false
	}
	switch to.Kind {
	case types.Array, types.Multiset:
		return Castable(*from.Elem, *to.Elem)
	case types.Map:
		return Castable(*from.Key, *to.Key) && Castable(*from.Elem, *to.Elem)
	case types.Row:
		if len(from.Fields) != len(to.Fields) {
			return false
		}
		for i := range to.Fields {
			if !Castable(from.Fields[i].Type, to.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	return false
}

// castHint says what to do instead.
func castHint(from, to types.Type) string {
	switch {
	case from.IsNumeric() && to.IsTimestamp():
		return "; use TO_TIMESTAMP_LTZ(number, 0) for seconds or TO_TIMESTAMP_LTZ(number, 3) for milliseconds"
	case from.IsNumeric() && to.Kind == types.Date:
		return "; use TO_DATE(FROM_UNIXTIME(seconds))"
	case from.IsTimestamp() && to.IsNumeric():
		return "; use UNIX_TIMESTAMP(CAST(x AS STRING)) for seconds"
	case from.IsInterval() && to.IsNumeric():
		return "; use TIMESTAMPDIFF(SECOND, from, to) for the difference of two times"
	}
	return ""
}

// ImplicitlyCastable tells whether INSERT may put a value of type from into a
// column of type to without a CAST: numbers widen, CHAR becomes VARCHAR,
// precisions of times and lengths of VARCHAR may change.
func ImplicitlyCastable(from, to types.Type) bool {
	switch {
	case from.Kind == types.Null, from.Equal(to):
		return true
	case from.IsString():
		return to.Kind == types.Varchar || to.Kind == types.Char && from.Kind == types.Char
	case from.IsBinary():
		return to.Kind == types.Varbinary || to.Kind == types.Binary && from.Kind == types.Binary
	case from.IsTimestamp():
		return to.IsTimestamp()
	case from.Kind == types.Date:
		return to.Kind == types.Date
	case from.IsNumeric():
		return numberFits(from, to)
	case from.IsInterval(), from.Kind == types.TimeOfDay:
		return from.Kind == to.Kind
	}
	return nestedFits(from, to)
}

func numberFits(from, to types.Type) bool {
	switch {
	case from.IsInteger() && to.IsInteger():
		return from.Kind <= to.Kind
	case to.Kind == types.Decimal:
		return true
	case from.IsExact():
		return to.IsApprox()
	case from.Kind == types.Float:
		return to.IsApprox()
	default:
		return to.Kind == types.Double
	}
}

func nestedFits(from, to types.Type) bool {
	if from.Kind != to.Kind {
		return false
	}
	switch to.Kind {
	case types.Array, types.Multiset:
		return ImplicitlyCastable(*from.Elem, *to.Elem)
	case types.Map:
		return ImplicitlyCastable(*from.Key, *to.Key) && ImplicitlyCastable(*from.Elem, *to.Elem)
	case types.Row:
		if len(from.Fields) != len(to.Fields) {
			return false
		}
		for i := range to.Fields {
			if !ImplicitlyCastable(from.Fields[i].Type, to.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	return from.Kind == to.Kind
}
