package format

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// jsonValue decodes values of one type. What is read is chosen by kind, a
// closed set; nested types lead to further values.
type jsonValue struct {
	textValue
	elem *jsonValue  // ARRAY, MAP, MULTISET
	row  *jsonObject // ROW: targets are the children
}

// value compiles the decoder of a type.
func (c *jsonCompiler) value(t types.Type) (*jsonValue, error) {
	v := &jsonValue{}
	var ok bool
	if v.textValue, ok = textValueOf(t, c.opt.iso); ok {
		return v, nil
	}
	return v, c.nested(v, t)
}

func (c *jsonCompiler) nested(v *jsonValue, t types.Type) (err error) {
	switch t.Kind {
	case types.Array:
		v.kind = arrayValue
		v.elem, err = c.value(*t.Elem)
	case types.Map, types.Multiset:
		v.kind = mapValue
		key, value := t.Key, t.Elem
		if t.Kind == types.Multiset {
			count := types.Of(types.Int)
			key, value = t.Elem, &count
		}
		if !key.IsString() {
			return fmt.Errorf("a map in JSON has keys of type STRING, not %s", key)
		}
		v.elem, err = c.value(*value)
	case types.Row:
		v.kind = rowValue
		v.row = c.object(t.Fields)
		for i := range t.Fields {
			if err = c.addPath(v.row, t.Fields, []int{i}, i); err != nil {
				return err
			}
		}
	default:
		return errType(t)
	}
	return err
}

// decode reads the value at i into row of col; it returns the position
// behind it. With an error, a position of 0 says that the text is no JSON.
func (v *jsonValue) decode(w *jsonWriter, i, depth int, col *vec.Vector, row int) (int, error) {
	t := w.text
	if i >= len(t.b) {
		return 0, errTruncated
	}
	switch c := t.b[i]; {
	case c == 'n':
		end, err := t.word(i, "null")
		if err == nil {
			col.SetNull(row)
		}
		return end, err
	case v.kind >= arrayValue:
		return v.decodeNested(w, i, depth, col, row)
	case c == '"':
		return v.decodeQuoted(w, i, col, row)
	case v.kind == intValue && (c == '-' || c-'0' <= 9):
		return v.decodeInt(t, i, col, row)
	default:
		return v.decodeOther(w, i, depth, col, row)
	}
}

// decodeInt reads integers of up to 18 digits at once.
func (v *jsonValue) decodeInt(t *jsonText, i int, col *vec.Vector, row int) (int, error) {
	b := t.b
	j, negative := i, b[i] == '-'
	if negative {
		j++
	}
	start, x := j, int64(0)
	for j < len(b) && b[j]-'0' <= 9 && j-start < 18 {
		x = x*10 + int64(b[j]-'0')
		j++
	}
	if j == len(b) || j == start || b[j]-'0' <= 9 || b[j] == '.' || b[j]|0x20 == 'e' || b[start] == '0' && j > start+1 {
		return v.decodeNumber(t, i, col, row)
	}
	if negative {
		x = -x
	}
	if x < v.min || x > v.max {
		return j, v.outOfRange(b[i:j])
	}
	col.I64[row] = x
	return j, nil
}

// decodeNumber reads any other number.
func (v *jsonValue) decodeNumber(t *jsonText, i int, col *vec.Vector, row int) (int, error) {
	end, _, err := t.number(i)
	if err != nil {
		return 0, err
	}
	return end, v.setNumber(t.b[i:end], col, row)
}

// decodeQuoted reads a string.
func (v *jsonValue) decodeQuoted(w *jsonWriter, i int, col *vec.Vector, row int) (int, error) {
	end, escaped, err := w.text.str(i)
	if err != nil {
		return 0, err
	}
	body := w.text.b[i+1 : end-1]
	if v.kind == stringValue {
		if !escaped {
			col.Spans[row] = vec.Span{Off: w.base + uint32(i) + 1, Len: uint32(len(body))}
			return end, nil
		}
		setUnescaped(col, row, body)
		return end, nil
	}
	if escaped {
		body = unescape(nil, body)
	}
	return end, v.setText(body, col, row)
}

// setUnescaped appends the value of a string body to the column's bytes.
// (The first append to shared bytes copies them once a batch.)
func setUnescaped(col *vec.Vector, row int, body []byte) {
	off := len(col.Data)
	col.Data = unescape(col.Data, body)
	col.Spans[row] = vec.Span{Off: uint32(off), Len: uint32(len(col.Data) - off)}
}

// decodeOther reads a value that is neither a string nor null, and for an
// integer no number.
func (v *jsonValue) decodeOther(w *jsonWriter, i, depth int, col *vec.Vector, row int) (int, error) {
	t := w.text
	end, err := t.skip(i, depth)
	if err != nil {
		return 0, err
	}
	b := t.b[i:end]
	switch {
	case v.kind == stringValue:
		off := len(col.Data)
		col.Data = compact(col.Data, b)
		col.Spans[row] = vec.Span{Off: uint32(off), Len: uint32(len(col.Data) - off)}
		return end, nil
	case v.kind == boolValue:
		col.Bool[row] = b[0] == 't'
		return end, nil
	case b[0] == '-' || b[0]-'0' <= 9:
		return end, v.setNumber(b, col, row)
	}
	return end, v.mismatch(b)
}

// compact appends the checked JSON text b without white space between
// tokens.
func compact(dst, b []byte) []byte {
	quoted := false
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case quoted && c == '\\':
			dst = append(dst, c)
			i++
			c = b[i]
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\n' || c == '\r' || c == '\t'):
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// decodeNested reads an array or object.
func (v *jsonValue) decodeNested(w *jsonWriter, i, depth int, col *vec.Vector, row int) (int, error) {
	open := byte('{')
	if v.kind == arrayValue {
		open = '['
	}
	if w.text.b[i] != open {
		end, err := w.text.skip(i, depth)
		if err != nil {
			return 0, err
		}
		return end, v.mismatch(w.text.b[i:end])
	}
	if v.kind == rowValue {
		return v.row.decode(w, i, depth, col.Kids, row)
	}
	if v.kind == arrayValue {
		return v.decodeArray(w, i, depth, col, row)
	}
	return v.decodeMap(w, i, depth, col, row)
}

// element reads the value at i into a new row of col. Errors carry the end
// of the value.
func (v *jsonValue) element(w *jsonWriter, i, depth int, col *vec.Vector) (int, error) {
	col.AppendZero()
	n := col.Len() - 1
	end, err := v.decode(w, i, depth, col, n)
	if err == nil {
		return end, nil
	}
	if end == 0 {
		var skipErr error
		if end, skipErr = w.text.skip(i, depth); skipErr != nil {
			return 0, skipErr
		}
	}
	if !w.fields {
		return 0, err
	}
	if w.bad != nil {
		w.bad(w.message, err)
	}
	col.SetNull(n)
	return end, nil
}

func (v *jsonValue) decodeArray(w *jsonWriter, i, depth int, col *vec.Vector, row int) (int, error) {
	kid := col.Kids[0]
	first := kid.Len()
	end, err := w.text.elements(i, depth, func(at int) (int, error) { return v.elem.element(w, at, depth+1, kid) })
	if err != nil {
		return 0, err
	}
	col.Spans[row] = vec.Span{Off: uint32(first), Len: uint32(kid.Len() - first)}
	return end, nil
}

func (v *jsonValue) decodeMap(w *jsonWriter, i, depth int, col *vec.Vector, row int) (int, error) {
	keys, values := col.Kids[0], col.Kids[1]
	first := keys.Len()
	end, err := w.text.members(i, depth, func(key, value int) (int, error) {
		end, escaped, err := w.text.str(key)
		if err != nil {
			return 0, err
		}
		name := w.text.b[key+1 : end-1]
		if escaped {
			name = unescape(nil, name)
		}
		keys.AppendBytes(name)
		return v.elem.element(w, value, depth+1, values)
	})
	if err != nil {
		return 0, err
	}
	col.Spans[row] = vec.Span{Off: uint32(first), Len: uint32(keys.Len() - first)}
	return end, nil
}
