package scalar

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	simple{name: "SUBSTRING", aliases: []string{"SUBSTR"}, syntax: "SUBSTRING(string, start [, length])",
		doc:    "Part of a string from a position, counted from 1; a negative one counts from the end, 0 is as 1. A negative length gives NULL.",
		params: []param{stringArg, bigArg, bigArg}, opt: 1, resultOf: varying, nullable: true,
		kernel: pieceRows(0, func(r row) ([]byte, bool) {
			n := r.intOr(2, math.MaxInt32)
			return substring(r.bytes(0), r.int(1), n), n >= 0
		})}.register()
	simple{name: "LEFT", syntax: "LEFT(string, n)", doc: "The first n characters.",
		params: []param{stringArg, bigArg}, resultOf: varying,
		kernel: pieceRows(0, func(r row) ([]byte, bool) { return cut(r.bytes(0), 0, clamp(r.int(1))), true })}.register()
	simple{name: "RIGHT", syntax: "RIGHT(string, n)", doc: "The last n characters.",
		params: []param{stringArg, bigArg}, resultOf: varying,
		kernel: pieceRows(0, func(r row) ([]byte, bool) {
			s := r.bytes(0)
			return s[offset(s, length(s)-clamp(r.int(1))):], true
		})}.register()
}

// varying is VARCHAR of the first argument's length.
func varying(ts []types.Type) types.Type {
	t := ts[0]
	if t.Kind == types.Char {
		t.Kind = types.Varchar
	}
	return t
}

// clamp makes a number of characters an int that is not negative.
func clamp(n int64) int { return int(max(0, min(n, math.MaxInt32))) }

func substring(s []byte, start, n int64) []byte {
	switch {
	case n <= 0:
		return nil
	case start > 0:
		start--
	case start < 0:
		if start += int64(length(s)); start < 0 {
			return nil
		}
	}
	return cut(s, clamp(start), clamp(start)+clamp(n))
}
