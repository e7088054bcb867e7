package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	simple{name: "REGEXP_REPLACE", syntax: "REGEXP_REPLACE(string, pattern, replacement)",
		doc:    "With all matches replaced; the replacement is literal text. NULL for an invalid pattern.",
		params: []param{stringArg, stringArg, stringArg}, result: types.String(), nullable: true,
		kernel: func() fn.Kernel {
			var ps patterns
			return textRows(func(dst []byte, r row) ([]byte, bool) {
				re := ps.of(r.bytes(1))
				if re == nil {
					return dst, false
				}
				return append(dst, re.ReplaceAllLiteral(r.bytes(0), r.bytes(2))...), true
			})()
		}}.register()
}
