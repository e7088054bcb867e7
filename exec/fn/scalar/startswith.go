package scalar

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode"

	"github.com/sqlstream/sqlstream/exec/fn"
)

func init() {
	for name, test := range map[string]func(s, part []byte) bool{"STARTSWITH": bytes.HasPrefix, "ENDSWITH": bytes.HasSuffix} {
		simple{name: name, syntax: name + "(string, part)", doc: "Whether a string " + map[string]string{"STARTSWITH": "begins", "ENDSWITH": "ends"}[name] + " with a part.",
			params: []param{textual, textual}, result: boolean,
			kernel: boolRows(func(r row) (bool, bool) { return test(r.bytes(0), r.bytes(1)), true })}.register()
	}
	for name, of := range map[string]func(rune) bool{"IS_ALPHA": unicode.IsLetter, "IS_DIGIT": unicode.IsDigit} {
		fn.Register(&fn.Scalar{Name: name, Syntax: name + "(string)", Doc: "Whether a string is not empty and has only " + map[string]string{"IS_ALPHA": "letters.", "IS_DIGIT": "digits."}[name],
			Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindAllOf(name+"(string)", args, allOf(of)) }})
	}
	fn.Register(&fn.Scalar{Name: "IS_DECIMAL", Syntax: "IS_DECIMAL(string)", Doc: "Whether a string can be read as a number.",
		Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindAllOf("IS_DECIMAL(string)", args, isNumber) }})
}

func allOf(of func(rune) bool) func([]byte) bool {
	return func(s []byte) bool {
		return len(s) > 0 && bytes.IndexFunc(s, func(c rune) bool { return !of(c) }) < 0
	}
}

// isNumber tells what Java reads as a double: also with blanks around it, with
// d or f behind it, NaN, Infinity, and hexadecimal with an exponent.
func isNumber(s []byte) bool {
	t := strings.TrimFunc(string(s), func(c rune) bool { return c <= ' ' })
	if t != "" && (t[0] == '+' || t[0] == '-') {
		t = t[1:]
	}
	if t == "" || t == "NaN" || t == "Infinity" {
		return t != ""
	}
	if strings.IndexByte("dDfF", t[len(t)-1]) >= 0 {
		t = t[:len(t)-1]
	}
	if t == "" || t[0] != '.' && t[0]-'0' > 9 || strings.IndexByte(t, '_') >= 0 {
		return false
	}
	_, err := strconv.ParseFloat(t, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// bindAllOf: NULL is false.
func bindAllOf(syntax string, args []fn.Arg, test func([]byte) bool) (*fn.Bound, error) {
	ts, err := bind(syntax, args, 0, stringArg)
	return &fn.Bound{Params: ts, Result: boolean.Nullable(false), NullAware: true,
		New: boolRows(func(r row) (bool, bool) { return !r.null(0) && test(r.bytes(0)), true })}, err
}
