package format

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// jsonEncoder writes an object a row.
type jsonEncoder struct {
	opt     jsonOptions
	fields  []jsonOut
	columns []int
}

// jsonOut writes values of one type.
type jsonOut struct {
	name   []byte // a comma, the quoted key, a colon
	typ    types.Type
	kids   []jsonOut // ROW: fields; ARRAY: element; MAP: key, value
	append func(o *jsonOut, dst []byte, v *vec.Vector, i int) ([]byte, error)
	opt    *jsonOptions
	times  timeWriter
}

func newJSONEncoder(s *EncodeSpec) (*jsonEncoder, error) {
	e := &jsonEncoder{opt: jsonOptionsOf(s.Options, s.Prefix), columns: s.Columns}
	var err error
	e.fields, err = jsonOuts(s.Fields, &e.opt)
	return e, err
}

func jsonOuts(fields []types.Field, opt *jsonOptions) ([]jsonOut, error) {
	outs := make([]jsonOut, len(fields))
	for i, f := range fields {
		var err error
		if outs[i], err = jsonOutOf(f.Type, opt); err != nil {
			return nil, fmt.Errorf("column %s: %w", f.Name, err)
		}
		outs[i].name = append(appendJSONString([]byte{','}, []byte(f.Name)), ':')
	}
	return outs, nil
}

func jsonOutOf(t types.Type, opt *jsonOptions) (jsonOut, error) {
	o := jsonOut{typ: t, opt: opt}
	o.times = timeWriter{iso: opt.iso, zulu: t.Kind == types.TimestampLTZ, precision: t.Precision}
	var kids []types.Type
	switch t.Kind {
	case types.Boolean:
		o.append = appendBool
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		o.append = appendInt
	case types.Float, types.Double:
		o.append = appendFloat
	case types.Decimal:
		o.append = appendDecimal
	case types.Char, types.Varchar:
		o.append = appendString
	case types.Binary, types.Varbinary:
		o.append = appendBase64
	case types.Date:
		o.append = appendDate
	case types.TimeOfDay:
		o.append = appendClock
	case types.Timestamp, types.TimestampLTZ:
		o.append = appendTimestamp
	case types.Array:
		o.append, kids = appendArray, []types.Type{*t.Elem}
	case types.Map:
		o.append, kids = appendMap, []types.Type{*t.Key, *t.Elem}
	case types.Multiset:
		o.append, kids = appendMap, []types.Type{*t.Elem, types.Of(types.Int)}
	case types.Row:
		o.append = appendRow
		var err error
		o.kids, err = jsonOuts(t.Fields, opt)
		return o, err
	default:
		return o, errType(t)
	}
	for _, k := range kids {
		kid, err := jsonOutOf(k, opt)
		if err != nil {
			return o, err
		}
		o.kids = append(o.kids, kid)
	}
	if len(kids) == 2 && !kids[0].IsString() {
		return o, fmt.Errorf("a map in JSON has keys of type STRING, not %s", kids[0])
	}
	return o, nil
}

func (e *jsonEncoder) Encode(b *vec.Batch, rows []int32, m *Messages) error {
	for _, r := range rows {
		start := len(m.Data)
		dst := append(m.Data, '{')
		for k := range e.fields {
			var err error
			if dst, err = e.fields[k].member(dst, start, b.Cols[e.columns[k]], int(r)); err != nil {
				return err
			}
		}
		m.Data = append(dst, '}')
		m.Spans = append(m.Spans, vec.Span{Off: uint32(start), Len: uint32(len(m.Data) - start)})
		if len(m.Null) > 0 {
			m.Null = append(m.Null, false)
		}
	}
	return nil
}

// member appends name and value, with a comma if it is not the first of the
// object that begins at start.
func (o *jsonOut) member(dst []byte, start int, v *vec.Vector, i int) ([]byte, error) {
	null := v.IsNull(i)
	if null && o.opt.ignoreNulls {
		return dst, nil
	}
	name := o.name
	if len(dst) == start+1 {
		name = name[1:]
	}
	dst = append(dst, name...)
	if null {
		return append(dst, "null"...), nil
	}
	return o.append(o, dst, v, i)
}

// value appends a value or null.
func (o *jsonOut) value(dst []byte, v *vec.Vector, i int) ([]byte, error) {
	if v.IsNull(i) {
		return append(dst, "null"...), nil
	}
	return o.append(o, dst, v, i)
}

func appendBool(_ *jsonOut, dst []byte, v *vec.Vector, i int) ([]byte, error) {
	return strconv.AppendBool(dst, v.Bool[i]), nil
}

func appendInt(_ *jsonOut, dst []byte, v *vec.Vector, i int) ([]byte, error) {
	return appendDecimalInt(dst, v.I64[i]), nil
}

// appendDecimalInt is strconv.AppendInt for base 10; numbers below 1e8, as
// most are, are written in place, two digits at a time.
func appendDecimalInt(dst []byte, x int64) []byte {
	if x < 0 || x >= 1e8 || cap(dst)-len(dst) < 8 {
		return strconv.AppendInt(dst, x, 10)
	}
	n := 1
	for _, p := range [...]int64{10, 100, 1000, 1e4, 1e5, 1e6, 1e7} {
		if x < p {
			break
		}
		n++
	}
	end := len(dst) + n
	dst = dst[:end]
	y := uint32(x)
	for ; y >= 10; y /= 100 {
		d := y % 100
		dst[end-1], dst[end-2] = byte('0'+d%10), byte('0'+d/10)
		end -= 2
	}
	if end > len(dst)-n {
		dst[end-1] = byte('0' + y)
	}
	return dst
}

// appendFloat writes the shortest text that reads back, with a fraction or
// exponent; what JSON cannot carry as a number is written as a string, which
// the decoder reads.
func appendFloat(o *jsonOut, dst []byte, v *vec.Vector, i int) ([]byte, error) {
	f := v.F64[i]
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...), nil
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...), nil
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...), nil
	}
	bits := 64
	if o.typ.Kind == types.Float {
		bits = 32
	}
	if a := math.Abs(f); a != 0 && (a < 1e-3 || a >= 1e7) {
		return strconv.AppendFloat(dst, f, 'E', -1, bits), nil
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, bits)
	for _, c := range dst[start:] {
		if c == '.' {
			return dst, nil
		}
	}
	return append(dst, ".0"...), nil
}

func appendDecimal(o *jsonOut, dst []byte, v *vec.Vector, i int) ([]byte, error) {
	if v.Kind == vec.I64 {
		return vec.AppendDecimal64(dst, v.I64[i], o.typ.Scale), nil
	}
	return vec.AppendDecimal(dst, v.I128[i], o.typ.Scale), nil
}

func appendString(_ *jsonOut, dst []byte, v *vec.Vector, i int) ([]byte, error) {
	return appendJSONString(dst, v.BytesAt(i)), nil
}

const hexDigits = "0123456789ABCDEF"

// appendJSONString quotes s, which is UTF-8.
func appendJSONString(dst, s []byte) []byte {
	dst = append(dst, '"')
	for {
		end, _ := stringEnd(s, 0)
		dst = append(dst, s[:end]...)
		if end == len(s) {
			return append(dst, '"')
		}
		dst = appendEscaped(dst, s[end])
		s = s[end+1:]
	}
}

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	if c < 0x20 {
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
	return append(dst, c)
}

func appendBase64(_ *jsonOut, dst []byte, v *vec.Vector, i int) ([]byte, error) {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, v.BytesAt(i))
	return append(dst, '"'), nil
}

func appendDate(o *jsonOut, dst []byte, v *vec.Vector, i int) ([]byte, error) {
	dst = append(dst, '"')
	dst = o.times.appendDate(dst, v.I64[i])
	return append(dst, '"'), nil
}

func appendClock(o *jsonOut, dst []byte, v *vec.Vector, i int) ([]byte, error) {
	dst = append(dst, '"')
	dst = o.times.appendClock(dst, v.I64[i]*1000)
	return append(dst, '"'), nil
}

func appendTimestamp(o *jsonOut, dst []byte, v *vec.Vector, i int) ([]byte, error) {
	us, ns := int64(0), 0
	if v.Kind == vec.I64 {
		us = v.I64[i]
	} else {
		us, ns = v.I128[i].Hi, int(v.I128[i].Lo)
	}
	dst = append(dst, '"')
	dst = o.times.appendTimestamp(dst, us, ns)
	return append(dst, '"'), nil
}

func appendArray(o *jsonOut, dst []byte, v *vec.Vector, i int) (_ []byte, err error) {
	s := v.Spans[i]
	dst = append(dst, '[')
	for j := s.Off; j < s.Off+s.Len; j++ {
		if j > s.Off {
			dst = append(dst, ',')
		}
		if dst, err = o.kids[0].value(dst, v.Kids[0], int(j)); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func appendMap(o *jsonOut, dst []byte, v *vec.Vector, i int) (_ []byte, err error) {
	s := v.Spans[i]
	dst = append(dst, '{')
	first := true
	for j := int(s.Off); j < int(s.Off+s.Len); j++ {
		key, keep, err := o.mapKey(v.Kids[0], j)
		if err != nil {
			return nil, err
		}
		if !keep {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendJSONString(dst, key), ':')
		if dst, err = o.kids[1].value(dst, v.Kids[1], j); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// mapKey is the key of entry j; keep is false if the entry is to be dropped.
func (o *jsonOut) mapKey(keys *vec.Vector, j int) (key []byte, keep bool, err error) {
	if !keys.IsNull(j) {
		return keys.BytesAt(j), true, nil
	}
	switch o.opt.nullKey {
	case "drop":
		return nil, false, nil
	case "literal":
		return []byte(o.opt.nullLiteral), true, nil
	}
	return nil, false, fmt.Errorf("a map with a NULL key cannot be written as JSON; set 'json.map-null-key.mode' to 'DROP' or 'LITERAL'")
}

func appendRow(o *jsonOut, dst []byte, v *vec.Vector, i int) (_ []byte, err error) {
	start := len(dst)
	dst = append(dst, '{')
	for k := range o.kids {
		if dst, err = o.kids[k].member(dst, start, v.Kids[k], i); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}
