package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Every text is accepted or refused as encoding/json does, but for invalid
// UTF-8, which is refused.
func FuzzJSONSyntax(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,-0.5e+3,"x\u00e9\n",true,false,null]}`, `{"a":01}`, `[`, `"\ud83d\ude80"`, "\"\xff\"", `{"a" : 1 }`, `{"a":1,}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if bytes.Count(b, []byte("[")) > maxDepth/2 || bytes.Count(b, []byte("{")) > maxDepth/2 {
			return
		}
		text, err := newText(b)
		if err == nil {
			var end int
			if end, err = text.skip(text.space(0), 1); err == nil && text.space(end) != len(b) {
				err = text.errorAt(text.space(end), "the end")
			}
		}
		if want := json.Valid(b) && utf8.Valid(b); want != (err == nil) {
			t.Errorf("%q: valid is %v, but %v", b, want, err)
		}
	})
}

// A string value is what encoding/json makes of it.
func FuzzJSONString(f *testing.F) {
	f.Add(`plain`)
	f.Add("quote\" slash\\ tab\t é 🚀 \u0001")
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		own := appendJSONString(nil, []byte(s))
		var back string
		if err := json.Unmarshal(own, &back); err != nil || back != s {
			t.Fatalf("%q is written as %s and read back as %q (%v)", s, own, back, err)
		}
		for _, quoted := range [][]byte{own, must(json.Marshal(s))} {
			b := decodeOne(t, "s STRING", `{"s":`+string(quoted)+`}`)
			if got := string(b.Cols[0].BytesAt(0)); got != s {
				t.Fatalf("%s is read as %q, expected %q", quoted, got, s)
			}
		}
	})
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func decodeOne(t testing.TB, columns, message string) *vec.Batch {
	fields := exectest.Columns(columns)
	d, err := newJSONDecoder(specOf(fields))
	if err != nil {
		t.Fatal(err)
	}
	b := vec.NewBatch(exectest.Types(fields)...)
	if _, err := d.Decode(messages(message), b); err != nil {
		t.Fatal(err)
	}
	return b
}

func specOf(fields []types.Field) *DecodeSpec {
	s := &DecodeSpec{Schema: fields, Output: fields, Zone: time.UTC}
	for i := range fields {
		s.Columns = append(s.Columns, connectors.Path{i})
	}
	return s
}

// The order of keys changes from message to message, keys come and go: the
// learnt order is only a guess.
func TestJSONKeyOrder(t *testing.T) {
	m := messages(strings.Join([]string{`{"a":1,"b":2}`, `{"b":4,"a":3}`, `{"c":0,"a":5,"b":6}`, `{"a":7}`, `{"b":8}`, `{"\u0061":9,"b":10}`}, "\n"))
	fields := exectest.Columns("a INT, b INT")
	d, err := newJSONDecoder(specOf(fields))
	if err != nil {
		t.Fatal(err)
	}
	b := vec.NewBatch(exectest.Types(fields)...)
	if _, err := d.Decode(m, b); err != nil {
		t.Fatal(err)
	}
	want := "+I 1, 2|+I 3, 4|+I 5, 6|+I 7, NULL|+I NULL, 8|+I 9, 10"
	if got := strings.Join(exectest.Format(fields, b), "|"); got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
}

// A decoder used for batch after batch keeps nothing of the one before.
func TestJSONReuse(t *testing.T) {
	fields := exectest.Columns("s STRING, xs ARRAY<STRING>")
	d, err := newJSONDecoder(specOf(fields))
	if err != nil {
		t.Fatal(err)
	}
	b := vec.NewBatch(exectest.Types(fields)...)
	for round := range 3 {
		m := messages(fmt.Sprintf(`{"s":"a\n%d","xs":["x\t","y%d"]}`+"\n"+`{"s":null}`, round, round))
		if _, err := d.Decode(m, b); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("+I a\n%d, [x\t, y%d]|+I NULL, NULL", round, round)
		if got := strings.Join(exectest.Format(fields, b), "|"); got != want {
			t.Errorf("got %q, expected %q", got, want)
		}
	}
}

// bid is a Nexmark record of 260 bytes with six fields that are read.
const bid = `{"event_type":2,"person":null,"auction":null,"bid":{"auction":1000,"bidder":1001,"price":1234567,"channel":"Google","url":"https://www.nexmark.com/googl/item.htm?query=1","dateTime":"2025-01-01 00:00:00.000","extra":"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"}}`

func benchmarkMessages(n int) *Messages {
	m := &Messages{}
	for range n {
		m.Spans = append(m.Spans, vec.Span{Off: uint32(len(m.Data)), Len: uint32(len(bid))})
		m.Data = append(m.Data, bid...)
	}
	return m
}

const bidRow = "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, dateTime TIMESTAMP(3), extra STRING"

func BenchmarkJSONDecode(b *testing.B) {
	schema := exectest.Columns("event_type INT, person ROW<id BIGINT>, auction ROW<id BIGINT>, bid ROW<" + bidRow + ">")
	s := &DecodeSpec{Schema: schema, Zone: time.UTC}
	for i, f := range schema[3].Type.Fields[:6] {
		s.Columns, s.Output = append(s.Columns, connectors.Path{3, i}), append(s.Output, f)
	}
	d, err := newJSONDecoder(s)
	if err != nil {
		b.Fatal(err)
	}
	const n = 1024
	m, batch := benchmarkMessages(n), vec.NewBatch(exectest.Types(s.Output)...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Decode(m, batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
}

// Integers are written as strconv writes them, whatever room there is.
func TestAppendDecimalInt(t *testing.T) {
	numbers := []int64{0, math.MinInt64, math.MaxInt64, -1}
	for p := int64(1); p <= 1e17; p *= 10 {
		numbers = append(numbers, p-1, p, p+1, 5*p)
	}
	for _, x := range numbers {
		for _, room := range []int{0, 7, 64} {
			if got, want := string(appendDecimalInt(make([]byte, 0, room), x)), strconv.FormatInt(x, 10); got != want {
				t.Errorf("%d is written as %s", x, got)
			}
		}
	}
}

func BenchmarkJSONEncode(b *testing.B) {
	fields := exectest.Columns(bidRow)
	s := &EncodeSpec{Fields: fields, Columns: []int{0, 1, 2, 3, 4, 5, 6}}
	e, err := newJSONEncoder(s)
	if err != nil {
		b.Fatal(err)
	}
	batch := vec.NewBatch(exectest.Types(fields)...)
	const n = 1024
	d, err := newJSONDecoder(specOf(fields))
	if err != nil {
		b.Fatal(err)
	}
	inner := messages(strings.Repeat(bid[strings.Index(bid, `"bid":`)+6:len(bid)-1]+"\n", n))
	if _, err := d.Decode(inner, batch); err != nil {
		b.Fatal(err)
	}
	var m Messages
	b.ReportAllocs()
	for b.Loop() {
		m.Reset()
		if err := e.Encode(batch, batch.Rows(), &m); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
}
