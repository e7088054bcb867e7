package format

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var cdcFields = append(exectest.Columns("id INT, name STRING, ts TIMESTAMP(3)"),
	types.Field{Name: "tags", Type: types.ArrayOf(types.String())},
	types.Field{Name: "r", Type: types.RowOf(exectest.Columns("a INT, b STRING")...)})

// cdcSpec wants all columns, and a field of the row.
func cdcSpec() *DecodeSpec {
	s := &DecodeSpec{Schema: cdcFields, OnError: Skip}
	for i, f := range cdcFields {
		s.Columns, s.Output = append(s.Columns, []int{i}), append(s.Output, f)
	}
	s.Columns, s.Output = append(s.Columns, []int{4, 1}), append(s.Output, cdcFields[4].Type.Fields[1])
	return s
}

// No bytes break the decoders, and what they make is a sound batch.
func FuzzCDC(f *testing.F) {
	f.Add([]byte(`{"before":{"id":1},"after":{"id":2,"tags":["x",null],"r":{"a":1,"b":"y"}},"op":"u"}`))
	f.Add([]byte(`{"data":[{"id":"1","r":{"b":"y"}}],"old":[{"r":{"b":null},"id":null}],"type":"UPDATE"}`))
	f.Add([]byte(`{"data":[1,{}],"old":[{}],"type":"UPDATE"}`))
	f.Add([]byte(`{"data":[`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range []string{debezium, canal} {
			format, _ := Lookup(name)
			dec, err := format.Decoder(cdcSpec())
			if err != nil {
				t.Fatal(err)
			}
			m := messages(string(text))
			b := vec.NewBatch(exectest.Types(cdcSpec().Output)...)
			origin, err := dec.Decode(m, b)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := b.Check(len(cdcSpec().Output)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(origin) != b.N {
				t.Fatalf("%s: %d rows, the origin of %d", name, b.N, len(origin))
			}
			exectest.Format(cdcSpec().Output, b)
		}
	})
}

// The members that an old row of canal-json has replace those of the new one,
// also where only a field of a ROW is wanted.
func TestCanalOverlay(t *testing.T) {
	format, _ := Lookup(canal)
	dec, err := format.Decoder(cdcSpec())
	if err != nil {
		t.Fatal(err)
	}
	b := vec.NewBatch(exectest.Types(cdcSpec().Output)...)
	m := messages(`{"data":[{"id":1,"name":null,"tags":null,"r":null}],"old":[{"name":"x","tags":["t"],"r":{"b":"y"}}],"type":"UPDATE"}`)
	if _, err := dec.Decode(m, b); err != nil {
		t.Fatal(err)
	}
	got := exectest.Format(cdcSpec().Output, b)
	want := []string{"-U 1, x, NULL, [t], (NULL, y), y", "+U 1, NULL, NULL, NULL, NULL, NULL"}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %q, expected %q", got, want)
	}
}

func BenchmarkDebezium(b *testing.B) {
	format, _ := Lookup(debezium)
	fields := exectest.Columns("id INT, name STRING, qty INT")
	s := &DecodeSpec{Schema: fields, Output: fields, Columns: cdcSpec().Columns[:3]}
	dec, err := format.Decoder(s)
	if err != nil {
		b.Fatal(err)
	}
	text := ""
	for range 1024 {
		text += `{"before":{"id":1,"name":"a name","qty":5},"after":{"id":1,"name":"a name","qty":6},"op":"u","ts_ms":1735689600000}` + "\n"
	}
	m, batch := messages(text), vec.NewBatch(exectest.Types(fields)...)
	b.ReportAllocs()
	for i := 0; i < b.N; i += 1024 {
		if _, err := dec.Decode(m, batch); err != nil || batch.N < 2048 {
			b.Fatal(batch.N, err)
		}
	}
}
