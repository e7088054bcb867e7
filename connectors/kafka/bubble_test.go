package kafka

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sqlstream/sqlstream/broker"
)

// TestInFakeTime runs sink and source in a bubble, where an hour passes at
// once. The bubble also shows that no goroutine is left behind.
func TestInFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipe := broker.NewPipe()
		b, err := broker.Start(broker.Options{Listen: "127.0.0.1:9092", ListenFn: pipe.Listen, Topics: []broker.Topic{{Name: "t", Partitions: 2}}})
		if err != nil {
			t.Fatal(err)
		}
		dialForTests = pipe.DialContext
		defer func() { dialForTests = nil }()
		table := mustTable(t, "kafka", idColumns, nil, jsonOptions(b.Addr(), "scan.bounded.mode", "unbounded"))
		w := openWriterOf(t, "kafka", table)
		scan := fullScan(table)
		r := openReader(t, "kafka", table, scan, nil)
		batch := batchOf(scan)
		for i := range 3 {
			time.Sleep(time.Hour)
			if err := w.Write(context.Background(), rowsOf(i)); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(context.Background()); err != nil {
				t.Fatal(err)
			}
			for batch.N = 0; batch.N == 0; {
				if _, _, err := r.Next(context.Background(), batch); err != nil {
					t.Fatal(err)
				}
			}
			if got := batch.Cols[0].I64[0]; got != int64(i) {
				t.Fatalf("read %d, want %d", got, i)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		b.Close()
	})
}
