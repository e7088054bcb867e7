package torture

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"

	_ "github.com/sqlstream/sqlstream/connectors/files" // the connectors of the jobs
	_ "github.com/sqlstream/sqlstream/connectors/kafka"
)

// Job is the shape of a job: input topic → sequence number within the input
// partition, kept as state → sink.
type Job struct {
	Parallelism int           // 0: 1
	Interval    time.Duration // of checkpoints; 0: 4 ms
	Concurrent  int           // checkpoints in flight; 0: 1
	Timeout     time.Duration // of a checkpoint; 0: 10 min
	Files       string        // folder of a file sink instead of the topic
	TwoSinks    bool          // a second sink, to topic Out2
	Prefix      string        // sink.transactional-id-prefix; "": the job's name
	Sink        map[string]string
	Fresh       bool
	NoRestart   bool
}

func (j Job) complete() Job {
	j.Parallelism = max(j.Parallelism, 1)
	j.Concurrent = max(j.Concurrent, 1)
	if j.Interval == 0 {
		j.Interval = 4 * time.Millisecond
	}
	return j
}

var (
	inFields  = []types.Field{{Name: "id", Type: types.Of(types.BigInt)}, {Name: "part", Type: types.Of(types.BigInt)}}
	outFields = append(inFields[:2:2], types.Field{Name: "seq", Type: types.Of(types.BigInt)})
)

// row is the output row of an input record: a function of its id.
func row(id, partitions int) string {
	return fmt.Sprintf(`{"id":%d,"part":%d,"seq":%d}`, id, id%partitions, id/partitions+1)
}

// graph builds the job for one process.
func (w *World) graph(j Job, client string, p *stepper) (*exec.Graph, error) {
	src, err := w.source(j, client)
	if err != nil {
		return nil, err
	}
	g := &exec.Graph{Name: w.Name, Nodes: []*exec.Node{
		{UID: "input", Name: "Input", Parallelism: min(j.Parallelism, w.Partitions), Output: inFields, Source: &exec.SourceNode{Source: pacedSource{src}, Bounded: true}},
		sequenceNode(j.Parallelism),
	}}
	topics := []string{w.Out}
	if j.TwoSinks {
		topics = append(topics, w.Out2)
	}
	for i, topic := range topics {
		n, err := w.sinkNode(j, client, p, "sink"+strconv.Itoa(i+1), topic)
		if err != nil {
			return nil, err
		}
		g.Nodes = append(g.Nodes, n)
	}
	return g, nil
}

func (w *World) source(j Job, client string) (exec.Source, error) {
	o := map[string]string{"topic": w.In, "properties.bootstrap.servers": w.Addr, "properties.client.id": client, "format": "json",
		"scan.startup.mode": "earliest-offset", "scan.bounded.mode": "latest-offset", "properties.fetch.max.wait.ms": "5",
		"properties.fetch.max.bytes": "1", "properties.max.partition.fetch.bytes": "1"} // a record batch a fetch
	t, err := w.table(j, "kafka", inFields, o)
	if err != nil {
		return nil, err
	}
	c, _ := connectors.Lookup("kafka")
	st, err := c.Source(t)
	if err != nil {
		return nil, err
	}
	scan := connectors.Scan{Output: inFields, Parallelism: j.Parallelism}
	for i := range inFields {
		scan.Columns = append(scan.Columns, connectors.Path{i})
	}
	return st.Scan(scan)
}

func (w *World) sinkNode(j Job, client string, p *stepper, uid, topic string) (*exec.Node, error) {
	name := "kafka"
	o := map[string]string{"topic": topic, "properties.bootstrap.servers": w.Addr, "properties.client.id": client, "format": "json", "sink.semantic": "exactly-once"}
	if j.Prefix != "" {
		o["sink.transactional-id-prefix"] = j.Prefix
	}
	if j.Files != "" {
		name, o = "filesystem", map[string]string{"path": j.Files, "format": "json"}
	}
	maps.Copy(o, j.Sink)
	t, err := w.table(j, name, outFields, o)
	if err != nil {
		return nil, err
	}
	c, _ := connectors.Lookup(name)
	st, err := c.Sink(t)
	if err != nil {
		return nil, err
	}
	s, err := st.Sink()
	if err != nil {
		return nil, err
	}
	tapped := &tappedSink{TwoPhaseCommitSink: s.(exec.TwoPhaseCommitSink), p: p, w: w, id: uid, slow: j.Files != ""}
	return &exec.Node{UID: uid, Name: "Sink " + topic, Parallelism: j.Parallelism, Output: outFields,
		Inputs: []exec.Edge{{From: 1}}, Sink: &exec.SinkNode{Sink: tapped, Guarantee: exec.ExactlyOnce}}, nil
}

// table checks options as the planner does.
func (w *World) table(j Job, connector string, fields []types.Field, o map[string]string) (*connectors.Table, error) {
	c, _ := connectors.Lookup(connector)
	f, _ := format.Lookup("json")
	options, err := connectors.NewOptions(o, append(c.Options[:len(c.Options):len(c.Options)], f.Options...))
	if err != nil {
		return nil, err
	}
	t := &connectors.Table{Name: "t", Options: options,
		Env: connectors.Env{JobName: w.Name, Zone: time.UTC, CheckpointInterval: j.Interval, MaxConcurrent: j.Concurrent}}
	for _, f := range fields {
		t.Columns = append(t.Columns, connectors.Column{Name: f.Name, Type: f.Type})
	}
	return t, nil
}
