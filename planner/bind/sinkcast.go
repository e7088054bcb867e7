package bind

import "github.com/sqlstream/sqlstream/exec/types"

// sinkTakes tells whether INSERT puts a value of type from into a column of
// type to without a CAST. The rules are Flink's, as it answered pair by pair;
// they are not those of expressions: a DOUBLE goes into a DECIMAL and a
// TIMESTAMP into a DATE, but no DATE into a TIMESTAMP and no STRING into a CHAR.
func sinkTakes(from, to types.Type) bool {
	switch {
	case from.Kind == types.Null, from.Equal(to):
		return true
	case to.Kind == types.Varchar:
		return from.IsString()
	case to.Kind == types.Varbinary:
		return from.IsBinary()
	case to.IsTimestamp():
		return from.IsTimestamp()
	case to.Kind == types.Date, to.Kind == types.TimeOfDay:
		return from.Kind == to.Kind || from.Kind == types.Timestamp
	case to.Kind == types.Decimal, to.Kind == types.Double:
		return from.IsNumeric()
	case to.Kind == types.Float:
		return from.IsNumeric() && from.Kind != types.Double
	case to.IsInteger():
		return from.IsInteger() && from.Kind <= to.Kind
	case from.Kind != to.Kind:
		return false
	}
	return nestedSinkTakes(from, to)
}

func nestedSinkTakes(from, to types.Type) bool {
	switch to.Kind {
	case types.Array, types.Multiset:
		return sinkTakes(*from.Elem, *to.Elem)
	case types.Map:
		return sinkTakes(*from.Key, *to.Key) && sinkTakes(*from.Elem, *to.Elem)
	case types.Row:
		if len(from.Fields) != len(to.Fields) {
			return false
		}
		for i, f := range from.Fields {
			if !sinkTakes(f.Type, to.Fields[i].Type) {
				return false
			}
		}
	}
	return true
}
