package format

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// csvEncoder writes a record a row.
type csvEncoder struct {
	opt     csvOptions
	fields  []types.Field
	columns []int
	times   timeWriter
	scratch []byte
}

func newCSVEncoder(s *EncodeSpec) (*csvEncoder, error) {
	e := &csvEncoder{fields: s.Fields, columns: s.Columns}
	var err error
	e.opt, err = csvOptionsOf(s.Options, s.Prefix)
	for _, f := range s.Fields {
		if _, typeErr := csvValueOf(f.Type, true); typeErr != nil && err == nil {
			err = fmt.Errorf("column %s: %w", f.Name, typeErr)
		}
	}
	return e, err
}

func (e *csvEncoder) Encode(b *vec.Batch, rows []int32, m *Messages) error {
	for _, r := range rows {
		start := len(m.Data)
		for k, f := range e.fields {
			if k > 0 {
				m.Data = append(m.Data, e.opt.delimiter)
			}
			m.Data = e.field(m.Data, f.Type, b.Cols[e.columns[k]], int(r))
		}
		m.Spans = append(m.Spans, vec.Span{Off: uint32(start), Len: uint32(len(m.Data) - start)})
		if len(m.Null) > 0 {
			m.Null = append(m.Null, false)
		}
	}
	return nil
}

// field appends a value, quoted if it has to be; NULL is the null literal.
func (e *csvEncoder) field(dst []byte, t types.Type, v *vec.Vector, i int) []byte {
	if v.IsNull(i) {
		return append(dst, e.opt.null...)
	}
	switch t.Kind {
	case types.Char, types.Varchar:
		return e.text(dst, v.BytesAt(i))
	case types.Array:
		e.scratch = e.array(e.scratch[:0], t, v, i)
		return e.text(dst, e.scratch)
	case types.Row:
		e.scratch = e.scratch[:0]
		for k, f := range t.Fields {
			if k > 0 {
				e.scratch = append(e.scratch, e.opt.element...)
			}
			e.scratch = e.plain(e.scratch, f.Type, v.Kids[k], i)
		}
		return e.text(dst, e.scratch)
	}
	return e.plain(dst, t, v, i)
}

func (e *csvEncoder) array(dst []byte, t types.Type, v *vec.Vector, i int) []byte {
	s := v.Spans[i]
	for j := s.Off; j < s.Off+s.Len; j++ {
		if j > s.Off {
			dst = append(dst, e.opt.element...)
		}
		dst = e.plain(dst, *t.Elem, v.Kids[0], int(j))
	}
	return dst
}

// plain appends a value without quotes.
func (e *csvEncoder) plain(dst []byte, t types.Type, v *vec.Vector, i int) []byte {
	if v.IsNull(i) {
		return append(dst, e.opt.null...)
	}
	switch t.Kind {
	case types.Char, types.Varchar:
		return append(dst, v.BytesAt(i)...)
	case types.Binary, types.Varbinary:
		return base64.StdEncoding.AppendEncode(dst, v.BytesAt(i))
	case types.Timestamp, types.TimestampLTZ:
		us, ns := int64(0), 0
		if v.Kind == vec.I64 {
			us = v.I64[i]
		} else {
			us, ns = v.I128[i].Hi, int(v.I128[i].Lo)
		}
		e.times.zulu = t.Kind == types.TimestampLTZ
		return e.times.appendTimestamp(dst, us, ns)
	case types.TimeOfDay:
		return e.times.appendClock(dst, v.I64[i]*1000)
	case types.Boolean:
		if v.Bool[i] {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	}
	return vec.AppendText(dst, v, i, t)
}

// text appends s, quoted if it holds a delimiter, quote or line end, or is
// empty text beside a null literal that is empty too.
func (e *csvEncoder) text(dst, s []byte) []byte {
	o := &e.opt
	if o.quote == 0 || !bytes.ContainsAny(s, "\r\n") && bytes.IndexByte(s, o.delimiter) < 0 && bytes.IndexByte(s, o.quote) < 0 {
		return append(dst, s...)
	}
	dst = append(dst, o.quote)
	for _, c := range s {
		if c == o.quote || o.escape != 0 && c == o.escape {
			dst = append(dst, c)
		}
		dst = append(dst, c)
	}
	return append(dst, o.quote)
}
