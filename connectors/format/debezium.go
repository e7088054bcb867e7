package format

import (
	"fmt"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/vec"
)

const debezium = "debezium-json"

func init() {
	Register(&Format{
		Name: debezium,
		Doc:  "Changes of rows as Debezium writes them: before, after and op (c and r insert, u updates, d deletes).",
		Options: append(cdcOptions(debezium),
			connectors.Option{Key: debezium + ".schema-include", Kind: connectors.Boolean, Default: "false", Doc: "messages carry their schema; the change is in the member payload"}),
		Changelog: connectors.Retract,
		Decoder:   newDebeziumDecoder,
		Encoder: func(s *EncodeSpec) (Encoder, error) {
			return newCDCEncoder(s, debezium, [2]string{`{"before":null,"after":`, `,"op":"c"}`}, [2]string{`{"before":`, `,"after":null,"op":"d"}`})
		},
	})
}

func newDebeziumDecoder(s *DecodeSpec) (Decoder, error) {
	d, err := newCDCDecoder(s, debezium)
	if err != nil {
		return nil, err
	}
	wrapped := s.Options != nil && s.Options.Bool(s.Prefix+debezium+".schema-include")
	d.envelope = func(d *cdcDecoder, t *jsonText, at int) error { return debeziumEnvelope(d, t, at, wrapped) }
	return d, nil
}

var (
	payloadMember   = []string{"payload"}
	debeziumMembers = []string{"before", "after", "op"}
)

func debeziumEnvelope(d *cdcDecoder, t *jsonText, at int, wrapped bool) error {
	var m [3]int
	if wrapped {
		if err := t.whole(at, payloadMember, m[:1]); err != nil || m[0] < 0 {
			return err // no payload: a tombstone
		}
		if _, err := t.positions(m[0], 2, debeziumMembers, m[:]); err != nil {
			return err
		}
	} else if err := t.whole(at, debeziumMembers, m[:]); err != nil {
		return err
	}
	before, after := m[0], m[1]
	op := t.plainString(m[2])
	switch op {
	case "c":
		return d.addRow(t, vec.Insert, after, "after", `op "c"`)
	case "r":
		return d.addRow(t, vec.Insert, after, "after", `op "r"`)
	case "u":
		if err := d.addRow(t, vec.UpdateBefore, before, "before", `op "u"`); err != nil {
			return fmt.Errorf("%w; the source database must send old rows (PostgreSQL: REPLICA IDENTITY FULL)", err)
		}
		return d.addRow(t, vec.UpdateAfter, after, "after", `op "u"`)
	case "d":
		if err := d.addRow(t, vec.Delete, before, "before", `op "d"`); err != nil {
			return fmt.Errorf("%w; the source database must send old rows (PostgreSQL: REPLICA IDENTITY FULL)", err)
		}
		return nil
	}
	return fmt.Errorf("member \"op\" is %q; known are c, r, u and d", op)
}

// addRow adds the object at at.
func (d *cdcDecoder) addRow(t *jsonText, op vec.Op, at int, member, change string) error {
	if at < 0 || t.b[at] != '{' {
		return missingRow(member, change)
	}
	d.add(op, at, -1)
	return nil
}

// whole is positions of an object that is the whole message.
func (t *jsonText) whole(i int, names []string, at []int) error {
	end, err := t.positions(i, 1, names, at)
	if err != nil {
		return err
	}
	if end = t.space(end); end != len(t.b) {
		return t.errorAt(end, "the end of the message")
	}
	return nil
}
