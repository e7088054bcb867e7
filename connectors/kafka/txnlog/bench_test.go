package txnlog

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/badger"
)

// orders are records of about 250 bytes as JSON, no two alike.
func orders() [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("deliver leave at door ring twice neighbour gift wrapped fragile return before noon call evening stairs garden box heavy cold keep upright")
	list := make([][]byte, 4096)
	for i := range list {
		note := ""
		for len(note) < 110 {
			note += words[r.IntN(len(words))] + " "
		}
		list[i] = fmt.Appendf(nil, `{"order_id":%d,"customer":"c-%06d","amount":%d.%02d,"at":"2026-11-29 %02d:%02d:%02d","status":"open","note":"%s"}`,
			r.IntN(1e9), r.IntN(1e6), r.IntN(900), r.IntN(100), r.IntN(24), r.IntN(60), r.IntN(60), note)
	}
	return list
}

// BenchmarkLog is the log on Badger: 100,000 records of 250 bytes a
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
	values := orders()
	key := []byte("12345678")
	for b.Loop() {
		l.Begin("t")
		for i := range records {
			l.Append(int32(i&3), int64(i), key, values[i%len(values)], nil)
			if i%1000 == 0 {
				if err := l.Push(ctx); err != nil {
					b.Fatal(err)
				}
			}
		}
		if err := l.End(ctx); err != nil {
			b.Fatal(err)
		}
		if err := l.Sync(ctx, 1, false); err != nil {
			b.Fatal(err)
		}
		l.Keep(1)
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
		if err := l.Sync(ctx, 1, false); err != nil {
			b.Fatal(err)
		}
		l.Keep(1)
		if err := l.Drop(ctx, "t"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppend is what the writer's goroutine does: encoding and packing.
func BenchmarkAppend(b *testing.B) {
	values, n := orders(), 0
	key := []byte("12345678")
	chunk := make([]byte, 0, chunkBytes+1000)
	r := Record{Partition: 1, Millis: 1_700_000_000_000, Key: key}
	for b.Loop() {
		n++
		r.Value = values[n%len(values)]
		if len(chunk) > chunkBytes {
			seal(chunk)
			chunk = chunk[:0]
		}
		chunk = appendRecord(chunk, &r)
	}
}
