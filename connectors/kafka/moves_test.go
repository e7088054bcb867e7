package kafka

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// threeBrokers is a cluster whose partitions can move.
func threeBrokers(t *testing.T) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(3, "t"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// wantRows are the lines of ids 0 … n−1.
func wantRows(n int) []string {
	var want []string
	for i := range n {
		want = append(want, fmt.Sprintf("+I|%d|row %d", i, i))
	}
	return want
}

// writeInSteps writes n rows in batches of 50, and calls between them.
func writeInSteps(t *testing.T, w exec.Writer, n int, between func(step int)) {
	t.Helper()
	for i := 0; i < n; i += 50 {
		var ids []int
		for j := range 50 {
			ids = append(ids, i+j)
		}
		if err := w.Write(context.Background(), rowsOf(ids...)); err != nil {
			t.Fatal(err)
		}
		between(i / 50)
	}
	writeAll(t, w)
}

// TestWriterUnderFaults: whatever single answers are lost or bad, an
// at-least-once writer that lives neither loses nor repeats nor reorders.
func TestWriterUnderFaults(t *testing.T) {
	produce := []kmsg.Key{kmsg.Produce}
	faults := map[string]func(*kfake.Cluster){
		"leaders move": func(c *kfake.Cluster) { c.ShufflePartitionLeaders() },
		"not leader":   func(c *kfake.Cluster) { c.Fault(kfake.Fault{Keys: produce, Err: kerr.NotLeaderForPartition, Count: 2}) },
		"written, then too few": func(c *kfake.Cluster) {
			c.Fault(kfake.Fault{Keys: produce, Err: kerr.NotEnoughReplicasAfterAppend, Count: 2})
		},
		"written, then a time-out": func(c *kfake.Cluster) { c.Fault(kfake.Fault{Keys: produce, Err: kerr.RequestTimedOut, Count: 2}) },
		"request dropped": func(c *kfake.Cluster) {
			c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) { return nil, errors.New("drop"), true })
		},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			c := threeBrokers(t)
			addr := c.ListenAddrs()[0]
			table := mustTable(t, "kafka", idColumns, nil, jsonOptions(addr, "properties.batch.size", "500", "sink.partitioner", "round-robin"))
			w := openWriterOf(t, "kafka", table)
			writeInSteps(t, w, 1000, func(step int) {
				if step%5 == 2 {
					fault(c)
				}
			})
			if d := cmp.Diff(sorted(wantRows(1000)), sorted(readAll(t, "kafka", table))); d != "" {
				t.Fatal(d)
			}
			inOrder(t, addr)
		})
	}
}

// inOrder checks that each partition holds its ids in the order written, as
// another client reads it.
func inOrder(t *testing.T, addr string) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ConsumeTopics("t"))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	last := map[int32]int{}
	for n := 0; n < 1000; {
		fs := cl.PollFetches(ctx)
		if err := fs.Err0(); err != nil {
			t.Fatal(err)
		}
		fs.EachRecord(func(r *kgo.Record) {
			var id int
			fmt.Sscanf(string(r.Value), `{"id":%d`, &id)
			if prev, ok := last[r.Partition]; ok && id <= prev {
				t.Errorf("partition %d: id %d after %d", r.Partition, id, prev)
			}
			last[r.Partition] = id
			n++
		})
	}
}

// TestReaderUnderFaults: leaders move and answers fail while it reads.
func TestReaderUnderFaults(t *testing.T) {
	fetch := []kmsg.Key{kmsg.Fetch}
	for name, fault := range map[string]func(*kfake.Cluster){
		"leaders move":  func(c *kfake.Cluster) { c.ShufflePartitionLeaders() },
		"not leader":    func(c *kfake.Cluster) { c.Fault(kfake.Fault{Keys: fetch, Err: kerr.NotLeaderForPartition, Count: 2}) },
		"storage error": func(c *kfake.Cluster) { c.Fault(kfake.Fault{Keys: fetch, Err: kerr.KafkaStorageError, Count: 2}) },
		"request dropped": func(c *kfake.Cluster) {
			c.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) { return nil, errors.New("drop"), true })
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := threeBrokers(t)
			table := mustTable(t, "kafka", idColumns, nil, jsonOptions(c.ListenAddrs()[0], "properties.batch.size", "2000", "sink.partitioner", "round-robin", "properties.max.partition.fetch.bytes", "4000"))
			w := openWriterOf(t, "kafka", table)
			writeInSteps(t, w, 3000, func(int) {})
			scan := fullScan(table)
			r := openReader(t, "kafka", table, scan, nil)
			defer r.Close()
			b, ended := batchOf(scan), 0
			var got []string
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			for call := 0; ended < 3; call++ {
				if call%4 == 1 {
					fault(c)
				}
				_, end, err := r.Next(ctx, b)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, lines(b)...)
				if end {
					ended++
				}
			}
			if d := cmp.Diff(sorted(wantRows(3000)), sorted(got)); d != "" {
				t.Fatal(d)
			}
		})
	}
}

// TestReadCommittedHidesWhatWasAborted, against another client's
// transactions.
func TestReadCommittedHidesWhatWasAborted(t *testing.T) {
	c := threeBrokers(t)
	addr := c.ListenAddrs()[0]
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.TransactionalID("other"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for i := range 6 {
		if err := cl.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			r := &kgo.Record{Topic: "t", Value: fmt.Appendf(nil, `{"id":%d,"text":"row %d"}`, 3*i+k, 3*i+k)}
			if err := cl.ProduceSync(context.Background(), r).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		if err := cl.EndTransaction(context.Background(), kgo.TransactionEndTry(i%2 == 0)); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	for _, i := range []int{0, 1, 2, 6, 7, 8, 12, 13, 14} {
		want = append(want, fmt.Sprintf("+I|%d|row %d", i, i))
	}
	if d := cmp.Diff(want, readAll(t, "kafka", mustTable(t, "kafka", idColumns, nil, jsonOptions(addr)))); d != "" {
		t.Fatal(d)
	}
	all := readAll(t, "kafka", mustTable(t, "kafka", idColumns, nil, jsonOptions(addr, "properties.isolation.level", "read_uncommitted")))
	if d := cmp.Diff(wantRows(18), all); d != "" {
		t.Fatal(d)
	}
}

// TestMurmur2 agrees with other clients on where a key lies.
func TestMurmur2(t *testing.T) {
	p := partitioner{kind: "default", partitions: 7}
	other := kgo.StickyKeyPartitioner(nil).ForTopic("t")
	for i := range 2000 {
		key := []byte(fmt.Sprint("key", i*i))[:3+i%6]
		var out [1]int32
		p.choose(out[:], func(int) []byte { return key })
		if want := other.Partition(&kgo.Record{Key: key}, 7); int(out[0]) != want {
			t.Fatalf("key %q: partition %d, want %d", key, out[0], want)
		}
	}
}
