package scalar

import (
	"github.com/google/uuid"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	simple{name: "UUID", syntax: "UUID()", doc: "A random UUID.", result: types.CharOf(36), volatility: fn.PerRow,
		kernel: textRows(func(dst []byte, _ row) ([]byte, bool) { return append(dst, uuid.NewString()...), true })}.register()
}
