package kafka

import (
	"context"
	"testing"

	"github.com/sqlstream/sqlstream/broker"
	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/badger"
	"github.com/sqlstream/sqlstream/exec"
)

// BenchmarkTransaction is a transaction of 65,536 rows of 260 bytes on the
// embedded broker, begun, written, pre-committed and committed, with and
// without the pre-commit log in Badger. barrier-ms is the time in PreCommit.
func BenchmarkTransaction(b *testing.B) {
	for _, log := range []string{"false", "true"} {
		b.Run("log="+log, func(b *testing.B) { benchTransaction(b, log) })
	}
}

func benchTransaction(b *testing.B, log string) {
	br := startBroker(b, broker.Topic{Name: "t"})
	store, err := badger.Open(b.TempDir(), checkpoint.Job{Name: "j"})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	st, err := openSink(mustTable(b, "kafka", idColumns, nil, jsonOptions(br.Addr(), "sink.semantic", "exactly-once", optLog, log)), false)
	if err != nil {
		b.Fatal(err)
	}
	s, err := st.Sink()
	if err != nil {
		b.Fatal(err)
	}
	ctx, sc := context.Background(), sinkContextFor(store.Journal("sink"), false)
	c, err := s.(exec.TwoPhaseCommitSink).Committer(ctx, sc)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	for _, f := range []func(context.Context, []exec.Committable) error{c.Start, c.Recover} {
		if err := f(ctx, nil); err != nil {
			b.Fatal(err)
		}
	}
	writer, err := s.Writer(ctx, sc)
	if err != nil {
		b.Fatal(err)
	}
	defer writer.Close()
	w, rows, id := writer.(exec.PreCommitter), benchRows(4096), checkpoint.ID(0)
	var barrier int64
	for b.Loop() {
		for range 16 {
			if err := w.Write(ctx, rows); err != nil {
				b.Fatal(err)
			}
		}
		id++
		begin := sc.Clock.Now()
		list, err := w.PreCommit(ctx, id, false)
		if err != nil {
			b.Fatal(err)
		}
		barrier += sc.Clock.Now().Sub(begin).Milliseconds()
		outcomes, err := c.Commit(ctx, list)
		if err != nil {
			b.Fatal(err)
		}
		if err := store.SaveOutcomes(outcomes); err != nil {
			b.Fatal(err)
		}
		if err := w.Settled(list); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/65536, "ns/row")
	b.ReportMetric(float64(barrier)/float64(b.N), "barrier-ms")
}
