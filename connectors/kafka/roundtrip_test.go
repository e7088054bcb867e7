package kafka

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sqlstream/sqlstream/broker"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/twmb/franz-go/pkg/kgo"
)

func jsonOptions(addr string, more ...string) map[string]string {
	return with(map[string]string{"topic": "t", "properties.bootstrap.servers": addr, "format": "json",
		"scan.startup.mode": "earliest-offset", "scan.bounded.mode": "latest-offset"}, more...)
}

func upsertJSON(addr string, more ...string) map[string]string {
	return with(map[string]string{"topic": "t", "properties.bootstrap.servers": addr, "key.format": "json", "value.format": "json",
		"scan.bounded.mode": "latest-offset"}, more...)
}

func sinkContextFor(j exec.Journal, restart bool) exec.SinkContext {
	c := sourceContext(nil)
	return exec.SinkContext{Subtask: c.Subtask, Parallelism: 1, UID: "sink", JobName: "job", RunID: "run1", Clock: c.Clock, Metrics: c.Metrics,
		Log: c.Log, Journal: j, Interval: 10 * time.Second, MaxConcurrent: 1, Restart: restart}
}

func openWriterOf(t testing.TB, connector string, table *connectors.Table) exec.Writer {
	t.Helper()
	c, _ := connectors.Lookup(connector)
	st, err := c.Sink(table)
	if err != nil {
		t.Fatal(err)
	}
	s, err := st.Sink()
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Writer(context.Background(), sinkContextFor(newJournal(), false))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func writeAll(t testing.TB, w exec.Writer, batches ...*vec.Batch) {
	t.Helper()
	for _, b := range batches {
		if err := w.Write(context.Background(), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for _, codec := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
		for _, semantic := range []string{"none", "at-least-once"} {
			t.Run(codec+" "+semantic, func(t *testing.T) {
				b := startBroker(t, broker.Topic{Name: "t", Partitions: 3})
				table := mustTable(t, "kafka", idColumns, nil, jsonOptions(b.Addr(), "sink.semantic", semantic, "properties.compression.type", codec, "sink.partitioner", "round-robin"))
				w := openWriterOf(t, "kafka", table)
				var want []string
				for i := range 20 {
					var ids []int
					for j := range 500 {
						ids = append(ids, i*500+j)
						want = append(want, fmt.Sprintf("+I|%d|row %d", i*500+j, i*500+j))
					}
					if err := w.Write(context.Background(), rowsOf(ids...)); err != nil {
						t.Fatal(err)
					}
				}
				writeAll(t, w)
				if d := cmp.Diff(sorted(want), sorted(readAll(t, "kafka", table))); d != "" {
					t.Fatal(d)
				}
			})
		}
	}
}

func TestMetadataKeysAndTombstones(t *testing.T) {
	b := startBroker(t, broker.Topic{Name: "t"})
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	at := time.UnixMilli(1700000000123)
	for _, r := range []*kgo.Record{
		{Topic: "t", Key: []byte(`{"k":7}`), Value: []byte(`{"id":1,"text":"a"}`), Timestamp: at, Headers: []kgo.RecordHeader{{Key: "h", Value: []byte("x")}}},
		{Topic: "t", Key: []byte(`{"k":8}`), Timestamp: at},
		{Topic: "t", Key: []byte(`{"k":9}`), Value: []byte(`{"id":2}`), Timestamp: at},
	} {
		if err := cl.ProduceSync(context.Background(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	columns := append([]connectors.Column{column("k", types.Of(types.BigInt))}, idColumns...)
	columns = append(columns, column("topic", types.String(), "topic"), column("p", types.Of(types.Int), "partition"), column("o", types.Of(types.BigInt), "offset"),
		column("ts", types.LTZOf(3), "timestamp"), column("tt", types.String(), "timestamp-type"), column("h", headersType, "headers"),
		column("local", types.TimestampOf(3), "timestamp"), column("text", types.String(), "offset"), column("wide", types.LTZOf(9), "timestamp"))
	table := mustTable(t, "kafka", columns, nil, jsonOptions(b.Addr(), "key.format", "json", "key.fields", "k", "value.fields-include", "EXCEPT_KEY"))
	table.Env.Zone = time.FixedZone("there", 3600)
	const hour = 3600_000_000
	late := fmt.Sprintf("|%d", 1700000000123000+hour) // TIMESTAMP is the session's local time
	want := []string{
		"+I|7|1|a|t|0|0|1700000000123000|CreateTime|[h x]" + late + "|0|1700000000123000",
		"+I|9|2|NULL|t|0|2|1700000000123000|CreateTime|[]" + late + "|2|1700000000123000",
	}
	if d := cmp.Diff(want, readAll(t, "kafka", table)); d != "" {
		t.Fatal(d)
	}
}

func TestUpsertWritesAndReadsChanges(t *testing.T) {
	b := startBroker(t, broker.Topic{Name: "t", Partitions: 2})
	table := mustTable(t, "upsert-kafka", idColumns, []int{0}, upsertJSON(b.Addr()))
	in := rowsOf(1, 2, 1, 2, 3)
	in.Ops = []vec.Op{vec.Insert, vec.Insert, vec.UpdateBefore, vec.Delete, vec.UpdateAfter}
	writeAll(t, openWriterOf(t, "upsert-kafka", table), in)
	want := []string{"+U|1|row 1", "+U|2|row 2", "+U|3|row 3", "-D|2|NULL"}
	if d := cmp.Diff(want, sorted(readAll(t, "upsert-kafka", table))); d != "" {
		t.Fatal(d)
	}
}

func TestReaderResumesWhereItStood(t *testing.T) {
	b := startBroker(t, broker.Topic{Name: "t", Partitions: 2})
	table := mustTable(t, "kafka", idColumns, nil, jsonOptions(b.Addr(), "properties.batch.size", "4096"))
	var ids []int
	for i := range 30000 {
		ids = append(ids, i)
	}
	w := openWriterOf(t, "kafka", table)
	writeAll(t, w, rowsOf(ids...))

	scan := fullScan(table)
	batch := batchOf(scan)
	r := openReader(t, "kafka", table, scan, nil)
	var got []string
	for len(got) < 5000 {
		_, _, err := r.Next(context.Background(), batch)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, lines(batch)...)
	}
	positions := r.Positions()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r = openReader(t, "kafka", table, scan, positions)
	defer r.Close()
	got = append(got, drain(t, r, batch, len(positions))...)
	seen := map[string]int{}
	for _, l := range got {
		seen[l]++
	}
	if len(got) != len(ids) || len(seen) != len(ids) {
		t.Fatalf("%d rows, %d different, want %d", len(got), len(seen), len(ids))
	}
}

func TestEmptyPartitionIsIdle(t *testing.T) {
	b := startBroker(t, broker.Topic{Name: "t", Partitions: 2})
	table := mustTable(t, "kafka", idColumns, nil, jsonOptions(b.Addr(), "sink.partitioner", "fixed", "scan.bounded.mode", "unbounded"))
	writeAll(t, openWriterOf(t, "kafka", table), rowsOf(1))
	scan := fullScan(table)
	r := openReader(t, "kafka", table, scan, nil)
	defer r.Close()
	batch, rows := batchOf(scan), 0
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for rows == 0 || !r.(exec.Idler).Idle(1) {
		if _, _, err := r.Next(ctx, batch); err != nil {
			t.Fatal(err)
		}
		rows += batch.N
	}
	if r.(exec.Idler).Idle(0) {
		t.Error("the partition with a row is idle")
	}
}

func TestStartupModes(t *testing.T) {
	b := startBroker(t, broker.Topic{Name: "t"})
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for i := range 5 {
		r := &kgo.Record{Topic: "t", Value: fmt.Appendf(nil, `{"id":%d,"text":"x"}`, i), Timestamp: time.UnixMilli(int64(1000 * i))}
		if err := cl.ProduceSync(context.Background(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		options []string
		want    string
	}{
		"earliest":     {nil, "0 1 2 3 4"},
		"latest":       {[]string{"scan.startup.mode", "latest-offset"}, ""},
		"timestamp":    {[]string{"scan.startup.mode", "timestamp", "scan.startup.timestamp-millis", "1500"}, "2 3 4"},
		"specific":     {[]string{"scan.startup.mode", "specific-offsets", "scan.startup.specific-offsets", "partition:0,offset:3"}, "3 4"},
		"until time":   {[]string{"scan.bounded.mode", "timestamp", "scan.bounded.timestamp-millis", "3000"}, "0 1 2"},
		"until offset": {[]string{"scan.bounded.mode", "specific-offsets", "scan.bounded.specific-offsets", "partition:0,offset:2;"}, "0 1"},
		"reset":        {[]string{"scan.startup.mode", "group-offsets", "properties.group.id", "g", "properties.auto.offset.reset", "earliest"}, "0 1 2 3 4"},
		"future":       {[]string{"scan.startup.mode", "timestamp", "scan.startup.timestamp-millis", "999999"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			table := mustTable(t, "kafka", idColumns[:1], nil, jsonOptions(b.Addr(), c.options...))
			var ids []string
			for _, l := range readAll(t, "kafka", table) {
				ids = append(ids, strings.TrimPrefix(l, "+I|"))
			}
			if got := strings.Join(ids, " "); got != c.want {
				t.Fatalf("read %q, want %q", got, c.want)
			}
		})
	}
}

func TestGroupOffsetsAreCommittedAndUsed(t *testing.T) {
	b := startBroker(t, broker.Topic{Name: "t"})
	table := mustTable(t, "kafka", idColumns, nil, jsonOptions(b.Addr(), "properties.group.id", "g"))
	writeAll(t, openWriterOf(t, "kafka", table), rowsOf(1, 2, 3))
	scan := fullScan(table)
	r := openReader(t, "kafka", table, scan, nil)
	drain(t, r, batchOf(scan), 1)
	if err := r.Completed(context.Background(), r.Positions()); err != nil {
		t.Fatal(err)
	}
	r.Close()
	writeAll(t, openWriterOf(t, "kafka", table), rowsOf(4))
	table = mustTable(t, "kafka", idColumns, nil, jsonOptions(b.Addr(), "properties.group.id", "g", "scan.startup.mode", "group-offsets"))
	if d := cmp.Diff([]string{"+I|4|row 4"}, readAll(t, "kafka", table)); d != "" {
		t.Fatal(d)
	}
}

// TestMissingTopicOfASink is made where the broker does so, else refused.
func TestMissingTopicOfASink(t *testing.T) {
	b, err := broker.Start(broker.Options{AutoCreate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	table := mustTable(t, "kafka", idColumns, nil, jsonOptions(b.Addr()))
	writeAll(t, openWriterOf(t, "kafka", table), rowsOf(1))
	if got := readAll(t, "kafka", table); len(got) != 1 {
		t.Fatalf("read %v", got)
	}
	for _, addr := range []string{startBroker(t).Addr(), b.Addr()} {
		table = mustTable(t, "kafka", idColumns, nil, jsonOptions(addr, "topic", "other", "properties.allow.auto.create.topics", "false"))
		s, err := openSink(table, false)
		if err != nil {
			t.Fatal(err)
		}
		sk, _ := s.Sink()
		if _, err = sk.Writer(context.Background(), sinkContextFor(newJournal(), false)); err == nil || !strings.Contains(err.Error(), "create the topic") {
			t.Fatalf("got %v", err)
		}
	}
}
