package kafka

import (
	"context"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/broker"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// benchRows is n rows of about 260 bytes as JSON.
func benchRows(n int) *vec.Batch {
	b := rowsOf()
	text := strings.Repeat("0123456789", 24)
	for i := range n {
		b.Cols[0].I64 = append(b.Cols[0].I64, int64(i))
		b.Cols[1].AppendBytes([]byte(text))
		b.N++
	}
	return b
}

// BenchmarkSink includes the embedded broker, which runs in the process.
func BenchmarkSink(b *testing.B) {
	br := startBroker(b, broker.Topic{Name: "t"})
	table := mustTable(b, "kafka", idColumns, nil, jsonOptions(br.Addr()))
	w := openWriterOf(b, "kafka", table)
	defer w.Close()
	rows := benchRows(4096)
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Write(context.Background(), rows); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows.N), "ns/row")
}

// BenchmarkSource reads a topic again and again; the broker is in the
// process.
func BenchmarkSource(b *testing.B) {
	br := startBroker(b, broker.Topic{Name: "t"})
	table := mustTable(b, "kafka", idColumns, nil, jsonOptions(br.Addr()))
	w := openWriterOf(b, "kafka", table)
	rows := benchRows(8192)
	const n = 25 * 8192
	for range n / 8192 {
		if err := w.Write(context.Background(), rows); err != nil {
			b.Fatal(err)
		}
	}
	writeAll(b, w)
	scan := fullScan(table)
	batch := batchOf(scan)
	b.ReportAllocs()
	read := 0
	for b.Loop() {
		r := openReader(b, "kafka", table, scan, nil)
		for ended := false; !ended; {
			var err error
			if _, ended, err = r.Next(context.Background(), batch); err != nil {
				b.Fatal(err)
			}
			read += batch.N
		}
		r.Close()
	}
	if read != n*b.N {
		b.Fatalf("%d rows read, want %d", read, n*b.N)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(read), "ns/row")
}
