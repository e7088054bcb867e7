package format

import (
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// cdcDecoder reads messages that carry changes of rows: a message is an
// envelope, a JSON object with some members of which are rows. First the
// envelopes of all messages say which rows there are, then these are decoded
// as the format json does.
type cdcDecoder struct {
	root     *jsonObject
	filter   *expr.Filter
	env      fn.Env
	onError  OnError
	lenient  bool // ignore-parse-errors: an unreadable message is left out
	bad      func(int, error)
	envelope func(d *cdcDecoder, t *jsonText, at int) error

	rows    []cdcRow
	ops     []vec.Op
	origin  []int32
	message int32
	text    jsonText // of the message
}

// cdcRow is a row within a message. over is an object whose members replace
// those of the row at at; −1: none.
type cdcRow struct {
	message  int32
	at, over int32
	op       vec.Op
}

// newCDCDecoder compiles the spec; keys are those of the format name.
func newCDCDecoder(s *DecodeSpec, name string) (*cdcDecoder, error) {
	opt := cdcOptionsOf(s.Options, s.Prefix+name)
	d := &cdcDecoder{onError: s.OnError, lenient: opt.ignoreErrors, bad: s.Bad, env: fn.Env{Zone: s.Zone}}
	c := jsonCompiler{opt: opt}
	d.root = c.object(s.Schema)
	for i, p := range s.Columns {
		if err := c.addPath(d.root, s.Schema, p, i); err != nil {
			return nil, err
		}
	}
	var err error
	if s.Filter != nil {
		d.filter, err = expr.CompileFilter(s.Filter)
	}
	return d, err
}

// cdcOptions are the options that the formats share.
func cdcOptions(name string) []connectors.Option {
	return []connectors.Option{
		{Key: name + ".ignore-parse-errors", Kind: connectors.Boolean, Default: "false", Doc: "a field that cannot be read is NULL, a message that cannot be read is left out"},
		{Key: name + ".timestamp-format.standard", Kind: connectors.Enum, Default: "SQL", Values: []string{"SQL", "ISO-8601"}, Doc: "'2024-01-31 10:11:12.5' or '2024-01-31T10:11:12.5'; TIMESTAMP_LTZ ends in Z"},
		{Key: name + ".map-null-key.mode", Kind: connectors.Enum, Default: "FAIL", Values: []string{"FAIL", "DROP", "LITERAL"}, Doc: "what writing a map with a NULL key does"},
		{Key: name + ".map-null-key.literal", Default: "null", Doc: "the text that stands for a NULL key with mode LITERAL"},
	}
}

func cdcOptionsOf(o *connectors.Options, name string) jsonOptions {
	if o == nil {
		return jsonOptions{nullKey: "fail"}
	}
	return jsonOptions{
		ignoreErrors: o.Bool(name + ".ignore-parse-errors"),
		iso:          o.Enum(name+".timestamp-format.standard") == "iso-8601",
		nullKey:      o.Enum(name + ".map-null-key.mode"),
		nullLiteral:  o.Text(name + ".map-null-key.literal"),
	}
}

func (d *cdcDecoder) Decode(m *Messages, b *vec.Batch) ([]int32, error) {
	b.Hash, b.Sel = nil, nil
	d.rows = d.rows[:0]
	for i := range m.Spans {
		from := len(d.rows)
		d.message = int32(i)
		if err := d.open(m, i); err != nil {
			d.rows = d.rows[:from]
			if err := d.unreadable(i, err); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range b.Cols {
		c.Resize(len(d.rows))
		shareData(c, m.Data)
	}
	if err := d.fill(m, b); err != nil {
		return nil, err
	}
	if d.filter == nil {
		return d.origin, nil
	}
	sel, err := d.filter.Select(&d.env, b)
	b.Sel = sel
	return d.origin, err
}

// open reads the envelope of message i. A tombstone, and an empty message,
// has no rows.
func (d *cdcDecoder) open(m *Messages, i int) error {
	s := m.Spans[i]
	if m.Null != nil && m.Null[i] || s.Len == 0 {
		return nil
	}
	t, err := newText(m.Data[s.Off : s.Off+s.Len])
	if err != nil {
		return err
	}
	at := t.space(0)
	if at == len(t.b) {
		return nil
	}
	d.text = t
	return d.envelope(d, &d.text, at)
}

func (d *cdcDecoder) add(op vec.Op, at, over int) {
	d.rows = append(d.rows, cdcRow{d.message, int32(at), int32(over), op})
}

// unreadable leaves a message out, or ends the job.
func (d *cdcDecoder) unreadable(i int, err error) error {
	if d.onError == Fail && !d.lenient {
		var e *Error
		if !errors.As(err, &e) {
			e = &Error{Err: err}
		}
		e.Message = i
		return e
	}
	if d.bad != nil {
		d.bad(i, err)
	}
	return nil
}

// fill decodes the rows. One that cannot be decoded is left out with all of
// its message: half of an update would leave an old row behind.
func (d *cdcDecoder) fill(m *Messages, b *vec.Batch) error {
	d.ops, d.origin = d.ops[:0], d.origin[:0]
	failed, n := int32(-1), 0
	for _, r := range d.rows {
		if r.message == failed {
			continue
		}
		if err := d.row(m, r, b.Cols, n); err != nil {
			if err := d.unreadable(int(r.message), err); err != nil {
				return err
			}
			failed = r.message
			clearRow(b.Cols, n)
			for n > 0 && d.origin[n-1] == failed {
				n--
				clearRow(b.Cols, n)
			}
			d.ops, d.origin = d.ops[:n], d.origin[:n]
			continue
		}
		d.ops, d.origin = append(d.ops, r.op), append(d.origin, r.message)
		n++
	}
	b.Ops, b.N = d.ops, n
	if n < len(d.rows) {
		for _, c := range b.Cols {
			c.Truncate(n)
		}
	}
	return nil
}

func clearRow(cols []*vec.Vector, row int) {
	for _, c := range cols {
		clearNulls(c, row)
	}
}

func (d *cdcDecoder) row(m *Messages, r cdcRow, cols []*vec.Vector, n int) error {
	s := m.Spans[r.message]
	t, err := newText(m.Data[s.Off : s.Off+s.Len])
	if err != nil {
		return err
	}
	w := jsonWriter{text: &t, base: s.Off, fields: d.lenient || d.onError == NullField, bad: d.bad, message: int(r.message)}
	if _, err := d.root.decode(&w, int(r.at), 2, cols, n); err != nil || r.over < 0 {
		return err
	}
	return d.root.overlay(&w, int(r.over), 2, cols, n)
}

// overlay reads the object at i over a row that has been decoded: members
// that it does not have stay as they are.
func (o *jsonObject) overlay(w *jsonWriter, i, depth int, cols []*vec.Vector, row int) error {
	t := w.text
	if i = t.space(i + 1); i < len(t.b) && t.b[i] == '}' {
		return nil
	}
	o.round++
	for {
		f, value, err := o.learn(t, i, maxLearnt)
		if err != nil {
			return err
		}
		for k := range f.targets {
			f.targets[k].clear(cols, row)
		}
		end, err := o.member(w, f, value, depth, cols, row)
		if err != nil {
			return err
		}
		if end = t.space(end); end >= len(t.b) || t.b[end] != ',' {
			return nil // the envelope was checked
		}
		i = t.space(end + 1)
	}
}

// clear takes the nulls of a target back.
func (t *jsonTarget) clear(cols []*vec.Vector, row int) {
	if t.path == nil {
		clearNulls(cols[t.column], row)
		return
	}
	for i := range t.path.fields {
		for k := range t.path.fields[i].targets {
			t.path.fields[i].targets[k].clear(cols, row)
		}
	}
}

// positions finds the positions of the named members of the object at i; −1:
// the member is not there, or null. It checks the whole object and returns
// the position behind it.
func (t *jsonText) positions(i, depth int, names []string, at []int) (int, error) {
	for k := range at {
		at[k] = -1
	}
	if t.b[i] != '{' {
		return 0, errors.New("expected a JSON object, found another value")
	}
	if i = t.space(i + 1); i < len(t.b) && t.b[i] == '}' {
		return i + 1, nil
	}
	for {
		if i >= len(t.b) || t.b[i] != '"' {
			return 0, t.errorAt(i, "a quoted name")
		}
		end, _, err := t.str(i)
		if err != nil {
			return 0, err
		}
		value, err := t.colon(end)
		if err != nil {
			return 0, err
		}
		for k, name := range names {
			if string(t.b[i+1:end-1]) == name && value < len(t.b) && t.b[value] != 'n' {
				at[k] = value
			}
		}
		if end, err = t.skip(value, depth+1); err != nil {
			return 0, err
		}
		if end = t.space(end); end >= len(t.b) {
			return 0, errTruncated
		}
		if t.b[end] == '}' {
			return end + 1, nil
		}
		if t.b[end] != ',' {
			return 0, t.errorAt(end, "',' or '}'")
		}
		i = t.space(end + 1)
	}
}

// plainString is the string at i, without its quotes; "" if there is none.
func (t *jsonText) plainString(i int) string {
	if i < 0 || t.b[i] != '"' {
		return ""
	}
	end, _, err := t.str(i)
	if err != nil {
		return ""
	}
	return string(t.b[i+1 : end-1])
}

// cdcEncoder writes rows as the format json does, with an envelope around
// them for rows that come and for rows that go.
type cdcEncoder struct {
	json       *jsonEncoder
	come, goes [2]string // what stands before and behind the row
	rows       Messages
}

func newCDCEncoder(s *EncodeSpec, name string, come, goes [2]string) (*cdcEncoder, error) {
	e := &cdcEncoder{json: &jsonEncoder{opt: cdcOptionsOf(s.Options, s.Prefix+name), columns: s.Columns}, come: come, goes: goes}
	var err error
	e.json.fields, err = jsonOuts(s.Fields, &e.json.opt)
	return e, err
}

func (e *cdcEncoder) Encode(b *vec.Batch, rows []int32, m *Messages) error {
	e.rows.Reset()
	if err := e.json.Encode(b, rows, &e.rows); err != nil {
		return err
	}
	for i, r := range rows {
		around := e.come
		if b.Op(int(r)).Retracts() {
			around = e.goes
		}
		off := len(m.Data)
		m.Data = append(m.Data, around[0]...)
		m.Data = append(m.Data, e.rows.At(i)...)
		m.Data = append(m.Data, around[1]...)
		m.Spans = append(m.Spans, vec.Span{Off: uint32(off), Len: uint32(len(m.Data) - off)})
	}
	return nil
}

// missingRow is the error of an envelope without a row that its change needs.
func missingRow(member, change string) error {
	return fmt.Errorf("member %q of %s is missing or null", member, change)
}
