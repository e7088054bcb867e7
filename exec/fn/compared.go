package fn

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/types"
)

// CommonCompared is the type that two arguments of a comparison are cast to.
// Strings are read as dates and times where they meet one, never as numbers
// or booleans: there Flink refuses, and so do we.
func CommonCompared(op string, a, b Arg) (types.Type, error) {
	t, ok := compared(a.Type, b.Type)
	if !ok {
		return t, fmt.Errorf("cannot compare %s with %s%s", a.Type.Text(), b.Type.Text(), compareHint(a.Type, b.Type))
	}
	t.Attr = types.NoTime
	return t.Nullable(!a.Type.NotNull || !b.Type.NotNull), nil
}

func compared(a, b types.Type) (types.Type, bool) {
	switch {
	case a.IsNumeric() && b.IsNumeric():
		return comparedNumber(a, b), true
	case a.IsString() && b.IsString():
		return types.String(), true
	case a.IsBinary() && b.IsBinary():
		return types.Bytes(), true
	case a.IsString() && b.IsTemporal():
		return b, true
	case a.IsTemporal() && b.IsString():
		return a, true
	}
	if a.Kind == types.Date && b.IsTimestamp() || a.IsTimestamp() && b.Kind == types.Date {
		return a, false
	}
	return commonOf(a, b)
}

func comparedNumber(a, b types.Type) types.Type {
	if a.IsApprox() || b.IsApprox() {
		if a.Kind == types.Float && b.Kind == types.Float {
			return a
		}
		return types.Of(types.Double)
	}
	return commonNumber(a, b)
}

func compareHint(a, b types.Type) string {
	switch {
	case a.IsString() && (b.IsNumeric() || b.Kind == types.Boolean):
		return fmt.Sprintf("; write CAST(… AS %s) around the string, or leave out the quotes", b.Text())
	case b.IsString() && (a.IsNumeric() || a.Kind == types.Boolean):
		return fmt.Sprintf("; write CAST(… AS %s) around the string, or leave out the quotes", a.Text())
	}
	if a.Kind == types.Date || b.Kind == types.Date {
		return "; write CAST(… AS DATE) around the timestamp"
	}
	return "; add a CAST"
}
