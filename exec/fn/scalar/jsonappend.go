package scalar

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// AppendJSON appends row i of v, of type t, as JSON text: what JSON_ARRAY and
// JSON_ARRAYAGG write of a value.
func AppendJSON(dst []byte, v *vec.Vector, i int, t types.Type) []byte {
	return appendJSON(dst, v, i, t)
}

// AppendJSONString appends a JSON string.
func AppendJSONString(dst, s []byte) []byte { return quoteJSON(dst, s) }
