package kafka

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/connectors/kafka/txn"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/twmb/franz-go/pkg/kgo"
	"pgregory.net/rapid"
)

// logged is a job with the pre-commit log on.
func (c *cases) logged(t *testing.T, more ...string) *job {
	t.Helper()
	j := c.job(t)
	topic := j.table.Options.Text("topic")
	j.table = mustTable(t, "kafka", idColumns, nil, jsonOptions(c.addr, append([]string{"topic", topic, "sink.semantic", "exactly-once",
		"sink.transactional-id-prefix", topic, optLog, "true"}, more...)...))
	return j
}

// done checks the output, and that no log is left.
func (j *job) done() error {
	if err := j.check(); err != nil {
		return err
	}
	return j.noLogs()
}

func (j *job) noLogs() error {
	return j.dir.journal.Scan("log", func(key string, _ []byte) error { return fmt.Errorf("log %s is left", key) })
}

// fencePending aborts pending transactions from outside, as the broker's
// time-out does.
func (j *job) fencePending(addr string, which func(int) bool) {
	j.t.Helper()
	for i, c := range j.dir.pending {
		if which == nil || which(i) {
			fenceOutside(j.t, addr, decodeOne(j.t, []exec.Committable{c}).ID)
		}
	}
}

// TestLogKillAtEveryStep: as without the log, and the logs are deleted.
func TestLogKillAtEveryStep(t *testing.T) {
	c := testCases(t)
	for at := 1; ; at += c.stride {
		reached := false
		for _, after := range []bool{false, true} {
			j := c.logged(t)
			p := killAt(at, after)
			err := j.untilDone(p)
			if err == nil {
				err = j.done()
			}
			if err != nil {
				t.Fatalf("killed at step %d (after: %v): %v\n%s", at, after, err, strings.Join(p.log, "\n"))
			}
			if j.anew != 0 {
				t.Fatalf("killed at step %d (after: %v): written anew though nothing was aborted", at, after)
			}
			reached = reached || p.killed()
		}
		if !reached {
			return
		}
	}
}

// pendingShapes leave pre-committed transactions behind, of which the broker
// aborts some.
var pendingShapes = map[string]struct {
	shape   func(*job)
	at      checkpoint.ID // stored, not committed
	aborted func(i int) bool
	anew    int // transactions to be written anew
	every   int // so many steps apart the recovery is killed
}{
	"one": {func(*job) {}, 2, nil, 1, 1},
	"two checkpoints of one writer": {
		func(j *job) { j.parallelism, j.aborts = 2, func(id checkpoint.ID) bool { return id == 1 } }, 2, nil, 3, 3,
	},
	// The later one is alive, but must not become visible first.
	"only the earlier of two": {
		func(j *job) { j.parallelism, j.aborts = 2, func(id checkpoint.ID) bool { return id == 1 } }, 2, func(i int) bool { return i == 0 }, 2, 2,
	},
	"only the later of two": {
		func(j *job) { j.parallelism, j.aborts = 2, func(id checkpoint.ID) bool { return id == 1 } }, 2, func(i int) bool { return i == 1 }, 1, 3,
	},
}

// TestLostIsWrittenAnew is fault 11 with the log: transactions of a job that
// was down were aborted. The process that recovers is killed at each of its
// steps, before and after it is carried out.
func TestLostIsWrittenAnew(t *testing.T) {
	for name, s := range pendingShapes {
		t.Run(name, func(t *testing.T) {
			c := testCases(t)
			for at := 0; ; at += s.every * c.stride * c.stride { // a restart takes long on a real broker
				reached := false
				for _, after := range []bool{false, true} {
					j := c.logged(t)
					s.shape(j)
					j.killWhen("stored", s.at)
					j.fencePending(c.addr, s.aborted)
					p := killAt(at, after)
					err := j.untilDone(p)
					if err == nil {
						err = j.done()
					}
					if err != nil {
						t.Fatalf("killed at step %d (after: %v): %v\n%s", at, after, err, strings.Join(p.log, "\n"))
					}
					if at == 0 && j.anew != s.anew {
						t.Fatalf("%d transactions were written anew, want %d", j.anew, s.anew)
					}
					reached = reached || p.killed()
				}
				if at > 0 && !reached {
					return
				}
			}
		})
	}
}

// TestReplacementIsAbortedByTheNextStart: a crash between the replacement's
// pre-commit and the write that makes it pending. The next start must not
// leave it open, and writes another.
func TestReplacementIsAbortedByTheNextStart(t *testing.T) {
	c := testCases(t)
	j := c.logged(t)
	j.killWhen("stored", 2)
	old := decodeOne(t, j.dir.pending).ID
	j.fencePending(c.addr, nil)
	p := newProcess()
	var replacement string
	j.answer = func(call, id string, err error) error {
		if call == "WriteMarker" && replacement == "" {
			replacement = id
			p.kill()
		}
		return err
	}
	if err := j.run(p); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if got := decodeOne(t, j.dir.pending).ID; replacement == "" || got != old {
		t.Fatalf("replacement %q, pending %s: want the old one pending", replacement, got)
	}
	j.answer = nil
	taken := false
	j.before = func(call, id string) error {
		taken = taken || call == "InitProducerID" && id == replacement
		return nil
	}
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if !taken {
		t.Fatalf("%s was not taken over", replacement)
	}
	if err := j.done(); err != nil {
		t.Fatal(err)
	}
}

// TestReplacementIsLost: the broker aborts the replacement, too.
func TestReplacementIsLost(t *testing.T) {
	c := testCases(t)
	j := c.logged(t)
	j.killWhen("stored", 2)
	for range 2 {
		j.fencePending(c.addr, nil)
		p := newProcess()
		j.before = func(call, _ string) error {
			if call == "EndTxn" && j.anew > 0 {
				p.kill() // the replacement is pending
				return errKilled
			}
			return nil
		}
		j.anew = 0
		if err := j.run(p); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if j.anew != 1 {
			t.Fatalf("%d written anew", j.anew)
		}
	}
	j.before = nil
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.done(); err != nil {
		t.Fatal(err)
	}
}

// TestFencedAfterItWonWithLog is fault 24 with the log: EndTxn was OK, the id
// was fenced from outside, and the process killed before the outcome was
// stored. The rows must not be written again.
func TestFencedAfterItWonWithLog(t *testing.T) {
	c := testCases(t)
	fencedAfterItWon(t, c, c.logged(t))
}

func fencedAfterItWon(t *testing.T, c *cases, j *job) {
	t.Helper()
	p := newProcess()
	j.answer = func(call, id string, err error) error {
		if call == "EndTxn" && err == nil && !p.killed() {
			fenceOutside(t, c.addr, id)
			p.kill()
		}
		return err
	}
	if err := j.run(p); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	j.answer = nil
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.done(); err != nil {
		t.Fatal(err)
	}
	if j.anew != 0 {
		t.Fatal("a committed transaction was written anew")
	}
}

// TestLostWhileRunning: a running job writes nothing anew; it restarts inside
// the process.
func TestLostWhileRunning(t *testing.T) {
	c := testCases(t)
	j := c.logged(t)
	j.hook = func(name string) {
		if name == "stored" && j.dir.last == 2 && j.anew == 0 {
			j.fencePending(c.addr, nil)
		}
	}
	p := newProcess()
	if err := j.run(p); !errors.Is(err, checkpoint.ErrRestart) || isFatal(err) {
		t.Fatalf("got %v, want a wish for a restart", err)
	}
	if j.anew != 0 || len(j.dir.pending) != 1 {
		t.Fatalf("written anew: %d, pending: %d", j.anew, len(j.dir.pending))
	}
	j = c.logged(t)
	j.hook = func(name string) {
		if name == "stored" && j.dir.last == 2 && j.anew == 0 {
			j.fencePending(c.addr, nil)
		}
	}
	if err := j.runInside(newProcess()); err != nil {
		t.Fatal(err)
	}
	if j.anew != 1 {
		t.Fatalf("%d transactions were written anew, want 1", j.anew)
	}
	if err := j.done(); err != nil {
		t.Fatal(err)
	}
}

func isFatal(err error) bool {
	var f *exec.FatalError
	return errors.As(err, &f)
}

// TestReplacementIsFenced: a late InitProducerId of an older process hits the
// replacement; another one is written.
func TestReplacementIsFenced(t *testing.T) {
	c := testCases(t)
	j := c.logged(t)
	j.killWhen("stored", 2)
	j.fencePending(c.addr, nil)
	hit := false
	j.before = func(call, id string) error {
		if call == "AddPartitions" && !hit {
			hit = true
			return codes.ProducerFenced
		}
		return nil
	}
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.done(); err != nil {
		t.Fatal(err)
	}
}

// TestNoUnknownAfterRecovery: with the log, writers do not open before every
// earlier transaction is decided.
func TestNoUnknownAfterRecovery(t *testing.T) {
	c := testCases(t)
	j := c.logged(t)
	j.killWhen("stored", 2)
	err := recoverUnsettled(t, j)
	if err == nil || !strings.Contains(err.Error(), "sink.pre-commit-log") {
		t.Fatalf("an unknown outcome gave %v", err)
	}
}

// recoverUnsettled lets the committer recover while all outcomes are unknown.
func recoverUnsettled(t *testing.T, j *job) error {
	t.Helper()
	p := newProcess()
	clusterFor = func(c *client.Control) txn.Cluster { return &cluster{Control: c, p: p} }
	table, err := openSink(j.table, false)
	if err != nil {
		t.Fatal(err)
	}
	s, err := table.Sink()
	if err != nil {
		t.Fatal(err)
	}
	committer, err := s.(exec.TwoPhaseCommitSink).Committer(p.ctx, j.context(p, 0, false))
	if err != nil {
		t.Fatal(err)
	}
	defer committer.Close()
	if err := committer.Start(p.ctx, j.dir.pending); err != nil {
		t.Fatal(err)
	}
	return committer.Recover(p.ctx, j.dir.pending)
}

// TestLaterWaitsForEarlier: while it is not known whether a writer's earlier
// transaction was committed, EndTxn of its later one is not sent: written anew,
// the earlier rows would come after the later ones.
func TestLaterWaitsForEarlier(t *testing.T) {
	c := testCases(t)
	j := c.logged(t)
	j.parallelism, j.aborts = 2, func(id checkpoint.ID) bool { return id == 1 }
	j.killWhen("stored", 2)
	earlier, err := txn.Decode(j.dir.pending[0])
	if err != nil {
		t.Fatal(err)
	}
	sent := map[string]bool{}
	j.before = func(call, id string) error {
		if call != "EndTxn" {
			return nil
		}
		sent[id] = true
		if id == earlier.ID {
			return codes.UnknownProducerID // says nothing
		}
		return nil
	}
	if err := j.run(newProcess()); err == nil || !strings.Contains(err.Error(), earlier.ID) {
		t.Fatalf("got %v, want that %s is not decided", err, earlier.ID)
	}
	if len(sent) != 2 { // the earlier one, and the other writer's
		t.Fatalf("EndTxn was sent for %v", sent)
	}
	j.before = nil
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.done(); err != nil {
		t.Fatal(err)
	}
}

// TestLogIsLimited: beyond max-bytes checkpoints are declined by a message that
// names the option; a restart inside the process, which the runtime makes
// where nothing else can free room, begins with empty logs.
func TestLogIsLimited(t *testing.T) {
	c := testCases(t)
	j := c.logged(t, optLogMax, "200 b") // about 60 a checkpoint
	j.records = 24
	aborted := 0
	j.aborts = func(checkpoint.ID) bool { aborted++; return aborted <= 2 }
	if err := j.runInside(newProcess()); err != nil {
		t.Fatal(err)
	}
	if j.declined == nil || !strings.Contains(j.declined.Error(), "'sink.pre-commit-log.max-bytes' is 200") {
		t.Fatalf("declined with %v", j.declined)
	}
	if err := j.done(); err != nil {
		t.Fatal(err)
	}
}

// TestLogAsksForCheckpoint: a sink whose log fills asks for a checkpoint, once,
// and not again when the next transaction begins.
func TestLogAsksForCheckpoint(t *testing.T) {
	c := testCases(t)
	j := c.logged(t, optLogMax, "4 mb")
	j.rows = wideRows
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if j.asked != 3 || j.declined != nil { // transactions of 2.4 MB
		t.Fatalf("a checkpoint was asked for %d times, want 3; declined: %v", j.asked, j.declined)
	}
}

// wideRows have 600 KB each, which cannot be packed.
func wideRows(ids ...int) *vec.Batch {
	b := rowsOf(ids...)
	b.Cols[1].Reset()
	random := rand.NewChaCha8([32]byte{})
	wide := make([]byte, 450_000)
	for range ids {
		random.Read(wide)
		b.Cols[1].AppendBytes([]byte(base64.StdEncoding.EncodeToString(wide)))
	}
	return b
}

// TestLogTooSmall: the rows between two checkpoints do not fit. After two
// restarts in vain the job stops, and names the sizes and what to do; with a
// larger log it goes on where it was.
func TestLogTooSmall(t *testing.T) {
	c := testCases(t)
	j := c.logged(t, optLogMax, "25 b") // about 60 a checkpoint
	j.aborts = nil
	attempts := 0
	j.before = func(call, _ string) error {
		if call == "AddPartitions" {
			attempts++
		}
		return nil
	}
	err := j.runInside(newProcess())
	if !isFatal(err) {
		t.Fatalf("got %v, want a fatal error", err)
	}
	for _, want := range []string{"'sink.pre-commit-log.max-bytes' is 25", "would hold", "'execution.checkpointing.interval'", "2 restarts", "nothing is lost"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	if attempts != 3 {
		t.Errorf("%d transactions were begun, want one at the start and one at each of 2 restarts", attempts)
	}
	topic := j.table.Options.Text("topic")
	j.table = mustTable(t, "kafka", idColumns, nil, jsonOptions(c.addr, "topic", topic, "sink.semantic", "exactly-once", "sink.transactional-id-prefix", topic, optLog, "true"))
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.done(); err != nil {
		t.Fatal(err)
	}
}

// keyedRows are of three keys only: what a key holds last is the newest row.
func keyedRows(ids ...int) *vec.Batch {
	b := rowsOf(ids...)
	for i, id := range ids {
		b.Cols[0].I64[i] = int64(id % 3)
	}
	return b
}

// TestNoStaleValueWithLog: an upsert-kafka sink whose transactions are written
// anew keeps the order of each key, whichever of them the broker aborted and
// wherever the recovery is killed.
func TestNoStaleValueWithLog(t *testing.T) {
	c := testCases(t)
	for mask := 1; mask < 8; mask++ {
		for at := 0; at < 60; at += 5 * c.stride {
			j := c.job(t)
			topic := j.table.Options.Text("topic")
			j.table = mustTable(t, "upsert-kafka", idColumns, []int{0}, upsertJSON(c.addr, "topic", topic, "sink.semantic", "exactly-once", "sink.transactional-id-prefix", topic, optLog, "true"))
			j.rows, j.records, j.each = keyedRows, 24, 4
			j.aborts = func(id checkpoint.ID) bool { return id == 1 || id == 2 }
			// Checkpoints 1 and 2 are aborted after their pre-commit; 3 covers them.
			j.killWhen("stored", 3)
			if len(j.dir.pending) != 3 {
				t.Fatalf("%d pending, want 3", len(j.dir.pending))
			}
			j.fencePending(c.addr, func(i int) bool { return mask>>i&1 != 0 })
			if err := j.untilDone(killAt(at, at%2 == 0)); err != nil {
				t.Fatalf("aborted %b, killed at step %d: %v", mask, at, err)
			}
			if d := cmp.Diff(keyOrders(wantKeyed(j.records)), keyOrders(rawRecords(t, c.addr, topic, j.records))); d != "" {
				t.Fatalf("aborted %b, killed at step %d: %s", mask, at, d)
			}
			if err := j.noLogs(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// raw is a record as a consumer sees it.
type raw struct {
	Partition  int32
	Key, Value string
	Headers    string
	Millis     int64
	Tombstone  bool
}

// rawRecords reads n committed records, in the order of each partition.
func rawRecords(t *testing.T, addr, topic string, n int) []raw {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var list []raw
	for len(list) < n {
		fs := cl.PollFetches(ctx)
		if ctx.Err() != nil {
			t.Fatalf("%d records are visible, want %d", len(list), n)
		}
		fs.EachRecord(func(r *kgo.Record) {
			x := raw{Partition: r.Partition, Key: string(r.Key), Value: string(r.Value), Millis: r.Timestamp.UnixMilli(), Tombstone: r.Value == nil}
			for _, h := range r.Headers {
				x.Headers += fmt.Sprintf("%s=%s(%v);", h.Key, h.Value, h.Value == nil)
			}
			list = append(list, x)
		})
	}
	return list
}

func wantKeyed(n int) []raw {
	var list []raw
	for i := range n {
		list = append(list, raw{Key: fmt.Sprintf(`{"id":%d}`, i%3), Value: fmt.Sprintf(`{"id":%d,"text":"row %d"}`, i%3, i)})
	}
	return list
}

// keyOrders are the values of each key, in order.
func keyOrders(list []raw) map[string][]string {
	m := map[string][]string{}
	for _, r := range list {
		m[r.Key] = append(m[r.Key], r.Value)
	}
	return m
}

// TestLogKeepsAll: keys, tombstones, headers, timestamps and partitions of
// rows written anew are those of the rows that were lost.
func TestLogKeepsAll(t *testing.T) {
	c := testCases(t)
	write := func(lose bool) []raw {
		j := c.job(t)
		topic := j.table.Options.Text("topic")
		j.table = mustTable(t, "upsert-kafka", allColumns, []int{2}, upsertJSON(c.addr, "topic", topic, "sink.semantic", "exactly-once", "sink.transactional-id-prefix", topic, optLog, "true"))
		j.rows = allRows
		j.killWhen("stored", 2)
		if lose {
			j.fencePending(c.addr, nil)
		}
		if err := j.untilDone(newProcess()); err != nil {
			t.Fatal(err)
		}
		if lose != (j.anew > 0) {
			t.Fatalf("%d transactions were written anew", j.anew)
		}
		return rawRecords(t, c.addr, topic, j.records)
	}
	if d := cmp.Diff(byPartition(write(false)), byPartition(write(true))); d != "" {
		t.Fatal(d)
	}
}

var allColumns = append([]connectors.Column{column("h", headersType, "headers"), column("ts", types.LTZOf(3), "timestamp")}, idColumns...)

// allRows have two headers and a timestamp each; every fourth is deleted.
func allRows(ids ...int) *vec.Batch {
	b := vec.NewBatch(headersType, types.LTZOf(3), types.Of(types.BigInt), types.String())
	rows := rowsOf(ids...)
	b.Cols[2], b.Cols[3], b.N = rows.Cols[0], rows.Cols[1], rows.N
	h := b.Cols[0]
	for _, id := range ids {
		h.Spans = append(h.Spans, vec.Span{Off: uint32(len(h.Kids[0].Spans)), Len: 2})
		for _, name := range []string{"a", "b"} {
			h.Kids[0].AppendBytes([]byte(name))
			h.Kids[1].AppendBytes(fmt.Appendf(nil, "%s of %d", name, id))
		}
		b.Cols[1].I64 = append(b.Cols[1].I64, 1_700_000_000_000_000+int64(id)*1_000_000)
		op := vec.UpdateAfter
		if id%4 == 3 {
			op = vec.Delete
		}
		b.Ops = append(b.Ops, op)
	}
	return b
}

func byPartition(list []raw) map[int32][]raw {
	m := map[int32][]raw{}
	for _, r := range list {
		m[r.Partition] = append(m[r.Partition], r)
	}
	return m
}

// TestRandomSchedulesWithLog kills processes at random steps, lets the broker
// abort random pending transactions in between, aborts checkpoints and
// changes the parallelism. Nothing may be lost, repeated or left behind.
func TestRandomSchedulesWithLog(t *testing.T) {
	c := testCases(t)
	if c.late {
		t.Skip("hundreds of processes: on the embedded broker")
	}
	rapid.Check(t, func(rt *rapid.T) {
		j := c.logged(t)
		j.records = 20
		aborted := rapid.SliceOfN(rapid.Bool(), 8, 8).Draw(rt, "aborted checkpoints")
		j.aborts = func(id checkpoint.ID) bool { return int(id) < len(aborted) && aborted[id] }
		lose := rapid.SliceOfN(rapid.IntRange(0, 7), 5, 5).Draw(rt, "lost")
		for n := range 5 {
			j.parallelism = rapid.IntRange(1, 2).Draw(rt, "parallelism")
			p := killAt(rapid.IntRange(1, 90).Draw(rt, "step"), rapid.Bool().Draw(rt, "after"))
			fence := rapid.IntRange(0, 3).Draw(rt, "fence while running") == 0
			j.hook = func(name string) {
				if name == "stored" && fence {
					fence = false
					j.fencePending(c.addr, nil)
				}
			}
			err := j.runInside(p)
			if err == nil && !p.killed() {
				break
			}
			if !p.killed() && !errors.Is(err, checkpoint.ErrRestart) {
				rt.Fatalf("process %d: %v\n%s", n, err, strings.Join(p.log, "\n"))
			}
			j.fencePending(c.addr, func(i int) bool { return lose[n]>>min(i, 2)&1 != 0 })
		}
		j.hook = nil
		if err := j.untilDone(newProcess()); err != nil {
			rt.Fatal(err)
		}
		if err := j.done(); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestSettleLogged: a person cannot give up, unless forced, what the next
// start would write anew.
func TestSettleLogged(t *testing.T) {
	c := testCases(t)
	j := c.logged(t)
	j.killWhen("stored", 2)
	j.fencePending(c.addr, nil)
	for _, commit := range []bool{true, false} {
		_, err := j.settle(newProcess(), 0, commit, false)
		wantRefused[*connectors.WouldLoseError](t, err, "pre-commit log")
	}
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.done(); err != nil {
		t.Fatal(err)
	}
	j = c.logged(t)
	j.killWhen("stored", 2)
	if _, err := j.settle(newProcess(), 0, false, true); err != nil {
		t.Fatal(err)
	}
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.checkWithin(100 * time.Millisecond); err == nil || !strings.Contains(err.Error(), "lost [4 5 6 7], duplicated []") {
		t.Fatalf("after abort --force: %v", err)
	}
	if err := j.noLogs(); err != nil {
		t.Fatal(err)
	}
}
