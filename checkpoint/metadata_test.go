package checkpoint

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sampleMetadata() *Metadata {
	return &Metadata{
		Header: Header{RunID: "8f1e", JobHash: "abc", KeyHashVersion: 1, MaxParallelism: 128},
		ID:     42, Kind: Savepoint, Finished: true, TimeMillis: 1_790_000_000_123,
		Operators: []OperatorState{
			{UID: "agg", Index: 1, Parallelism: 2, Watermarks: []int64{math.MinInt64, 17}, Manifest: []byte{1, 2, 3},
				Chunks: []uint64{1 << 40, math.MaxUint64}, Layouts: []Layout{{"groups", 3, []byte{0, 4}}, {Name: "empty"}}},
			{UID: "filter"},
		},
		Sources: []SourceState{{Subtask{"src", 3}, []SplitState{
			{Split{"topic-0", []byte{9}}, 1000, true, false},
			{Split{"topic-1", nil}, math.MinInt64, false, false},
			{Split{"topic-2", []byte{}}, math.MaxInt64, false, true},
		}}},
		Pending: []Committable{{Subtask{"sink", 0}, 41, 7, []byte("tx")}, {Subtask{"sink", 1}, 42, 7, nil}},
	}
}

func TestMetadataRoundTrip(t *testing.T) {
	for _, m := range []*Metadata{sampleMetadata(), {}, {ID: 1, Kind: Final}} {
		got, err := DecodeMetadata(m.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(m, got); d != "" {
			t.Error(d)
		}
	}
}

func TestMetadataRefused(t *testing.T) {
	rec := sampleMetadata().Encode()
	flipped := append([]byte(nil), rec...)
	flipped[20] ^= 1
	for _, c := range []struct {
		name string
		rec  []byte
		kind error
		text string
	}{
		{"newer", sampleMetadata().encode(MetadataVersion + 1), ErrNewerFormat, "has format 2, this program reads up to 1; use a newer sqlstream"},
		{"format 0", sampleMetadata().encode(0), ErrCorrupt, "has format 0"},
		{"flipped byte", flipped, ErrCorrupt, "checksum"},
		{"cut off", rec[:len(rec)-1], ErrCorrupt, "checksum"},
		{"nothing", nil, ErrCorrupt, "cut off at 0 bytes"},
		{"other record", EncodeOutcome(Outcome{Status: Committed}), ErrCorrupt, `begins with "sqOC", expected "sqCK"`},
		{"bytes left", reseal(append(rec[:len(rec)-4:len(rec)-4], 7)), ErrCorrupt, "1 bytes too many"},
		{"huge count", reseal(append([]byte("sqCK\x01\x00"), 0xff, 0xff, 0xff, 0xff, 0x0f)), ErrCorrupt, "count beyond the end"},
	} {
		_, err := DecodeMetadata(c.rec)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %v with %q", c.name, err, c.kind, c.text)
		}
	}
}

func reseal(body []byte) []byte {
	return binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, castagnoli))
}

// FuzzMetadata: no bytes make the decoder panic, and what it accepts is
// written and read back as the same.
func FuzzMetadata(f *testing.F) {
	body := func(m *Metadata) []byte { r := m.Encode(); return r[:len(r)-4] }
	f.Add(body(sampleMetadata()))
	f.Add(body(&Metadata{}))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := DecodeMetadata(reseal(b))
		if err != nil {
			return
		}
		again, err := DecodeMetadata(m.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(m, again); d != "" {
			t.Fatal(d)
		}
	})
}

func FuzzOutcome(f *testing.F) {
	rec := EncodeOutcome(Outcome{Committable: Committable{Writer: Subtask{"s", 1}, Payload: []byte("p")}, Status: Lost, Detail: "d"})
	f.Add(rec[:len(rec)-4])
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := DecodeOutcome(reseal(b))
		if err != nil {
			return
		}
		again, err := DecodeOutcome(EncodeOutcome(o))
		if err != nil || !cmp.Equal(o, again) {
			t.Fatalf("%v, then %v, %v", o, again, err)
		}
	})
}
