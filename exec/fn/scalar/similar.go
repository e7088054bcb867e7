package scalar

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "SIMILAR TO", Syntax: "a SIMILAR TO pattern [ESCAPE character]", Doc: "Whether a whole string matches an SQL regular expression: % and _ as in LIKE, and | * + ? { } ( ) [ ].", Bind: bindSimilar})
}

func bindSimilar(args []fn.Arg) (*fn.Bound, error) {
	ts, err := bind("a SIMILAR TO pattern [ESCAPE character]", args, 1, stringArg, stringArg, stringArg)
	return &fn.Bound{Params: ts, Result: strict(boolean, args), New: similarKernel}, err
}

func similarKernel() fn.Kernel {
	var last string
	var re *regexp.Regexp
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, i := range rows {
			r, escape := row{args, int(i)}, ""
			if len(args) == 3 {
				escape = r.text(2)
			}
			if re == nil || last != string(r.bytes(1))+"\x00"+escape {
				last = r.text(1) + "\x00" + escape
				var err error
				if re, err = compileSimilar(r.text(1), escape); err != nil {
					return fmt.Errorf("SIMILAR TO pattern '%s' is invalid", r.bytes(1))
				}
			}
			out.Bool[i] = re.Match(r.bytes(0))
		}
		return nil
	}
}

// compileSimilar translates to a regular expression; inside brackets nothing
// but the escape is special.
func compileSimilar(pattern, escape string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString(`(?s)\A(?:`)
	inClass, escaped := false, false
	for _, c := range pattern {
		switch {
		case escaped:
			b.WriteString(regexp.QuoteMeta(string(c)))
			escaped = false
		case string(c) == escape:
			escaped = true
		case inClass:
			inClass = c != ']'
			if c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteRune(c)
		case c == '%':
			b.WriteString(".*")
		case c == '_':
			b.WriteByte('.')
		case strings.ContainsRune("|*+?{}()[", c):
			inClass = c == '['
			b.WriteRune(c)
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	b.WriteString(`)\z`)
	return regexp.Compile(b.String())
}
