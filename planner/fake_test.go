package planner_test

import (
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/exec"
)

// The connectors of these tests read and write nothing: they have the options
// and abilities of the real ones, so that plans look like real plans.
func init() {
	for _, name := range []string{"debezium-json", "canal-json", "json", "csv", "raw"} {
		if _, ok := format.Lookup(name); ok {
			continue
		}
		f := &format.Format{Name: name}
		if name != "json" && name != "csv" && name != "raw" {
			f.Changelog = connectors.Retract
		}
		format.Register(f)
	}
	text := func(key string) connectors.Option { return connectors.Option{Key: key} }
	required := func(key, doc string) connectors.Option {
		return connectors.Option{Key: key, Required: true, Doc: doc}
	}
	tables := []struct {
		name    string
		options []connectors.Option
		source  *fakeSource
		sink    *fakeSink
	}{
		{"kafka", []connectors.Option{required("topic", "the topic"), text("properties.*"), text("scan.startup.mode"), text("format"), text("value.format"), text("key.format"), text("key.fields"),
			{Key: "sink.delivery-guarantee", Kind: connectors.Enum, Values: []string{"none", "at-least-once", "exactly-once"}}, {Key: "sink.parallelism", Kind: connectors.Integer}},
			&fakeSource{take: connectors.PushDown{Projection: true, Filter: true}}, &fakeSink{accepts: connectors.Append}},
		{"upsert-kafka", []connectors.Option{required("topic", "the topic"), text("properties.*"), text("value.format"), text("key.format"), {Key: "sink.parallelism", Kind: connectors.Integer}},
			&fakeSource{changes: connectors.Upsert, take: connectors.PushDown{Projection: true}}, &fakeSink{accepts: connectors.Upsert}},
		{"filesystem", []connectors.Option{required("path", "the file"), required("format", "the format")},
			&fakeSource{bounded: true}, &fakeSink{accepts: connectors.Append}},
		{"print", nil, nil, &fakeSink{accepts: connectors.Retract}},
		{"blackhole", nil, nil, &fakeSink{accepts: connectors.Retract}},
		{"datagen", []connectors.Option{{Key: "rows-per-second", Kind: connectors.Integer}, text("fields.#.kind")}, &fakeSource{}, nil},
	}
	for _, t := range tables {
		c := &connectors.Connector{Name: t.name, Options: t.options, Formats: true,
			Metadata: []connectors.Metadata{{Key: "timestamp", Readable: true, Writable: true}}}
		if t.source != nil {
			c.Source = t.source.open
		}
		if t.sink != nil {
			c.Sink = t.sink.open
		}
		connectors.Register(c)
	}
}

type fakeSource struct {
	changes connectors.Changelog
	take    connectors.PushDown
	bounded bool
	table   *connectors.Table
}

func (s *fakeSource) open(t *connectors.Table) (connectors.SourceTable, error) {
	c := *s
	c.table = t
	for _, key := range []string{"format", "value.format"} {
		if name := t.Options.Prefixed("")[key]; name != "" {
			if f, ok := format.Lookup(name); ok && f.Changelog != connectors.Append {
				c.changes = f.Changelog
			}
		}
	}
	return &c, nil
}

func (s *fakeSource) Changelog() connectors.Changelog           { return s.changes }
func (s *fakeSource) Bounded() bool                             { return s.bounded }
func (s *fakeSource) PushDown() connectors.PushDown             { return s.take }
func (s *fakeSource) Scan(connectors.Scan) (exec.Source, error) { return nil, nil }
func (s *fakeSource) Describe() string                          { return "a fake" }

type fakeSink struct {
	accepts connectors.Changelog
	table   *connectors.Table
}

func (s *fakeSink) open(t *connectors.Table) (connectors.SinkTable, error) {
	c := *s
	c.table = t
	return &c, nil
}

func (s *fakeSink) Accepts() connectors.Changelog { return s.accepts }
func (s *fakeSink) Guarantee() exec.Guarantee     { return exec.AtLeastOnce }
func (s *fakeSink) Promise() string               { return "at-least-once: after a crash rows may come twice" }
func (s *fakeSink) Sink() (exec.Sink, error)      { return nil, nil }
func (s *fakeSink) Parallelism() int {
	if s.table.Options.Given("sink.parallelism") {
		return int(s.table.Options.Int("sink.parallelism"))
	}
	return 0
}
