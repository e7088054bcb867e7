package txnlog

import (
	"context"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/badger"
)

// BenchmarkLog is the log on Badger: 100,000 records of 260 bytes a
// transaction, made durable, then deleted.
func BenchmarkLog(b *testing.B) {
	s, err := badger.Open(b.TempDir(), checkpoint.Job{Name: "j"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	const records = 100_000
	l := New(s.Journal("sink"), NewUsage(1<<30))
	defer l.Close()
	ctx := context.Background()
	value := []byte(strings.Repeat("0123456789", 25))
	key := []byte("12345678")
	for b.Loop() {
		l.Begin("t")
		for i := range records {
			l.Append(int32(i&3), int64(i), key, value, nil)
			if i%1000 == 0 {
				if err := l.Push(ctx); err != nil {
					b.Fatal(err)
				}
			}
		}
		if err := l.End(ctx); err != nil {
			b.Fatal(err)
		}
		if err := l.Sync(ctx, false); err != nil {
			b.Fatal(err)
		}
		l.Keep()
		if err := l.Drop(ctx, "t"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
}

// BenchmarkSmall is the least that a transaction costs: one chunk.
func BenchmarkSmall(b *testing.B) {
	s, err := badger.Open(b.TempDir(), checkpoint.Job{Name: "j"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	l := New(s.Journal("sink"), NewUsage(1<<30))
	defer l.Close()
	ctx := context.Background()
	for b.Loop() {
		l.Begin("t")
		l.Append(0, 0, nil, []byte("value"), nil)
		if err := l.End(ctx); err != nil {
			b.Fatal(err)
		}
		if err := l.Sync(ctx, false); err != nil {
			b.Fatal(err)
		}
		l.Keep()
		if err := l.Drop(ctx, "t"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppend is the encoding alone, on the writer's goroutine.
func BenchmarkAppend(b *testing.B) {
	value := []byte(strings.Repeat("0123456789", 25))
	key := []byte("12345678")
	chunk := make([]byte, 0, chunkBytes)
	r := Record{Partition: 1, Millis: 1_700_000_000_000, Key: key, Value: value}
	b.ReportAllocs()
	for b.Loop() {
		if len(chunk) > chunkBytes-1000 {
			chunk = seal(chunk)[:0]
		}
		chunk = appendRecord(chunk, &r)
	}
}
