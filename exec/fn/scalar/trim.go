package scalar

import (
	"bytes"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	fn.Register(&fn.Scalar{Name: "TRIM", Syntax: "TRIM([BOTH | LEADING | TRAILING] [characters FROM] string)",
		Doc: "Without the given characters (blanks) at its ends.", Bind: bindTrim})
	for _, t := range []struct {
		name, doc  string
		head, tail bool
	}{
		{"LTRIM", "Without the given characters (blanks) at the start.", true, false},
		{"RTRIM", "Without the given characters (blanks) at the end.", false, true},
		{"BTRIM", "Without the given characters (blanks) at both ends.", true, true},
	} {
		simple{name: t.name, syntax: t.name + "(string [, characters])", doc: t.doc,
			params: []param{stringArg, stringArg}, opt: 1, resultOf: varying,
			kernel: pieceRows(0, func(r row) ([]byte, bool) {
				chars := " "
				if len(r.args) == 2 {
					chars = r.text(1)
				}
				return trim(r.bytes(0), chars, t.head, t.tail), true
			})}.register()
	}
}

func trim(s []byte, chars string, head, tail bool) []byte {
	if head {
		s = bytes.TrimLeft(s, chars)
	}
	if tail {
		s = bytes.TrimRight(s, chars)
	}
	return s
}

// bindTrim takes (string) or (mode, characters, string).
func bindTrim(args []fn.Arg) (*fn.Bound, error) {
	const syntax = "TRIM([mode characters FROM] string)"
	if len(args) == 1 {
		ts, err := bind(syntax, args, 0, stringArg)
		if err != nil {
			return nil, err
		}
		return &fn.Bound{Params: ts, Result: strict(varying(ts), args), New: pieceRows(0, func(r row) ([]byte, bool) {
			return trim(r.bytes(0), " ", true, true), true
		})}, nil
	}
	ts, err := bind(syntax, args, 0, stringArg, stringArg, stringArg)
	if err != nil {
		return nil, err
	}
	mode, err := word(syntax, args[0])
	if err != nil {
		return nil, err
	}
	if mode != "BOTH" && mode != "LEADING" && mode != "TRAILING" {
		return nil, fmt.Errorf("TRIM knows BOTH, LEADING and TRAILING, not %s", mode)
	}
	return &fn.Bound{Params: ts, Result: strict(varying([]types.Type{ts[2]}), args), New: pieceRows(2, func(r row) ([]byte, bool) {
		return trim(r.bytes(2), r.text(1), mode != "TRAILING", mode != "LEADING"), true
	})}, nil
}
