package format

import (
	"fmt"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/vec"
)

const canal = "canal-json"

func init() {
	Register(&Format{
		Name:      canal,
		Doc:       "Changes of rows as Canal writes them: data, old and type (INSERT, UPDATE, DELETE), several rows a message.",
		Options:   cdcOptions(canal),
		Changelog: connectors.Retract,
		Decoder: func(s *DecodeSpec) (Decoder, error) {
			d, err := newCDCDecoder(s, canal)
			if err != nil {
				return nil, err
			}
			d.envelope = canalEnvelope
			return d, nil
		},
		Encoder: func(s *EncodeSpec) (Encoder, error) {
			return newCDCEncoder(s, canal, [2]string{`{"data":[`, `],"type":"INSERT"}`}, [2]string{`{"data":[`, `],"type":"DELETE"}`})
		},
	})
}

var canalMembers = []string{"data", "old", "type"}

// canalEnvelope: old has of each row of an update the members that changed,
// as they were before.
func canalEnvelope(d *cdcDecoder, t *jsonText, at int) error {
	var m [3]int
	if err := t.whole(at, canalMembers, m[:]); err != nil {
		return err
	}
	change := t.plainString(m[2])
	var op vec.Op
	switch change {
	case "INSERT":
		op = vec.Insert
	case "UPDATE":
		op = vec.UpdateAfter
	case "DELETE":
		op = vec.Delete
	case "CREATE":
		return nil // a statement that changes no row
	default:
		return fmt.Errorf("member \"type\" is %q; known are INSERT, UPDATE and DELETE", change)
	}
	data, ok := t.firstOf(m[0])
	if !ok {
		return missingRow("data", change)
	}
	old, ok := t.firstOf(m[1])
	if op == vec.UpdateAfter && !ok {
		return missingRow("old", change)
	}
	return canalRows(d, t, op, data, old)
}

// canalRows walks the arrays data and old side by side.
func canalRows(d *cdcDecoder, t *jsonText, op vec.Op, data, old int) error {
	for data >= 0 {
		if t.b[data] != '{' {
			return fmt.Errorf("member \"data\" holds something that is no row")
		}
		if op == vec.UpdateAfter {
			if old < 0 || t.b[old] != '{' {
				return fmt.Errorf("member \"old\" has less rows than \"data\"")
			}
			d.add(vec.UpdateBefore, data, old)
			old = t.nextOf(old)
		}
		d.add(op, data, -1)
		data = t.nextOf(data)
	}
	return nil
}

// firstOf is the first element of the array at i, −1 if it is empty.
func (t *jsonText) firstOf(i int) (int, bool) {
	if i < 0 || t.b[i] != '[' {
		return -1, false
	}
	if i = t.space(i + 1); t.b[i] == ']' {
		return -1, true
	}
	return i, true
}

// nextOf is the element behind the one at i, −1 at the end. The array has
// been checked.
func (t *jsonText) nextOf(i int) int {
	end, err := t.skip(i, 1)
	if err != nil {
		return -1
	}
	if end = t.space(end); t.b[end] != ',' {
		return -1
	}
	return t.space(end + 1)
}
