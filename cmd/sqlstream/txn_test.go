package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/session"
)

// mute is a broker that answers no commit while it is told so.
type mute struct {
	*kfake.Cluster
	commits atomic.Bool
}

func startMute(t *testing.T, topics ...string) *mute {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, topics...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	m := &mute{Cluster: c}
	c.ControlKey(kmsg.EndTxn.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		req := r.(*kmsg.EndTxnRequest)
		if !req.Commit || !m.commits.Load() {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.EndTxnResponse)
		resp.ErrorCode = kerr.CoordinatorNotAvailable.Code
		return resp, nil, true
	})
	return m
}

func (m *mute) addr() string { return m.ListenAddrs()[0] }

// command runs the program.
func command(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errOut bytes.Buffer
	c := exec.Command("sqlstream", args...)
	c.Stdout, c.Stderr = &out, &errOut
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), c.ProcessState.ExitCode()
}

// quiet drops what a session says.
type quiet struct{}

func (quiet) Begin([]types.Field, bool) error { return nil }
func (quiet) Rows(*vec.Batch) error           { return nil }
func (quiet) End(session.Summary) error       { return nil }
func (quiet) Notice(string)                   {}

const passJob = `SET 'pipeline.name' = 'pass'; SET 'execution.checkpointing.interval' = '100 ms';
CREATE TABLE t_in (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'in', 'properties.bootstrap.servers' = '%[1]s', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE t_out (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'out', 'properties.bootstrap.servers' = '%[1]s', 'format' = 'json', 'sink.semantic' = 'exactly-once');
INSERT INTO t_out SELECT id FROM t_in;`

func produce(t *testing.T, addr string, from, to int) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for i := from; i < to; i++ {
		if err := cl.ProduceSync(context.Background(), &kgo.Record{Topic: "in", Value: fmt.Appendf(nil, `{"id":%d}`, i)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

// committed is what a read_committed consumer sees of topic out.
func committed(t *testing.T, addr string, want int) []string {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ConsumeTopics("out"), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var rows []string
	for len(rows) < want && ctx.Err() == nil {
		cl.PollFetches(ctx).EachRecord(func(r *kgo.Record) { rows = append(rows, string(r.Value)) })
	}
	slices.Sort(rows)
	return rows
}

// stopPending runs the job until a checkpoint holds a transaction that could
// not be committed, and ends it as a kill would.
func stopPending(t *testing.T, m *mute, dir string) {
	t.Helper()
	m.commits.Store(true)
	s, err := session.New(session.Options{StateDir: dir, Output: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Execute(context.Background(), fmt.Sprintf(passJob, m.addr())); err != nil {
		t.Fatal(err)
	}
	awaitPending(t, filepath.Join(dir, "pass"))
	s.Close()
	m.commits.Store(false)
}

func awaitPending(t *testing.T, dir string) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for time.Now().Before(deadline) {
		list, _, _, err := readTransactions(dir)
		if err == nil && slices.ContainsFunc(list, session.Transaction.Pending) {
			return
		}
		<-time.After(5 * time.Millisecond)
	}
	t.Fatal("no transaction became pending")
}

func listed(t *testing.T, dir string, more ...string) txnView {
	t.Helper()
	out, errOut, code := command(t, append([]string{"txn", "list", "--state-dir", dir, "--json"}, more...)...)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	var v txnView
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return v
}

// jobFolder is that of the only job.
func jobFolder(t *testing.T, dir string) string {
	t.Helper()
	a := &app{flags: flags{stateDir: dir}}
	job, err := a.jobDir(nil)
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// TestTxnByHand sees and settles a pending transaction of a stopped job, and
// runs the job to its end: each row is there once.
func TestTxnByHand(t *testing.T) {
	m := startMute(t, "in", "out")
	dir := t.TempDir()
	produce(t, m.addr(), 0, 5)
	stopPending(t, m, dir)

	v := listed(t, dir)
	if v.Running || v.Cluster != "" || len(v.Transactions) == 0 {
		t.Fatalf("%+v", v)
	}
	r := v.Transactions[0]
	if r.State != "pending" || r.Cluster != "Ongoing" || r.Rows != 5 || r.Checkpoint == 0 || r.LeftMillis == nil || *r.LeftMillis <= 0 ||
		!slices.Equal(r.Partitions, []string{"out/0"}) || len(r.Holds) != 1 || r.Holds[0] != (connectors.Hold{Partition: "out/0", From: 0, LastStable: 0, End: 5}) {
		t.Fatalf("%+v", r)
	}
	table, _, _ := command(t, "txn", "list", "--state-dir", dir)
	for _, want := range []string{r.ID, "pending", "Ongoing", "out/0 from 0 (5 records)"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
	if !regexp.MustCompile(`1[45]m\d+s`).MatchString(table) {
		t.Errorf("no time-out left in\n%s", table)
	}
	// --fresh lists it before it asks.
	if lines, err := pendingLines(jobFolder(t, dir)); err != nil || len(lines) != 1 || !strings.Contains(lines[0], "transactional.id "+r.ID+", 5 rows") {
		t.Errorf("pending for --fresh: %q, %v", lines, err)
	}

	if v := listed(t, dir, "--bootstrap", "127.0.0.1:1"); !strings.Contains(v.Cluster, "unreachable") || len(v.Transactions) == 0 || v.Transactions[0].Cluster != "" {
		t.Fatalf("%+v", v)
	}

	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"commit", r.ID}, session.ExitUsage, "--yes"},
		{[]string{"abort", r.ID, "--yes"}, session.ExitRuntime, "a durable checkpoint covers it"},
		{[]string{"commit", "other", "--yes"}, session.ExitExternal, "no transaction other is pending"},
		{[]string{"commit", r.ID, "--yes", "--command-config", "none"}, session.ExitExternal, "--command-config none"},
		{[]string{"commit", r.ID, "--yes"}, 0, "committed: transaction " + r.ID},
		{[]string{"commit", r.ID, "--yes"}, 0, "is committed already"},
		{[]string{"abort", r.ID, "--yes", "--force"}, session.ExitRuntime, "is committed already"},
	} {
		out, errOut, code := command(t, slices.Concat([]string{"txn"}, c.args, []string{"--state-dir", dir})...)
		if code != c.code || !strings.Contains(out+errOut, c.want) {
			t.Fatalf("txn %v: exit %d, want %d with %q: %s%s", c.args, code, c.code, c.want, out, errOut)
		}
	}
	if r = listed(t, dir).Transactions[0]; r.State != "committed" || r.LeftMillis != nil {
		t.Fatalf("%+v", r)
	}

	produce(t, m.addr(), 5, 8)
	finish(t, m, dir)
	var want []string
	for i := range 8 {
		want = append(want, fmt.Sprintf(`{"id":%d}`, i))
	}
	if got := committed(t, m.addr(), 8); !slices.Equal(got, want) {
		t.Fatalf("committed are %v, want %v", got, want)
	}
}

// finish starts the job again, and stops it when all rows are through.
func finish(t *testing.T, m *mute, dir string) {
	t.Helper()
	s, err := session.New(session.Options{StateDir: dir, Output: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Execute(context.Background(), fmt.Sprintf(passJob, m.addr())); err != nil {
		t.Fatal(err)
	}
	committed(t, m.addr(), 8)
	// A running job answers for itself, and settles by itself.
	if v := listed(t, dir); !v.Running || len(v.Transactions) == 0 || v.Cluster != "" {
		t.Errorf("of the running job: %+v", v)
	}
	for _, args := range [][]string{{"txn", "abort", "x", "--yes"}, {"checkpoint", "verify"}} {
		if _, errOut, code := command(t, append(args, "--state-dir", dir)...); code != session.ExitExternal || !strings.Contains(errOut, "the job runs") {
			t.Errorf("%v on a running job: exit %d, %s", args, code, errOut)
		}
	}
	j := s.Jobs()[0]
	j.Stop(false)
	if err := j.Await(); err != nil {
		t.Fatal(err)
	}
}

// TestTxnAbortLoses: by force, the rows are given up, and the job goes on.
func TestTxnAbortLoses(t *testing.T) {
	m := startMute(t, "in", "out")
	dir := t.TempDir()
	produce(t, m.addr(), 0, 5)
	stopPending(t, m, dir)
	id := listed(t, dir).Transactions[0].ID
	out, errOut, code := command(t, "txn", "abort", id, "--yes", "--force", "--state-dir", dir)
	if code != 0 || !strings.Contains(out, "its 5 rows are lost") {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	if r := listed(t, dir).Transactions[0]; r.State != "lost" || r.Detail == "" {
		t.Fatalf("%+v", r)
	}
	if out, errOut, code = command(t, "txn", "commit", id, "--yes", "--state-dir", dir); code != session.ExitRuntime || !strings.Contains(errOut, "is lost already") {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
}

// TestRowsOf: what the directory and the cluster know are put together by id
// and producer.
func TestRowsOf(t *testing.T) {
	now := time.UnixMilli(1_000_000)
	dir := []known{
		{session.Transaction{UID: "u", Checkpoint: 2, State: "pending"}, &connectors.Transaction{ID: "a", Producer: "1/1", Started: now.Add(-time.Minute), Timeout: 5 * time.Minute, Rows: 3}},
		{session.Transaction{UID: "u", Checkpoint: 1, State: "committed"}, &connectors.Transaction{ID: "b", Producer: "1/1", Started: now.Add(-time.Hour), Timeout: 5 * time.Minute}},
		{session.Transaction{UID: "files", Checkpoint: 3, State: "pending", Time: now}, nil},
	}
	cluster := []ofSink{{"u", []connectors.ClusterTransaction{
		{ID: "a", Producer: "1/1", State: "Ongoing", Open: true, Timeout: 2 * time.Minute},
		{ID: "b", Producer: "2/0", State: "Ongoing", Open: true, Started: now, Timeout: time.Minute},
		{ID: "c", Producer: "1/1", State: "Empty"},
	}}}
	text := func(running, all bool) string {
		var lines []string
		for _, r := range rowsOf(dir, cluster, running, all, now) {
			lines = append(lines, fmt.Sprintf("%s %d %s %s %s", r.ID, r.Checkpoint, r.State, r.Cluster, left(r.LeftMillis)))
		}
		return strings.Join(lines, "\n")
	}
	const both = "b 1 committed  -\na 2 pending Ongoing 1m0s\n 3 pending  -\n"
	for _, c := range []struct {
		running, all bool
		want         string
	}{
		{false, false, both + "b 0 left open Ongoing 1m0s"},
		{true, false, both + "b 0 open Ongoing 1m0s"},
		{true, true, both + "b 0 open Ongoing 1m0s\nc 0 idle Empty -"},
	} {
		if got := text(c.running, c.all); got != c.want {
			t.Errorf("running %v, all %v:\n%s\nwant\n%s", c.running, c.all, got, c.want)
		}
	}
}

// TestTxnSecured: secrets are not in the state directory, so the command is
// told them by a file.
func TestTxnSecured(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "out"), kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", "ann", "hunter2"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	const jaas = `org.apache.kafka.common.security.scram.ScramLoginModule required username="ann" password="hunter2";`
	dir := t.TempDir()
	file, config := filepath.Join(dir, "job.sql"), filepath.Join(dir, "client.properties")
	write := func(file, text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(file, fmt.Sprintf(`CREATE TABLE t_in (id BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '3');
		CREATE TABLE t_out (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'out', 'properties.bootstrap.servers' = '%s', 'format' = 'json', 'sink.semantic' = 'exactly-once',
		'properties.security.protocol' = 'SASL_PLAINTEXT', 'properties.sasl.mechanism' = 'SCRAM-SHA-256', 'properties.sasl.jaas.config' = '%s');
		INSERT INTO t_out SELECT id FROM t_in;`, c.ListenAddrs()[0], jaas))
	write(config, "# as for Kafka's own tools\n\nsasl.jaas.config="+jaas+"\n")
	state := filepath.Join(dir, "state")
	if _, errOut, code := command(t, "run", file, "--state-dir", state); code != 0 {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	if v := listed(t, state); !strings.Contains(v.Cluster, "--command-config") || len(v.Transactions) != 1 {
		t.Errorf("without the secret: %+v", v)
	}
	v := listed(t, state, "--command-config", config, "--all")
	if v.Cluster != "" || len(v.Transactions) == 0 || v.Transactions[0].State != "committed" || v.Transactions[0].Rows != 3 {
		t.Errorf("with the secret: %+v", v)
	}
	write(config, "sasl.jaas.config="+strings.Replace(jaas, "hunter2", "wrong-one", 1))
	if v := listed(t, state, "--command-config", config); !strings.Contains(v.Cluster, "sasl.jaas.config") || strings.Contains(v.Cluster, "wrong-one") {
		t.Errorf("with a wrong one: %+v", v)
	}
	write(config, "no pair")
	if _, errOut, code := command(t, "txn", "list", "--state-dir", state, "--command-config", config); code != session.ExitUsage || !strings.Contains(errOut, "without '='") {
		t.Errorf("exit %d: %s", code, errOut)
	}
}
