package recordbatch

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
	"pgregory.net/rapid"
)

type rec struct {
	ts         int64
	key, value []byte
	headers    []Header
}

func build(t testing.TB, recs []rec, p Producer, codec Codec) []byte {
	t.Helper()
	var b Builder
	for _, r := range recs {
		b.Append(r.ts, r.key, r.value, r.headers)
	}
	out, err := b.Finish(p, codec, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func drawBytes(t *rapid.T, label string) []byte {
	if rapid.Bool().Draw(t, label+" null") {
		return nil
	}
	return append([]byte{}, rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, label)...)
}

func drawRecs(t *rapid.T) []rec {
	recs := make([]rec, rapid.IntRange(1, 50).Draw(t, "records"))
	for i := range recs {
		recs[i] = rec{ts: rapid.Int64Range(0, 1<<45).Draw(t, "ts"), key: drawBytes(t, "key"), value: drawBytes(t, "value")}
		for range rapid.IntRange(0, 2).Draw(t, "headers") {
			recs[i].headers = append(recs[i].headers, Header{rapid.StringN(0, 5, -1).Draw(t, "h"), drawBytes(t, "hv")})
		}
	}
	return recs
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		recs := drawRecs(rt)
		codec := Codec(rapid.IntRange(0, 4).Draw(rt, "codec"))
		p := Producer{ID: 7, Epoch: 3, Sequence: 11, Transactional: rapid.Bool().Draw(rt, "tx")}
		data := build(t, recs, p, codec)
		rd := NewReader(data)
		b, ok, err := rd.Next()
		if err != nil || !ok {
			rt.Fatalf("Next: ok=%v err=%v", ok, err)
		}
		if _, more, err := rd.Next(); more || err != nil {
			rt.Fatalf("a second batch: %v %v", more, err)
		}
		if b.ProducerID != 7 || b.ProducerEpoch != 3 || b.BaseSequence != 11 || b.Transactional() != p.Transactional || b.Control() {
			rt.Fatalf("header %+v", b)
		}
		var r Records
		if err := b.AppendTo(&r, &rd); err != nil {
			rt.Fatal(err)
		}
		compare(rt, recs, &r)
	})
}

func compare(t *rapid.T, want []rec, got *Records) {
	if got.Len() != len(want) {
		t.Fatalf("%d records, want %d", got.Len(), len(want))
	}
	for i, w := range want {
		if got.Timestamps[i] != w.ts || got.Offsets[i] != int64(i) {
			t.Fatalf("record %d: ts %d offset %d", i, got.Timestamps[i], got.Offsets[i])
		}
		if !same(got.Key(i), w.key) || !same(got.Value(i), w.value) {
			t.Fatalf("record %d: key %q value %q, want %q %q", i, got.Key(i), got.Value(i), w.key, w.value)
		}
		hs := got.HeadersAt(i)
		if len(hs) != len(w.headers) {
			t.Fatalf("record %d: headers %v, want %v", i, hs, w.headers)
		}
		for j, h := range hs {
			if h.Key != w.headers[j].Key || !same(h.Value, w.headers[j].Value) {
				t.Fatalf("record %d header %d: %v, want %v", i, j, h, w.headers[j])
			}
		}
	}
}

func same(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }

// TestOtherClientsReadOurs decodes our bytes with kmsg, an independent
// implementation.
func TestOtherClientsReadOurs(t *testing.T) {
	data := build(t, []rec{{5, []byte("k"), []byte("v"), []Header{{"h", []byte("x")}}}, {9, nil, nil, nil}}, Producer{ID: 1, Epoch: 2, Sequence: 3, Transactional: true}, None)
	var kb kmsg.RecordBatch
	if err := kb.ReadFrom(data); err != nil {
		t.Fatal(err)
	}
	if kb.NumRecords != 2 || kb.LastOffsetDelta != 1 || kb.FirstTimestamp != 5 || kb.MaxTimestamp != 9 || kb.FirstSequence != 3 || kb.Attributes != 16 {
		t.Fatalf("%+v", kb)
	}
	var kr kmsg.Record
	if err := kr.ReadFrom(kb.Records); err != nil {
		t.Fatal(err)
	}
	if string(kr.Key) != "k" || string(kr.Value) != "v" || len(kr.Headers) != 1 || kr.Headers[0].Key != "h" {
		t.Fatalf("%+v", kr)
	}
}

func TestPartialBatchIsLeftAndCorruptionRefused(t *testing.T) {
	data := build(t, []rec{{1, nil, []byte("value"), nil}}, Producer{ID: -1}, None)
	for n := range len(data) {
		rd := NewReader(data[:n])
		if _, ok, err := rd.Next(); ok || err != nil {
			t.Fatalf("cut at %d: ok=%v err=%v", n, ok, err)
		}
	}
	for i := posCRC; i < len(data); i++ {
		bad := bytes.Clone(data)
		bad[i] ^= 0x40
		rd := NewReader(bad)
		if _, _, err := rd.Next(); err == nil || !strings.Contains(err.Error(), "corrupt") {
			t.Fatalf("flip at %d: %v", i, err)
		}
	}
}

func TestFilterHidesAbortedRanges(t *testing.T) {
	batch := func(off, pid int64, attr int16, key []byte) Batch {
		var bd Builder
		bd.Append(0, key, nil, nil)
		d, _ := bd.Finish(Producer{ID: pid}, None, nil)
		rd := NewReader(d)
		b, _, err := rd.Next()
		if err != nil {
			t.Fatal(err)
		}
		b.BaseOffset, b.LastOffset, b.attributes = off, off, attr
		return b
	}
	const tx, control = attrTransactional, attrTransactional | attrControl
	abort, commit := []byte{0, 0, 0, 0}, []byte{0, 0, 0, 1}
	log := []Batch{
		batch(0, 1, tx, nil),         // aborted
		batch(1, 2, tx, nil),         // committed
		batch(2, 1, control, abort),  //
		batch(3, 1, tx, nil),         // the same producer's next transaction
		batch(4, 2, control, commit), //
		batch(5, 1, 0, nil),          // outside any transaction
		batch(6, 1, control, commit),
		batch(7, 2, tx, nil), // aborted
	}
	f := NewFilter([]Aborted{{2, 7}, {1, 0}})
	var got []string
	for i := range log {
		if f.Keep(&log[i]) {
			got = append(got, fmt.Sprint(log[i].BaseOffset))
		}
	}
	if s := strings.Join(got, " "); s != "1 3 5" {
		t.Fatalf("kept %s, want 1 3 5", s)
	}
}

func FuzzDecode(f *testing.F) {
	for c := None; c <= Zstd; c++ {
		f.Add(build(f, []rec{{1, []byte("k"), []byte("v"), []Header{{"a", nil}}}, {2, nil, nil, nil}}, Producer{ID: 1}, c), uint8(c))
	}
	f.Fuzz(func(t *testing.T, data []byte, attr uint8) {
		rd := NewReader(data)
		rd.Next()
		// Past the checksum, too.
		rd = NewReader(data)
		b := Batch{Count: len(data) % 9, LastOffset: 8, attributes: int16(attr), body: data}
		var r Records
		if b.AppendTo(&r, &rd) == nil {
			for i := range r.Len() {
				r.Key(i)
				r.Value(i)
				r.HeadersAt(i)
			}
		}
		b.aborts()
	})
}

// TestBatchesAppend reads several batches into one Records, as a topic of
// small batches needs it.
func TestBatchesAppend(t *testing.T) {
	for _, codec := range []Codec{None, LZ4} {
		data := build(t, []rec{{1, nil, []byte("a"), nil}}, Producer{ID: 1}, codec)
		data = append(data, build(t, []rec{{2, []byte("k"), nil, nil}, {3, nil, []byte("c"), nil}}, Producer{ID: 1}, codec)...)
		rd := NewReader(data)
		var r Records
		for {
			b, ok, err := rd.Next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			if !b.CanAppendTo(&r) {
				t.Fatal("batches of one codec do not append")
			}
			if err := b.AppendTo(&r, &rd); err != nil {
				t.Fatal(err)
			}
		}
		if r.Len() != 3 || string(r.Value(0)) != "a" || r.Value(1) != nil || string(r.Key(1)) != "k" || string(r.Value(2)) != "c" || r.Key(0) != nil {
			t.Fatalf("codec %d: %d records, values %q %q %q", codec, r.Len(), r.Value(0), r.Value(1), r.Value(2))
		}
	}
}

var value260 = bytes.Repeat([]byte("0123456789"), 26)

func BenchmarkDecode(b *testing.B) {
	var bd Builder
	for i := range 1000 {
		bd.Append(int64(i), nil, value260, nil)
	}
	data, _ := bd.Finish(Producer{ID: 1}, None, nil)
	var r Records
	b.ReportAllocs()
	for b.Loop() {
		rd := NewReader(data)
		r.Reset()
		batch, _, err := rd.Next()
		if err == nil {
			err = batch.AppendTo(&r, &rd)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/record")
}

func BenchmarkEncode(b *testing.B) {
	var bd Builder
	b.ReportAllocs()
	for b.Loop() {
		bd.Reset(nil)
		for i := range 1000 {
			bd.Append(int64(i), nil, value260, nil)
		}
		bd.Finish(Producer{ID: 1}, None, nil)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/record")
}
