package render

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/session"
)

// jsonl writes an object a row, with "op" first where rows may be changes.
type jsonl struct {
	columns   []types.Field
	changelog bool
	line      []byte
}

func (j *jsonl) header(_ *bufio.Writer, columns []types.Field, changelog bool) {
	j.columns, j.changelog = columns, changelog
}

func (j *jsonl) rows(w *bufio.Writer, b *vec.Batch) {
	for _, r := range b.Rows() {
		j.line = append(j.line[:0], '{')
		if j.changelog {
			j.line = append(append(j.line, `"op":"`...), b.Op(int(r)).String()...)
			j.line = append(j.line, '"')
		}
		for i, c := range j.columns {
			if len(j.line) > 1 {
				j.line = append(j.line, ',')
			}
			j.line = append(appendString(j.line, c.Name), ':')
			j.line = AppendJSON(j.line, c.Type, b.Cols[i], int(r))
		}
		w.Write(append(j.line, "}\n"...))
	}
}

func (j *jsonl) footer(*bufio.Writer, session.Summary, bool) {}

// AppendRow appends the row as a JSON array of AppendJSON's values.
func AppendRow(dst []byte, columns []types.Field, b *vec.Batch, r int) []byte {
	dst = append(dst, '[')
	for i, c := range columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendJSON(dst, c.Type, b.Cols[i], r)
	}
	return append(dst, ']')
}

// AppendJSON appends a value as conformance/README.md, §2, writes it:
// numbers as numbers but for DECIMAL, which keeps its digits as a string;
// NaN and infinities as strings; binary as hexadecimal; TIMESTAMP_LTZ in UTC
// with Z; ARRAY and ROW as arrays, MAP and MULTISET as objects.
func AppendJSON(dst []byte, t types.Type, v *vec.Vector, i int) []byte {
	if v.IsNull(i) {
		return append(dst, "null"...)
	}
	switch t.Kind {
	case types.Boolean:
		return strconv.AppendBool(dst, v.Bool[i])
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.IntervalYearMonth, types.IntervalDaySecond:
		return strconv.AppendInt(dst, v.I64[i], 10)
	case types.Float, types.Double:
		return appendFloat(dst, v.F64[i], t.Kind)
	case types.Binary, types.Varbinary:
		return append(append(append(dst, '"'), strings.ToUpper(hex.EncodeToString(v.BytesAt(i)))...), '"')
	case types.TimestampLTZ:
		dst = append(dst, '"')
		dst = vec.AppendText(dst, v, i, types.TimestampOf(t.Precision))
		return append(dst, `Z"`...)
	case types.Array, types.Row:
		return appendArray(dst, t, v, i)
	case types.Map, types.Multiset:
		return appendObject(dst, t, v, i)
	}
	return appendString(dst, string(vec.AppendText(nil, v, i, t)))
}

func appendFloat(dst []byte, f float64, k types.Kind) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	bits := 64
	if k == types.Float {
		bits = 32
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, bits)
}

func appendArray(dst []byte, t types.Type, v *vec.Vector, i int) []byte {
	dst = append(dst, '[')
	if t.Kind == types.Row {
		for k, f := range t.Fields {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, f.Type, v.Kids[k], i)
		}
		return append(dst, ']')
	}
	s := v.Spans[i]
	for j := s.Off; j < s.Off+s.Len; j++ {
		if j > s.Off {
			dst = append(dst, ',')
		}
		dst = AppendJSON(dst, *t.Elem, v.Kids[0], int(j))
	}
	return append(dst, ']')
}

func appendObject(dst []byte, t types.Type, v *vec.Vector, i int) []byte {
	key, value := t.Key, t.Elem
	if t.Kind == types.Multiset {
		count := types.Of(types.Int)
		key, value = t.Elem, &count
	}
	dst = append(dst, '{')
	s := v.Spans[i]
	for j := int(s.Off); j < int(s.Off+s.Len); j++ {
		if j > int(s.Off) {
			dst = append(dst, ',')
		}
		name := string(AppendJSON(nil, *key, v.Kids[0], j))
		if name[0] == '"' {
			_ = json.Unmarshal([]byte(name), &name)
		}
		dst = append(appendString(dst, name), ':')
		dst = AppendJSON(dst, *value, v.Kids[1], j)
	}
	return append(dst, '}')
}

// appendString quotes by JSON's rules and leaves other characters alone.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c < 0x20:
			dst = append(dst, `\u00`...)
			dst = append(dst, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
