package format

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	Register(&Format{
		Name: "raw",
		Doc:  "The whole message is the value of the table's only column: text, bytes, or a number in binary.",
		Options: []connectors.Option{
			{Key: "raw.charset", Kind: connectors.Enum, Default: "UTF-8", Values: []string{"UTF-8"}, Doc: "the charset of text"},
			{Key: "raw.endianness", Kind: connectors.Enum, Default: "big-endian", Values: []string{"big-endian", "little-endian"}, Doc: "the byte order of numbers"},
		},
		Decoder: func(s *DecodeSpec) (Decoder, error) { return newRawDecoder(s) },
		Encoder: func(s *EncodeSpec) (Encoder, error) { return newRawEncoder(s) },
	})
}

// rawCodec reads and writes one type; width is 0 for text and bytes.
type rawCodec struct {
	kind  types.Kind
	width int
	order byteOrder
}

// byteOrder is what encoding/binary's orders have in common.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

var rawWidths = map[types.Kind]int{
	types.Char: 0, types.Varchar: 0, types.Binary: 0, types.Varbinary: 0, types.Boolean: 1, types.TinyInt: 1,
	types.SmallInt: 2, types.Int: 4, types.BigInt: 8, types.Float: 4, types.Double: 8,
}

func newRawCodec(fields []types.Field, o *connectors.Options, prefix string) (*rawCodec, error) {
	if len(fields) != 1 {
		return nil, fmt.Errorf("format 'raw' needs exactly one column, the table has %d", len(fields))
	}
	width, ok := rawWidths[fields[0].Type.Kind]
	if !ok {
		return nil, fmt.Errorf("column %s: format 'raw' cannot hold type %s", fields[0].Name, fields[0].Type.Text())
	}
	c := &rawCodec{kind: fields[0].Type.Kind, width: width, order: binary.BigEndian}
	if o != nil && o.Enum(prefix+"raw.endianness") == "little-endian" {
		c.order = binary.LittleEndian
	}
	return c, nil
}

type rawDecoder struct {
	*rawCodec
	spec   *DecodeSpec
	filter *expr.Filter
	env    fn.Env
}

func newRawDecoder(s *DecodeSpec) (*rawDecoder, error) {
	c, err := newRawCodec(s.Schema, s.Options, s.Prefix)
	if err != nil {
		return nil, err
	}
	d := &rawDecoder{rawCodec: c, spec: s, env: fn.Env{Zone: s.Zone}}
	if s.Filter != nil {
		d.filter, err = expr.CompileFilter(s.Filter)
	}
	return d, err
}

func (d *rawDecoder) Decode(m *Messages, b *vec.Batch) ([]int32, error) {
	b.Ops, b.Hash, b.Sel, b.N = nil, nil, nil, len(m.Spans)
	for _, c := range b.Cols {
		c.Resize(b.N)
		shareData(c, m.Data)
		if err := d.column(m, c); err != nil {
			return nil, err
		}
	}
	if d.filter == nil {
		return nil, nil
	}
	sel, err := d.filter.Select(&d.env, b)
	b.Sel = sel
	return nil, err
}

func (d *rawDecoder) column(m *Messages, c *vec.Vector) error {
	for i, s := range m.Spans {
		if m.Null != nil && m.Null[i] {
			c.SetNull(i)
			continue
		}
		if d.width == 0 {
			c.Spans[i] = s
			continue
		}
		if int(s.Len) != d.width {
			if err := d.wrongWidth(c, i, int(s.Len)); err != nil {
				return err
			}
			continue
		}
		d.number(c, i, m.At(i))
	}
	return nil
}

func (d *rawDecoder) wrongWidth(c *vec.Vector, i, width int) error {
	err := fmt.Errorf("message of %d bytes cannot be read as %s of %d bytes", width, d.kind, d.width)
	if d.spec.OnError == Fail {
		return &Error{Message: i, Err: err}
	}
	if d.spec.Bad != nil {
		d.spec.Bad(i, err)
	}
	c.SetNull(i)
	return nil
}

func (d *rawCodec) number(c *vec.Vector, i int, b []byte) {
	switch d.kind {
	case types.Boolean:
		c.Bool[i] = b[0] != 0
	case types.TinyInt:
		c.I64[i] = int64(int8(b[0]))
	case types.SmallInt:
		c.I64[i] = int64(int16(d.order.Uint16(b)))
	case types.Int:
		c.I64[i] = int64(int32(d.order.Uint32(b)))
	case types.BigInt:
		c.I64[i] = int64(d.order.Uint64(b))
	case types.Float:
		c.F64[i] = float64(math.Float32frombits(d.order.Uint32(b)))
	case types.Double:
		c.F64[i] = math.Float64frombits(d.order.Uint64(b))
	}
}

type rawEncoder struct {
	*rawCodec
	column int
}

func newRawEncoder(s *EncodeSpec) (*rawEncoder, error) {
	c, err := newRawCodec(s.Fields, s.Options, s.Prefix)
	if err != nil {
		return nil, err
	}
	return &rawEncoder{c, s.Columns[0]}, nil
}

func (e *rawEncoder) Encode(b *vec.Batch, rows []int32, m *Messages) error {
	c := b.Cols[e.column]
	for _, r := range rows {
		i, off := int(r), len(m.Data)
		null := c.IsNull(i)
		if !null {
			m.Data = e.append(m.Data, c, i)
		}
		m.Spans = append(m.Spans, vec.Span{Off: uint32(off), Len: uint32(len(m.Data) - off)})
		if null || len(m.Null) > 0 {
			for len(m.Null) < len(m.Spans)-1 {
				m.Null = append(m.Null, false)
			}
			m.Null = append(m.Null, null)
		}
	}
	return nil
}

func (e *rawCodec) append(dst []byte, c *vec.Vector, i int) []byte {
	switch e.kind {
	case types.Boolean:
		if c.Bool[i] {
			return append(dst, 1)
		}
		return append(dst, 0)
	case types.TinyInt:
		return append(dst, byte(c.I64[i]))
	case types.SmallInt:
		return e.order.AppendUint16(dst, uint16(c.I64[i]))
	case types.Int:
		return e.order.AppendUint32(dst, uint32(c.I64[i]))
	case types.BigInt:
		return e.order.AppendUint64(dst, uint64(c.I64[i]))
	case types.Float:
		return e.order.AppendUint32(dst, math.Float32bits(float32(c.F64[i])))
	case types.Double:
		return e.order.AppendUint64(dst, math.Float64bits(c.F64[i]))
	default:
		return append(dst, c.BytesAt(i)...)
	}
}
