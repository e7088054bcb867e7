package format

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// jsonDecoder is compiled from the schema and the wanted paths: fields that
// nobody wants are checked and skipped, the order of keys is learnt from the
// messages before.
type jsonDecoder struct {
	root    *jsonObject
	shapes  jsonShapes
	filter  *expr.Filter
	env     fn.Env
	onError OnError
	// lenient is json.ignore-parse-errors: a bad field is null, an unreadable
	// message left out.
	lenient bool
	bad     func(int, error)
	kept    keptRows
	text    jsonText // the message under work
}

// jsonObject decodes the members of one object. Its targets write into the
// columns handed to decode.
type jsonObject struct {
	fields []jsonField
	byName map[string]*jsonField
	order  []*jsonField // the keys of the object before, in order
	round  int64        // number of the object, for jsonField.seen
	// missing: a field that is not there is an error (fail-on-missing-field).
	missing bool
}

// jsonField is one key of an object. A key that is not in the schema, or
// that nobody wants, has no targets.
type jsonField struct {
	name    string
	quoted  []byte // `"name"`
	wanted  bool
	known   bool // in the schema
	nested  bool // a ROW
	targets []jsonTarget
	seen    int64 // round in which the key came last
}

// jsonTarget is one use of a field's value: a column, or an object whose
// fields lead to columns.
type jsonTarget struct {
	column int         // −1: path
	path   *jsonObject // of a path
	value  *jsonValue
}

// newJSONDecoder compiles the spec.
func newJSONDecoder(s *DecodeSpec) (*jsonDecoder, error) {
	opt := jsonOptionsOf(s.Options, s.Prefix)
	d := &jsonDecoder{onError: s.OnError, lenient: opt.ignoreErrors, bad: s.Bad}
	d.env.Zone = s.Zone
	if opt.ignoreErrors && opt.failOnMissing {
		return nil, fmt.Errorf("options '%[1]sjson.ignore-parse-errors' and '%[1]sjson.fail-on-missing-field' exclude each other", s.Prefix)
	}
	c := jsonCompiler{opt: opt}
	d.root = c.object(s.Schema)
	for i, p := range s.Columns {
		if err := c.addPath(d.root, s.Schema, p, i); err != nil {
			return nil, err
		}
	}
	if s.Filter != nil {
		var err error
		if d.filter, err = expr.CompileFilter(s.Filter); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// jsonCompiler makes the tree of objects.
type jsonCompiler struct{ opt jsonOptions }

func (c *jsonCompiler) object(schema []types.Field) *jsonObject {
	o := &jsonObject{byName: map[string]*jsonField{}, missing: c.opt.failOnMissing}
	o.fields = make([]jsonField, len(schema))
	for i, f := range schema {
		o.fields[i] = jsonField{name: f.Name, quoted: quotedKey(f.Name), known: true, nested: f.Type.Kind == types.Row, wanted: c.opt.failOnMissing}
		o.byName[f.Name] = &o.fields[i]
	}
	return o
}

func quotedKey(name string) []byte { return []byte(`"` + name + `"`) }

func (c *jsonCompiler) addPath(o *jsonObject, schema []types.Field, p connectors.Path, column int) error {
	f, t := &o.fields[p[0]], schema[p[0]].Type
	f.wanted = true
	if len(p) == 1 {
		v, err := c.value(t)
		if err != nil {
			return fmt.Errorf("column %s: %w", schema[p[0]].Name, err)
		}
		f.targets = append(f.targets, jsonTarget{column: column, value: v})
		return nil
	}
	return c.addPath(f.pathObject(c, t.Fields), t.Fields, p[1:], column)
}

// pathObject is the object that paths into the field share.
func (f *jsonField) pathObject(c *jsonCompiler, fields []types.Field) *jsonObject {
	for _, t := range f.targets {
		if t.path != nil {
			return t.path
		}
	}
	o := c.object(fields)
	f.targets = append(f.targets, jsonTarget{column: -1, path: o})
	return o
}

func (d *jsonDecoder) Decode(m *Messages, b *vec.Batch) ([]int32, error) {
	n := len(m.Spans)
	b.Ops, b.Hash, b.Sel = nil, nil, nil
	for _, c := range b.Cols {
		c.Resize(n)
		shareData(c, m.Data)
	}
	d.kept.begin()
	row := 0
	for i := range n {
		keep := true
		if err := d.message(m, i, b.Cols, row); err != nil {
			if keep, err = d.unreadable(i, err, b.Cols, row); err != nil {
				return nil, err
			}
		}
		row = d.kept.add(keep, i, row, b.Cols)
	}
	origin := d.kept.end(row, n, b)
	return origin, d.selectRows(b)
}

// shareData lets the strings of a column point into the messages. The first
// append to a column copies the messages: strings with escapes are unescaped
// behind that copy.
func shareData(c *vec.Vector, data []byte) {
	if c.Kind == vec.Bytes {
		c.Data = data[:len(data):len(data)]
	}
	for _, k := range c.Kids {
		shareData(k, data)
	}
}

func (d *jsonDecoder) selectRows(b *vec.Batch) error {
	if d.filter == nil {
		return nil
	}
	sel, err := d.filter.Select(&d.env, b)
	if err != nil {
		return err
	}
	b.Sel = sel
	return nil
}

// unreadable decides what becomes of message i: kept as a row of nulls, left
// out, or the end of the job.
func (d *jsonDecoder) unreadable(i int, err error, cols []*vec.Vector, row int) (keep bool, fatal error) {
	if d.onError == Fail && !d.lenient {
		var e *Error
		if !errors.As(err, &e) {
			e = &Error{Err: err}
		}
		e.Message = i
		return false, e
	}
	if d.bad != nil {
		d.bad(i, err)
	}
	setNulls(cols, row)
	return d.onError == NullField && !d.lenient, nil
}

// message decodes message i into a row.
func (d *jsonDecoder) message(m *Messages, i int, cols []*vec.Vector, row int) error {
	s := m.Spans[i]
	if m.Null != nil && m.Null[i] {
		d.root.nulls(cols, row)
		return nil
	}
	d.text = jsonText{b: m.Data[s.Off : s.Off+s.Len]}
	w := jsonWriter{text: &d.text, base: s.Off, fields: d.lenient || d.onError == NullField, bad: d.bad, message: i}
	if d.shapes.decode(&w, cols, row) {
		return nil
	}
	var err error
	if d.text, err = newText(d.text.b); err != nil {
		return err
	}
	if err := d.object(&w, cols, row); err != nil {
		return err
	}
	if d.text.plain {
		d.shapes.learn(&w, d.root)
	}
	return nil
}

// object decodes a message of any form.
func (d *jsonDecoder) object(w *jsonWriter, cols []*vec.Vector, row int) error {
	t := w.text
	at := t.space(0)
	if at == len(t.b) {
		return errors.New("empty message, expected a JSON object")
	}
	if t.b[at] != '{' {
		return d.notObject(t, at)
	}
	end, err := d.root.decode(w, at, 1, cols, row)
	if err != nil {
		return err
	}
	if end = t.space(end); end != len(t.b) {
		return t.errorAt(end, "the end of the message")
	}
	return nil
}

func (d *jsonDecoder) notObject(t *jsonText, at int) error {
	if _, err := t.skip(at, 1); err != nil {
		return err
	}
	return errors.New("expected a JSON object, found another value")
}

// jsonWriter is the state of one message.
type jsonWriter struct {
	text    *jsonText
	base    uint32 // offset of the message in Messages.Data
	fields  bool   // a bad field becomes null
	bad     func(int, error)
	message int
}

// decode reads the object at i into row of cols; it returns the position
// behind it.
func (o *jsonObject) decode(w *jsonWriter, i, depth int, cols []*vec.Vector, row int) (int, error) {
	if depth > maxDepth {
		return 0, errDepth
	}
	o.round++
	t := w.text
	found := 0
	i = t.space(i + 1)
	if i < len(t.b) && t.b[i] == '}' {
		return i + 1, o.finish(found, cols, row)
	}
	for n := 0; ; n++ {
		f, value, err := o.key(t, i, n)
		if err != nil {
			return 0, err
		}
		end, err := o.member(w, f, value, depth, cols, row)
		if err != nil {
			return 0, err
		}
		if f.known && f.seen != o.round {
			f.seen = o.round
			found++
		}
		// The usual case first: a comma with no blank around it.
		if end >= len(t.b) {
			return 0, errTruncated
		}
		if t.b[end] != ',' {
			if end = t.space(end); end >= len(t.b) {
				return 0, errTruncated
			}
			if t.b[end] == '}' {
				return end + 1, o.finish(found, cols, row)
			}
			if t.b[end] != ',' {
				return 0, t.errorAt(end, "',' or '}'")
			}
		}
		if i = end + 1; i < len(t.b) && t.b[i] != '"' {
			i = t.space(i)
		}
	}
}

// key finds the field of the n-th key, at i, and the position of its value.
func (o *jsonObject) key(t *jsonText, i, n int) (*jsonField, int, error) {
	if n < len(o.order) {
		f := o.order[n]
		if end := i + len(f.quoted); end < len(t.b) && string(t.b[i:end]) == string(f.quoted) {
			if t.b[end] == ':' && end+1 < len(t.b) && t.b[end+1] > ' ' {
				return f, end + 1, nil
			}
			value, err := t.colon(end)
			return f, value, err
		}
	}
	return o.learn(t, i, n)
}

// learn looks the key up and remembers it as the n-th.
func (o *jsonObject) learn(t *jsonText, i, n int) (*jsonField, int, error) {
	if i >= len(t.b) || t.b[i] != '"' {
		return nil, 0, t.errorAt(i, "a quoted name")
	}
	end, escaped, err := t.str(i)
	if err != nil {
		return nil, 0, err
	}
	value, err := t.colon(end)
	if err != nil {
		return nil, 0, err
	}
	name := t.b[i+1 : end-1]
	if escaped {
		name = unescape(nil, name)
	}
	f := o.byName[string(name)]
	if f == nil {
		f = &jsonField{name: string(name), quoted: quotedKey(string(name))}
	}
	// A quoted name with escapes never equals its text, and is looked up anew.
	if n < len(o.order) {
		o.order[n] = f
	} else if n == len(o.order) && n < maxLearnt {
		o.order = append(o.order, f)
	}
	return f, value, nil
}

// maxLearnt bounds the memory of key orders.
const maxLearnt = 1024

// member reads the value at i for each target of f. The usual cases come
// first: a value that nobody wants, and one for a single column.
func (o *jsonObject) member(w *jsonWriter, f *jsonField, i, depth int, cols []*vec.Vector, row int) (int, error) {
	switch {
	case len(f.targets) == 0:
		return w.text.pass(i, depth+1)
	case len(f.targets) == 1 && f.targets[0].path == nil && f.seen != o.round:
		t := &f.targets[0]
		end, err := t.value.decode(w, i, depth+1, cols[t.column], row)
		if err == nil {
			return end, nil
		}
	}
	return o.memberOf(w, f, i, depth, cols, row)
}

// memberOf is member for any field.
func (o *jsonObject) memberOf(w *jsonWriter, f *jsonField, i, depth int, cols []*vec.Vector, row int) (int, error) {
	end := 0
	for k := range f.targets {
		t := &f.targets[k]
		var err error
		if t.path != nil {
			end, err = t.decodePath(w, i, depth, cols, row)
		} else {
			c := cols[t.column]
			if f.seen == o.round {
				c.ClearNull(row) // a duplicate key: the last one counts
			}
			end, err = t.value.decode(w, i, depth+1, c, row)
		}
		if err == nil {
			continue
		}
		if end, err = w.badField(f, i, end, depth, err); err != nil {
			return 0, err
		}
		t.setNull(cols, row)
	}
	return end, nil
}

// badField decides whether a value that cannot be converted becomes null. A
// syntax error (no end) ends the message.
func (w *jsonWriter) badField(f *jsonField, i, end, depth int, err error) (int, error) {
	if end == 0 {
		var skipErr error
		if end, skipErr = w.text.skip(i, depth+1); skipErr != nil {
			return 0, skipErr
		}
	}
	var e *Error
	if errors.As(err, &e) {
		e.Field = strings.TrimSuffix(f.name+"."+e.Field, ".")
	} else {
		e = &Error{Field: f.name, Err: err}
	}
	if !w.fields {
		return 0, e
	}
	if w.bad != nil {
		w.bad(w.message, e)
	}
	return end, nil
}

// decodePath reads an object whose fields are columns.
func (t *jsonTarget) decodePath(w *jsonWriter, i, depth int, cols []*vec.Vector, row int) (int, error) {
	text := w.text
	switch {
	case i < len(text.b) && text.b[i] == '{':
		return t.path.decode(w, i, depth+1, cols, row)
	case i < len(text.b) && text.b[i] == 'n':
		t.path.nulls(cols, row)
		return text.word(i, "null")
	}
	end, err := text.skip(i, depth+1)
	if err != nil {
		return 0, err
	}
	return end, fmt.Errorf("expected an object, found %s", excerpt(text.b[i:end]))
}

func (t *jsonTarget) setNull(cols []*vec.Vector, row int) {
	if t.path != nil {
		t.path.nulls(cols, row)
		return
	}
	cols[t.column].SetNull(row)
}

// nulls makes all columns of the object null.
func (o *jsonObject) nulls(cols []*vec.Vector, row int) {
	for i := range o.fields {
		for k := range o.fields[i].targets {
			o.fields[i].targets[k].setNull(cols, row)
		}
	}
}

// finish makes the columns of fields that did not come null.
func (o *jsonObject) finish(found int, cols []*vec.Vector, row int) error {
	if found == len(o.fields) {
		return nil
	}
	for i := range o.fields {
		f := &o.fields[i]
		if f.seen == o.round || !f.wanted {
			continue
		}
		if o.missing {
			return &Error{Field: f.name, Err: errors.New("is missing (json.fail-on-missing-field is set)")}
		}
		for k := range f.targets {
			f.targets[k].setNull(cols, row)
		}
	}
	return nil
}

// excerpt is the beginning of a value, for messages.
func excerpt(b []byte) string {
	const most = 60
	if len(b) > most {
		return string(b[:most]) + "…"
	}
	return string(b)
}
