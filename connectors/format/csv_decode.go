package format

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// csvDecoder reads a record a message.
type csvDecoder struct {
	opt     csvOptions
	schema  []types.Field
	targets [][]csvTarget // by field of the record
	filter  *expr.Filter
	env     fn.Env
	spec    *DecodeSpec
	fields  []vec.Span // of the present record, in raw
	raw     []byte     // unquoted fields
	kept    keptRows
}

// csvTarget is one column made from a field.
type csvTarget struct {
	column int
	value  *csvValue
}

// csvValue reads the text of a field; elem for arrays, fields for rows.
type csvValue struct {
	textValue
	elem   *csvValue
	fields []*csvValue
	array  bool
}

func newCSVDecoder(s *DecodeSpec) (*csvDecoder, error) {
	d := &csvDecoder{schema: s.Schema, spec: s, env: fn.Env{Zone: s.Zone}, targets: make([][]csvTarget, len(s.Schema))}
	var err error
	if d.opt, err = csvOptionsOf(s.Options, s.Prefix); err != nil {
		return nil, err
	}
	for i, p := range s.Columns {
		if len(p) > 1 {
			return nil, errors.New("format csv does not take paths into rows")
		}
		v, err := csvValueOf(s.Schema[p[0]].Type, true)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", s.Schema[p[0]].Name, err)
		}
		d.targets[p[0]] = append(d.targets[p[0]], csvTarget{i, v})
	}
	if s.Filter != nil {
		d.filter, err = expr.CompileFilter(s.Filter)
	}
	return d, err
}

func csvValueOf(t types.Type, nested bool) (*csvValue, error) {
	v := &csvValue{}
	var ok bool
	if v.textValue, ok = textValueOf(t, false); ok {
		return v, nil
	}
	if !nested {
		return nil, fmt.Errorf("type %s cannot be nested in a CSV field", t.Text())
	}
	var err error
	switch t.Kind {
	case types.Array:
		v.array = true
		v.elem, err = csvValueOf(*t.Elem, false)
		return v, err
	case types.Row:
		for _, f := range t.Fields {
			e, err := csvValueOf(f.Type, false)
			if err != nil {
				return nil, err
			}
			v.fields = append(v.fields, e)
		}
		return v, nil
	}
	return nil, fmt.Errorf("type %s cannot be a CSV field", t.Text())
}

func (d *csvDecoder) Decode(m *Messages, b *vec.Batch) ([]int32, error) {
	n := len(m.Spans)
	b.Ops, b.Hash, b.Sel = nil, nil, nil
	for _, c := range b.Cols {
		c.Resize(n)
	}
	d.kept.begin()
	row := 0
	for i := range n {
		keep, err := d.message(m, i, b.Cols, row)
		if err != nil {
			return nil, err
		}
		row = d.kept.add(keep, i, row, b.Cols)
	}
	origin := d.kept.end(row, n, b)
	if d.filter == nil {
		return origin, nil
	}
	sel, err := d.filter.Select(&d.env, b)
	b.Sel = sel
	return origin, err
}

// message decodes record i into a row; keep is false if it is left out.
func (d *csvDecoder) message(m *Messages, i int, cols []*vec.Vector, row int) (keep bool, err error) {
	if m.Null != nil && m.Null[i] {
		setNulls(cols, row)
		return true, nil
	}
	record := m.At(i)
	if d.opt.comments && len(record) > 0 && record[0] == '#' {
		return false, nil
	}
	if err := d.split(record); err != nil {
		return d.unreadable(i, err, cols, row)
	}
	if len(d.fields) > len(d.schema) {
		return d.unreadable(i, fmt.Errorf("record has %d fields, the table %d columns", len(d.fields), len(d.schema)), cols, row)
	}
	for f := range d.schema {
		for _, t := range d.targets[f] {
			if err := d.field(f, t, cols[t.column], i, row); err != nil {
				return d.unreadable(i, err, cols, row)
			}
		}
	}
	return true, nil
}

func (d *csvDecoder) unreadable(i int, err error, cols []*vec.Vector, row int) (keep bool, fatal error) {
	if d.spec.OnError == Fail && !d.opt.lenient {
		var e *Error
		if !errors.As(err, &e) {
			e = &Error{Err: err}
		}
		e.Message = i
		return false, e
	}
	if d.spec.Bad != nil {
		d.spec.Bad(i, err)
	}
	setNulls(cols, row)
	return d.spec.OnError == NullField && !d.opt.lenient, nil
}

// field sets one column of a row from message i; a field that is not there
// is NULL. An error is one that the whole record fails with.
func (d *csvDecoder) field(f int, t csvTarget, col *vec.Vector, i, row int) error {
	if f >= len(d.fields) {
		col.SetNull(row)
		return nil
	}
	s := d.fields[f]
	text := d.raw[s.Off : s.Off+s.Len]
	if d.opt.hasNull && string(text) == d.opt.null {
		col.SetNull(row)
		return nil
	}
	err := t.value.set(d, text, col, row)
	if err == nil {
		return nil
	}
	err = &Error{Message: i, Field: d.schema[f].Name, Err: err}
	if d.spec.OnError != NullField && !d.opt.lenient {
		return err
	}
	if d.spec.Bad != nil {
		d.spec.Bad(i, err)
	}
	col.SetNull(row)
	return nil
}

func (v *csvValue) set(d *csvDecoder, text []byte, col *vec.Vector, i int) error {
	switch {
	case v.array:
		return v.setArray(d, text, col, i)
	case v.fields != nil:
		return v.setRow(d, text, col, i)
	case v.kind == stringValue:
		col.SetBytes(i, text)
		return nil
	}
	return v.setText(text, col, i)
}

func (v *csvValue) setArray(d *csvDecoder, text []byte, col *vec.Vector, i int) error {
	kid := col.Kids[0]
	first := kid.Len()
	if len(text) > 0 {
		for _, part := range strings.Split(string(text), d.opt.element) {
			kid.AppendZero()
			n := kid.Len() - 1
			if d.opt.hasNull && part == d.opt.null {
				kid.SetNull(n)
				continue
			}
			if err := v.elem.set(d, []byte(part), kid, n); err != nil {
				return err
			}
		}
	}
	col.Spans[i] = vec.Span{Off: uint32(first), Len: uint32(kid.Len() - first)}
	return nil
}

func (v *csvValue) setRow(d *csvDecoder, text []byte, col *vec.Vector, i int) error {
	parts := strings.Split(string(text), d.opt.element)
	if len(parts) != len(v.fields) {
		return fmt.Errorf("%d parts for a ROW of %d fields", len(parts), len(v.fields))
	}
	for k, f := range v.fields {
		if d.opt.hasNull && parts[k] == d.opt.null {
			col.Kids[k].SetNull(i)
			continue
		}
		if err := f.set(d, []byte(parts[k]), col.Kids[k], i); err != nil {
			return err
		}
	}
	return nil
}

// split fills d.fields with the unquoted fields of the record.
func (d *csvDecoder) split(r []byte) error {
	o := &d.opt
	d.fields, d.raw = d.fields[:0], d.raw[:0]
	for i := 0; ; i++ {
		start := len(d.raw)
		end := i
		if o.quote != 0 && i < len(r) && r[i] == o.quote {
			var err error
			if end, err = d.quoted(r, i+1); err != nil {
				return err
			}
		} else {
			for end < len(r) && r[end] != o.delimiter {
				if o.escape != 0 && r[end] == o.escape && end+1 < len(r) {
					end++
				}
				d.raw = append(d.raw, r[end])
				end++
			}
		}
		d.fields = append(d.fields, vec.Span{Off: uint32(start), Len: uint32(len(d.raw) - start)})
		if end >= len(r) {
			return nil
		}
		if r[end] != o.delimiter {
			return fmt.Errorf("byte %d: expected '%c' behind a closing quote, found '%c'", end, o.delimiter, r[end])
		}
		i = end
	}
}

// quoted appends the field whose text begins at i, behind the quote; it
// returns the position behind the closing quote.
func (d *csvDecoder) quoted(r []byte, i int) (int, error) {
	o := &d.opt
	for i < len(r) {
		switch {
		case o.escape != 0 && r[i] == o.escape && i+1 < len(r):
			i++
		case r[i] == o.quote && i+1 < len(r) && r[i+1] == o.quote:
			i++
		case r[i] == o.quote:
			return i + 1, nil
		}
		d.raw = append(d.raw, r[i])
		i++
	}
	return 0, errors.New("quote is not closed")
}
