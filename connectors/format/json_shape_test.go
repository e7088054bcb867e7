package format

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/vec"
)

const shapeColumns = "kind INT, a ROW<id BIGINT, s STRING, t TIMESTAMP(3)>, b ROW<id SMALLINT, d DATE, f DOUBLE, t TIMESTAMP(9)>, n DECIMAL(8, 2), skipped STRING, z TIMESTAMP_LTZ(3)"

// decodeBoth reads the messages once with shapes and once without, and
// returns the rows, or the error, of each.
func decodeBoth(t testing.TB, on OnError, lines []string) (with, without string, shapes *jsonShapes) {
	var out [2]string
	for k := range out {
		fields := exectest.Columns(shapeColumns)
		s := &DecodeSpec{Schema: fields, Zone: time.UTC, OnError: on}
		var told strings.Builder
		s.Bad = func(i int, err error) { fmt.Fprintf(&told, "bad message %d: %s\n", i, err) }
		for _, p := range []connectors.Path{{0}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}, {2, 3}, {3}, {5}} {
			f := fields[p[0]]
			if len(p) == 2 {
				f = f.Type.Fields[p[1]]
			}
			s.Columns, s.Output = append(s.Columns, p), append(s.Output, f)
		}
		d, err := newJSONDecoder(s)
		if err != nil {
			t.Fatal(err)
		}
		if k == 1 {
			d.shapes.pause = math.MaxInt
		}
		b := vec.NewBatch(exectest.Types(s.Output)...)
		m := &Messages{}
		for _, l := range lines {
			m.Spans = append(m.Spans, vec.Span{Off: uint32(len(m.Data)), Len: uint32(len(l))})
			m.Data = append(m.Data, l...)
		}
		if _, err = d.Decode(m, b); err != nil {
			out[k] = err.Error()
			continue
		}
		out[k] = told.String() + strings.Join(exectest.Format(s.Output, b), "\n")
		if k == 0 {
			shapes = &d.shapes
		}
	}
	return out[0], out[1], shapes
}

const (
	shapeA = `{"kind":1,"a":{"id":12,"s":"abc","t":"2025-01-01 10:11:12.345"},"b":null,"n":1.25,"skipped":"x","extra":7,"z":"2025-01-01 10:11:12.345Z"}`
	shapeB = `{"kind":2,"a":null,"b":{"id":7,"d":"2025-01-01","f":2.5,"t":"2025-01-01 10:11:12.345678901"},"n":3,"skipped":"a longer text","z":null}`
)

// A message of a known form is read as any other: also when a value is of
// another kind than before, out of range, or not good.
func TestJSONShapes(t *testing.T) {
	var lines []string
	for _, change := range [][2]string{
		{`12,`, `-12,`}, {`12,`, `123456789012,`}, {`12,`, `"34",`}, {`12,`, `null,`}, {`"abc"`, `null`}, {`"abc"`, `17`}, {`"abc"`, `"grün"`},
		{`"abc"`, `"a\nb"`}, {`"x"`, `"\\"`}, {`"x"`, `{"deep":[1,"é"]}`}, {`:7`, `:-0.5e3`}, {`"2025-01-01 10:11:12.345"`, `"1969-12-31 23:59:59.999"`},
		{`"2025-01-01 10:11:12.345"`, `"2025-01-01 10:11:12"`}, {`"x",`, `"x" ,`}, {`,"extra":7`, ``}, {`"kind":1`, `"kind":1,"kind":5`}, {`1.25`, `99999999`},
		{`10:11:12.345"`, `10:11:13.346"`}, {`"abc"`, `""`}, {`}`, `} `},
	} {
		lines = append(lines, shapeA, shapeB, strings.Replace(shapeA, change[0], change[1], 1), shapeA)
	}
	with, without, shapes := decodeBoth(t, Fail, lines)
	if with != without {
		t.Fatalf("with shapes\n%s\nwithout\n%s", with, without)
	}
	if shapes.hit < len(lines)/2 || shapes.hit > len(lines) {
		t.Errorf("%d of %d messages were read by their shapes", shapes.hit, len(lines))
	}
	for _, bad := range [][2]string{
		{`12,`, `012,`}, {`:7`, `:07`}, {`12,`, `12.,`}, {`"abc"`, "\"a\x01c\""}, {`"abc"`, "\"a\xff\""}, {`"x"`, "\"\xc3\""}, {`"x"`, "{\"\xff\":1}"}, {`"x"`, "\"\x00\""},
		{`10:11:12.345"`, `10:11:62.345"`}, {`10:11:12.345"`, `10:11:12.3x5"`}, {`"kind":1`, `"kind":12345678901`}, {`}`, ``}, {`"z":"2025-01-01 10:11:12.345Z"}`, `"z":"2025`},
		{`"2025-01-01 10:11:12.345"`, "\"" + strings.Repeat("\x00", 16) + ":00.000\""},
	} {
		for _, on := range []OnError{Fail, Skip, NullField} {
			with, without, _ := decodeBoth(t, on, []string{shapeA, shapeB, strings.Replace(shapeA, bad[0], bad[1], 1), shapeA})
			if with != without || on == Fail && !strings.Contains(with, " ") {
				t.Errorf("%q for %q: with shapes\n%s\nwithout\n%s", bad[1], bad[0], with, without)
			}
		}
	}
}

// Forms that come once do not stop the use of others, and where none comes
// again, trying ends.
func TestJSONShapesComeAndGo(t *testing.T) {
	var lines []string
	for i := range 3 * shapeRound {
		lines = append(lines, shapeA, fmt.Sprintf(`{"kind":1,"key%d":1}`, i))
	}
	with, without, shapes := decodeBoth(t, Fail, lines)
	if with != without || len(shapes.list) != maxShapes || shapes.list[0].hits < shapeRound/4 {
		t.Errorf("%d shapes, the first with %d hits, expected %d and over %d", len(shapes.list), shapes.list[0].hits, maxShapes, shapeRound/4)
	}
	lines = lines[:0]
	for i := range 2 * shapeRound {
		lines = append(lines, fmt.Sprintf(`{"kind":1,"key%d":1}`, i))
	}
	with, without, shapes = decodeBoth(t, Fail, lines)
	if with != without || shapes.pause == 0 || len(shapes.list) > 0 {
		t.Errorf("shapes that never fit are still tried")
	}
}

// Whatever follows two known forms is read, refused or left out as without shapes.
func FuzzJSONShapes(f *testing.F) {
	f.Add(shapeA, 0, byte(' '))
	f.Add(shapeB, 40, byte('"'))
	f.Fuzz(func(t *testing.T, line string, at int, c byte) {
		if strings.Count(line, "[")+strings.Count(line, "{") > maxDepth/2 {
			return
		}
		changed := []byte(line)
		if len(changed) > 0 {
			changed[uint(at)%uint(len(changed))] = c
		}
		lines := []string{shapeA, shapeB, line, string(changed), line}
		for _, on := range []OnError{Fail, Skip, NullField} {
			if with, without, _ := decodeBoth(t, on, lines); with != without {
				t.Errorf("%q, %q: with shapes\n%s\nwithout\n%s", line, changed, with, without)
			}
		}
	})
}
