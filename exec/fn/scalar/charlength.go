package scalar

import "github.com/sqlstream/sqlstream/exec/types"

func init() {
	simple{name: "CHAR_LENGTH", aliases: []string{"CHARACTER_LENGTH"}, syntax: "CHAR_LENGTH(string)",
		doc: "Number of characters.", params: []param{stringArg}, result: types.Of(types.Int),
		kernel: intRows(func(r row) (int64, bool) { return int64(length(r.bytes(0))), true })}.register()
}
