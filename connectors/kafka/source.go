package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/exec"
)

// sourceTable is a table opened for reading.
type sourceTable struct {
	table  *connectors.Table
	layout *layout
	client client.Config
	upsert bool
}

func openSource(t *connectors.Table, upsert bool) (connectors.SourceTable, error) {
	l, err := layoutOf(t, upsert)
	if err != nil {
		return nil, err
	}
	for _, p := range []part{l.key, l.value} {
		if p.format != nil && p.format.Decoder == nil {
			return nil, fmt.Errorf("format '%s' cannot be read", p.format.Name)
		}
	}
	if t.Options.Duration("scan.topic-partition-discovery.interval") > 0 {
		return nil, &connectors.UnsupportedError{Msg: "'scan.topic-partition-discovery.interval' other than '0' is not supported yet"}
	}
	c, err := clientConfig(t.Options)
	if err != nil {
		return nil, err
	}
	return &sourceTable{t, l, c, upsert}, nil
}

func (s *sourceTable) Changelog() connectors.Changelog {
	if s.upsert {
		return connectors.Upsert
	}
	return s.layout.value.format.Changelog
}

func (s *sourceTable) Bounded() bool { return s.table.Options.Enum(optBounded) != "unbounded" }

func (s *sourceTable) PushDown() connectors.PushDown {
	return connectors.PushDown{Projection: true, Filter: !s.upsert}
}

func (s *sourceTable) committed() bool { return s.table.Options.Enum(optIsolation) == "read_committed" }

func (s *sourceTable) Describe() string {
	o := s.table.Options
	from := "the earliest offset"
	if !s.upsert {
		from = map[string]string{
			"earliest-offset": "the earliest offset", "latest-offset": "the latest offset", "timestamp": "timestamp " + o.Text("scan.startup.timestamp-millis"),
			"specific-offsets": "specific offsets", "group-offsets": "the offsets of group " + o.Text(optGroup),
		}[o.Enum(optStartup)]
	}
	text := fmt.Sprintf("topic %s, from %s, %s", strings.Join(s.layout.topics, ", "), from, o.Enum(optIsolation))
	if s.Bounded() {
		text += ", to " + map[string]string{"latest-offset": "the end as of the start", "timestamp": "timestamp " + o.Text("scan.bounded.timestamp-millis"), "specific-offsets": "specific offsets", "group-offsets": "the group's offsets"}[o.Enum(optBounded)]
	}
	return text
}

// source is one scan of the table.
type source struct {
	*sourceTable
	scan connectors.Scan
	plan decodePlan
}

// decodePlan says where each output column comes from.
type decodePlan struct {
	value, key format.DecodeSpec
	valueOut   []int // output column of each decoded value column
	keyOut     []int
	meta       []metaColumn
	direct     bool // the value decoder fills the batch alone, filter included
}

func (s *sourceTable) Scan(scan connectors.Scan) (exec.Source, error) {
	src := &source{sourceTable: s, scan: scan}
	if err := src.makePlan(); err != nil {
		return nil, err
	}
	// Compile once now, so that what a format refuses is refused when the job
	// is planned.
	_, _, err := src.decoders(nil)
	return src, err
}

func (s *source) makePlan() error {
	o := s.table.Options
	onError := map[string]format.OnError{"fail": format.Fail, "skip": format.Skip, "null": format.NullField}[o.Enum(optOnError)]
	spec := func(p part) format.DecodeSpec {
		return format.DecodeSpec{Schema: p.fields, Options: o, Prefix: p.prefix, OnError: onError, Zone: s.table.Env.Zone}
	}
	p := &s.plan
	p.value, p.key = spec(s.layout.value), spec(s.layout.key)
	for i, path := range s.scan.Columns {
		c := path[0]
		if s.table.Columns[c].Metadata != "" {
			m, err := newMetaColumn(i, s.table.Columns[c])
			if err != nil {
				return err
			}
			p.meta = append(p.meta, m)
			continue
		}
		inKey, inValue := slices.Index(s.layout.key.columns, c), slices.Index(s.layout.value.columns, c)
		if inKey >= 0 && (s.upsert || inValue < 0) { // a tombstone has nothing but its key
			add(&p.key, &p.keyOut, i, inKey, path, s.scan)
		} else {
			add(&p.value, &p.valueOut, i, inValue, path, s.scan)
		}
	}
	if len(p.keyOut) > 0 && s.layout.value.format.Changelog != connectors.Append {
		return &connectors.UnsupportedError{Msg: fmt.Sprintf("'%s' together with format '%s' is not supported yet", optKeyFields, s.layout.value.format.Name)}
	}
	p.direct = len(p.meta)+len(p.keyOut) == 0 && !s.upsert
	if p.direct {
		p.value.Filter, p.value.Always = s.scan.Filter, s.scan.Always
	}
	return nil
}

func add(spec *format.DecodeSpec, out *[]int, column, field int, path connectors.Path, scan connectors.Scan) {
	spec.Columns = append(spec.Columns, append(connectors.Path{field}, path[1:]...))
	spec.Output = append(spec.Output, scan.Output[column])
	*out = append(*out, column)
}

// decoders compiles the formats. The key's is nil if no column needs it.
func (s *source) decoders(bad func(int, error)) (value, key format.Decoder, err error) {
	v := s.plan.value
	v.Bad = bad
	if value, err = s.layout.value.format.Decoder(&v); err != nil {
		return nil, nil, err
	}
	if len(s.plan.keyOut) > 0 {
		k := s.plan.key
		k.Bad = bad
		key, err = s.layout.key.format.Decoder(&k)
	}
	return value, key, err
}

// Splits are the partitions, with where their reading begins and ends.
func (s *source) Splits(ctx context.Context) ([]exec.Split, error) {
	control := client.NewControl(s.client)
	defer control.Close()
	var parts []client.TP
	for _, name := range s.layout.topics {
		t, err := topicOf(ctx, control, name)
		if err != nil {
			return nil, err
		}
		for _, p := range t.Partitions {
			parts = append(parts, client.TP{Topic: name, Partition: p.ID})
		}
	}
	o := s.table.Options
	f := &finder{control: control, options: o, parts: parts, committed: s.committed(), group: o.Text(optGroup)}
	starts, err := f.starts(ctx, s.upsert)
	if err != nil {
		return nil, explain(err)
	}
	ends, err := f.ends(ctx)
	if err != nil {
		return nil, explain(err)
	}
	splits := make([]exec.Split, len(parts))
	for i, p := range parts {
		splits[i] = exec.Split{ID: splitID(p), Position: position{starts[p], ends[p]}.encode()}
	}
	return splits, nil
}

// topicOf describes a topic, waiting a little for leaders of a new one.
func topicOf(ctx context.Context, c *client.Control, name string) (client.Topic, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		t, err := c.Topic(ctx, name)
		if !codes.Is(err, codes.LeaderNotAvailable) {
			return t, explain(err)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return t, err
		}
	}
}

// explain adds what a person can do, and makes errors fatal that no restart
// can mend.
func explain(err error) error {
	var u *client.Unreachable
	switch {
	case err == nil, errors.As(err, &u):
		return err
	case codes.Is(err, codes.UnknownTopic, codes.InvalidTopic, codes.SASLAuthentication, codes.UnsupportedSASL, codes.UnsupportedVersion), codes.Authorization(err):
		return exec.Fatal(err)
	}
	return err
}
