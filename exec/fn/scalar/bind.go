package scalar

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// The kinds of arguments that functions ask for.
type want func(types.Type) bool

func anyType(types.Type) bool         { return true }
func isBoolean(t types.Type) bool     { return t.Kind == types.Boolean }
func isNumeric(t types.Type) bool     { return t.IsNumeric() }
func isInteger(t types.Type) bool     { return t.IsInteger() }
func isString(t types.Type) bool      { return t.IsString() }
func isTemporal(t types.Type) bool    { return t.IsTemporal() }
func isTimestamp(t types.Type) bool   { return t.IsTimestamp() }
func isArray(t types.Type) bool       { return t.Kind == types.Array }
func isMap(t types.Type) bool         { return t.Kind == types.Map }
func stringOrBytes(t types.Type) bool { return t.IsString() || t.IsBinary() }

// param is one parameter: what it takes, how errors call it, and the type it
// is cast to if that is not its own.
type param struct {
	name  string
	takes want
	cast  types.Type
}

var (
	boolArg    = param{"a BOOLEAN", isBoolean, types.Of(types.Boolean)}
	stringArg  = param{"a string", isString, types.String()}
	intArg     = param{"an integer", isInteger, types.Of(types.Int)}
	bigArg     = param{"an integer", isInteger, types.Of(types.BigInt)}
	numberArg  = param{"a number", isNumeric, types.Of(types.Double)}
	temporal   = param{"a date or time", isTemporal, types.TimestampOf(3)}
	anyArg     = param{"a value", anyType, types.Of(types.Int)}
	arrayArg   = param{"an ARRAY", isArray, types.Type{}}
	mapArg     = param{"a MAP", isMap, types.Type{}}
	timestamps = param{"a TIMESTAMP", isTimestamp, types.TimestampOf(3)}
	textual    = param{"a string or binary string", stringOrBytes, types.String()}
)

// bind checks the arguments against the parameters, of which the last opt may
// be left out, and returns the types they are cast to. Integers stay what
// they are (all are stored alike), numbers become DOUBLE, strings keep their
// length; an untyped NULL takes the parameter's type.
func bind(syntax string, args []fn.Arg, opt int, params ...param) ([]types.Type, error) {
	if len(args) > len(params) || len(args) < len(params)-opt {
		return nil, fmt.Errorf("%s takes %s, not %d", nameOf(syntax), argumentCount(len(params)-opt, len(params)), len(args))
	}
	ts := make([]types.Type, len(args))
	for i, a := range args {
		t, err := params[i].check(syntax, i, a)
		if err != nil {
			return nil, err
		}
		ts[i] = t
	}
	return ts, nil
}

func (p param) check(syntax string, i int, a fn.Arg) (types.Type, error) {
	switch {
	case a.Type.Kind == types.Null:
		return p.cast, nil
	case !p.takes(a.Type):
		return a.Type, fmt.Errorf("argument %d of %s must be %s, not %s%s", i+1, syntax, p.name, a.Type.Text(), p.hint(a.Type))
	case p.cast.Kind == types.Double:
		return p.cast, nil
	}
	return a.Type, nil
}

// hint names the cast that makes an argument fit.
func (p param) hint(t types.Type) string {
	if p.cast.IsString() && t.Kind < types.Array {
		return "; write CAST(… AS STRING)"
	}
	return ""
}

// bindAll checks any number of arguments, at least n, against one parameter.
func bindAll(syntax string, args []fn.Arg, n int, p param) ([]types.Type, error) {
	if len(args) < n {
		return nil, fmt.Errorf("%s takes at least %d arguments, not %d", nameOf(syntax), n, len(args))
	}
	ts := make([]types.Type, len(args))
	for i, a := range args {
		t, err := p.check(syntax, i, a)
		if err != nil {
			return nil, err
		}
		ts[i] = t
	}
	return ts, nil
}

func nameOf(syntax string) string {
	name, _, _ := strings.Cut(syntax, "(")
	return name
}

func argumentCount(least, most int) string {
	switch {
	case most == 0:
		return "no arguments"
	case least == most && most == 1:
		return "1 argument"
	case least == most:
		return fmt.Sprintf("%d arguments", most)
	}
	return fmt.Sprintf("%d to %d arguments", least, most)
}

// strict is t, not null if no argument can be null.
func strict(t types.Type, args []fn.Arg) types.Type {
	for _, a := range args {
		if !a.Type.NotNull {
			return t.Nullable(true)
		}
	}
	return t.Nullable(false)
}

// word is the value of a symbolic argument, such as a unit, in upper case.
func word(syntax string, a fn.Arg) (string, error) {
	if a.Literal == nil || a.Literal.Null || !a.Type.IsString() {
		return "", fmt.Errorf("%s needs a word where it has %s", syntax, a.Type.Text())
	}
	return strings.ToUpper(a.Literal.S), nil
}
