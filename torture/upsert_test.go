package torture

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/twmb/franz-go/pkg/kgo"
)

// upsertGraph is the job with a table by key, its key the input partition, in
// the place of the sink: the newest row of each key counts.
func upsertGraph(w *World, j Job, client string) (*exec.Graph, error) {
	src, err := w.source(j, client)
	if err != nil {
		return nil, err
	}
	t, err := upsertTable(w, j, client)
	if err != nil {
		return nil, err
	}
	c, _ := connectors.Lookup("upsert-kafka")
	st, err := c.Sink(t)
	if err != nil {
		return nil, err
	}
	s, err := st.Sink()
	if err != nil {
		return nil, err
	}
	return &exec.Graph{Name: w.Name, Nodes: []*exec.Node{
		{UID: "input", Name: "Input", Parallelism: min(j.Parallelism, w.Partitions), Output: inFields, Source: &exec.SourceNode{Source: pacedSource{src}, Bounded: true}},
		sequenceNode(j.Parallelism),
		{UID: "sink", Name: "Sink", Parallelism: j.Parallelism, Output: outFields, Inputs: []exec.Edge{{From: 1}},
			Sink: &exec.SinkNode{Sink: s, Guarantee: st.Guarantee()}},
	}}, nil
}

func upsertTable(w *World, j Job, client string) (*connectors.Table, error) {
	c, _ := connectors.Lookup("upsert-kafka")
	f, _ := format.Lookup("json")
	known := slices.Clone(c.Options)
	for _, part := range []string{"key.", "value."} {
		for _, o := range f.Options {
			o.Key = part + o.Key
			known = append(known, o)
		}
	}
	options, err := connectors.NewOptions(map[string]string{"topic": w.Out, "properties.bootstrap.servers": w.Addr,
		"properties.client.id": client, "key.format": "json", "value.format": "json"}, known)
	if err != nil {
		return nil, err
	}
	t := &connectors.Table{Name: "t", PrimaryKey: []int{1}, Options: options,
		Env: connectors.Env{JobName: w.Name, Zone: time.UTC, CheckpointInterval: j.Interval, MaxConcurrent: j.Concurrent}}
	for _, f := range outFields {
		t.Columns = append(t.Columns, connectors.Column{Name: f.Name, Type: f.Type})
	}
	return t, nil
}

// runUpsert is one process of it.
func runUpsert(w *World, j Job, hook Hook) (p *Process, err error) {
	j = j.complete()
	w.starts++
	p = &Process{w: w, client: fmt.Sprintf("%s/%d", w.Name, w.starts), limit: 15 * time.Second}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p.hook, p.kill = hook, func() { w.Dir.crash(); cancel() }
	w.wire.add(p.client, &p.stepper)
	p.store, err = w.Dir.open(checkpoint.Job{Name: w.Name, Hash: "torture"}, func(e checkpoint.Engine) checkpoint.Engine { return tappedEngine{e, &p.stepper} })
	if err != nil {
		return p, p.explain(err)
	}
	g, err := upsertGraph(w, j, p.client)
	if err == nil {
		p.job, err = exec.Run(ctx, g, p.config(j))
	}
	if err != nil {
		return p, errors.Join(p.explain(err), p.close())
	}
	return p, p.Wait()
}

// TestUpsertAtLeastOnce: an at-least-once job with a table by key is killed
// before and after each kind of step, twice in a row, and once its output has
// ended the table is that of a run without kills: each key holds its newest
// row. Some rows were written more than once.
func TestUpsertAtLeastOnce(t *testing.T) {
	c := newCluster(t)
	again := 0
	for _, step := range []string{"Produce", "begin", "chunks", "metadata", "LATEST"} {
		for nth := 1; nth <= 5; nth += 2 {
			for _, after := range []bool{false, true} {
				w := c.world(t, 60)
				j := Job{Parallelism: 2}
				var err error
				for n, hook := range []Hook{At(step, nth, after, Kill), At(step, nth+1, after, Kill), nil} {
					if _, err = runUpsert(w, j, hook); errors.Is(err, exec.ErrFinished) {
						err = nil
					}
					if err != nil && (n == 2 || !errors.Is(err, errKilled)) {
						t.Fatalf("%s %d after=%v, process %d: %v", step, nth, after, n+1, err)
					}
					if err == nil {
						break
					}
				}
				got, read := tableOf(t, w)
				want := map[string]string{}
				for id := range w.Records {
					want[fmt.Sprintf(`{"part":%d}`, id%w.Partitions)] = row(id, w.Partitions)
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Fatalf("%s %d after=%v: %s", step, nth, after, d)
				}
				again += read - w.Records
			}
		}
	}
	if again <= 0 {
		t.Fatal("no row was ever written again: the kills do nothing")
	}
	t.Logf("%d rows were written again", again)
}

// tableOf folds the output topic by key, and counts its records.
func tableOf(t *testing.T, w *World) (table map[string]string, read int) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(w.Addr), kgo.ConsumeTopics(w.Out))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	table = map[string]string{}
	for quiet := false; !quiet || read < w.Records; {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		fs := cl.PollFetches(ctx)
		quiet = ctx.Err() != nil
		cancel()
		fs.EachRecord(func(r *kgo.Record) {
			read++
			table[string(r.Key)] = string(r.Value)
		})
	}
	return table, read
}
