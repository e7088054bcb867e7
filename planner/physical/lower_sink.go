package physical

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// sink lowers INSERT INTO. The input has the columns that are written, in
// declared order.
func (l *lowerer) sink(p *logical.Sink) (*Node, error) {
	in, err := l.plan(unrenamed(p.Input))
	if err != nil {
		return nil, err
	}
	written := writtenColumns(p.Table)
	table, err := openSink(p.Pos(), p.Table, rowtimeColumn(in.Output), l.cfg)
	if err != nil {
		return nil, err
	}
	in = l.notNull(p, in, written)
	key := keyColumns(p.Table, written)
	if err := checkSink(p, in, table, key); err != nil {
		return nil, err
	}
	n := &Node{Op: &Sink{Table: p.Table, Sink: table, Key: key}, At: p.Pos(), Output: sinkOutput(in, written), Changes: in.Changes}
	n.Parallelism = table.Parallelism()
	if n.Parallelism == 0 {
		n.Parallelism = in.Parallelism
	}
	n.Inputs = []Input{sinkInput(in, n, key)}
	return l.add(n), nil
}

func writtenColumns(t *catalog.Table) []catalog.Column {
	var cols []catalog.Column
	for _, c := range t.Columns {
		if c.Computed == nil && !c.Virtual {
			cols = append(cols, c)
		}
	}
	return cols
}

func sinkOutput(in *Node, written []catalog.Column) []types.Field {
	out := slices.Clone(in.Output)
	for i := range out {
		if i < len(written) {
			out[i].Name = written[i].Name
		}
	}
	return out
}

// rowtimeColumn is the query's only row time, −1 if there is none or several.
func rowtimeColumn(fields []types.Field) int {
	at := -1
	for i, f := range fields {
		if f.Type.Attr != types.Rowtime {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = i
	}
	return at
}

func keyColumns(t *catalog.Table, written []catalog.Column) []int {
	var key []int
	for _, k := range t.PrimaryKey {
		if i := slices.IndexFunc(written, func(c catalog.Column) bool { return c.Name == k }); i >= 0 {
			key = append(key, i)
		}
	}
	return key
}

// notNull checks the columns that may be null before a sink that does not
// take nulls.
func (l *lowerer) notNull(p *logical.Sink, in *Node, written []catalog.Column) *Node {
	var cols []int
	for i, c := range written {
		if c.Type.NotNull && i < len(in.Output) && !in.Output[i].Type.NotNull {
			cols = append(cols, i)
		}
	}
	if cols == nil {
		return in
	}
	out := sinkOutput(in, written)
	for _, c := range cols {
		out[c].Type.NotNull = true
	}
	return l.add(&Node{Op: &NotNull{op.NotNullSpec{Columns: cols, Table: p.Table.Path.Name, Drop: l.cfg.DropNulls}}, At: p.Pos(),
		Inputs: forward(in), Output: out, Changes: in.Changes, Keys: in.Keys, Windows: in.Windows})
}

// sinkInput: rows of one key go to one writer; changes are never spread
// without a key.
func sinkInput(in, sink *Node, key []int) Input {
	switch {
	case sink.Parallelism > 1 && len(key) > 0:
		return Input{Node: in, Exchange: exec.Hash, Key: key}
	case sink.Parallelism == in.Parallelism:
		return Input{Node: in, Exchange: exec.Forward}
	case sink.Parallelism == 1:
		return Input{Node: in, Exchange: exec.Gather}
	case !in.appendOnly():
		sink.Parallelism = in.Parallelism
		return Input{Node: in, Exchange: exec.Forward}
	}
	return Input{Node: in, Exchange: exec.Rebalance}
}

// checkSink refuses changes that the sink cannot take.
func checkSink(p *logical.Sink, in *Node, table connectors.SinkTable, key []int) error {
	if in.appendOnly() || table.Accepts() == connectors.Retract {
		return nil
	}
	name := p.Table.Path.Name
	if table.Accepts() == connectors.Append {
		u := updater(in)
		return perr.New(u.At, "table %s takes inserts only, but %s updates rows that it has emitted", name, describeShort(u)).
			WithHint("%s", appendRemedy(p, in))
	}
	if len(key) == 0 {
		return perr.New(p.Pos(), "table %s is written by key and needs a PRIMARY KEY", name)
	}
	if keyMatches(in, key) {
		return nil
	}
	if p.OnConflict != "" {
		return perr.NotYet(p.Pos(), "ON CONFLICT DO %s for a query whose key is not the primary key of its table", p.OnConflict)
	}
	return keyMismatch(p, in, key)
}

// keyMatches tells whether rows of different keys of the query never share a
// primary key of the sink. A primary key that is larger than the query's key
// is fine, for then -U is sent too.
func keyMatches(in *Node, key []int) bool { return in.unique(key) }

// updater is the operator nearest to the sources that makes an append-only
// stream an updating one.
func updater(n *Node) *Node {
	for _, in := range n.Inputs {
		if !in.Node.appendOnly() {
			return updater(in.Node)
		}
	}
	return n
}

func appendRemedy(p *logical.Sink, in *Node) string {
	if len(in.Keys) == 0 || len(in.Keys[0]) == 0 {
		return "use connector 'upsert-kafka', with the columns that identify a row of the query as its PRIMARY KEY"
	}
	key := strings.Join(names(sinkOutput(in, writtenColumns(p.Table)), in.Keys[0]), ", ")
	return fmt.Sprintf("use connector 'upsert-kafka' with PRIMARY KEY (%s) NOT ENFORCED", key)
}

func keyMismatch(p *logical.Sink, in *Node, key []int) error {
	t := p.Table.Path.Name
	pk := strings.Join(names(sinkOutput(in, writtenColumns(p.Table)), key), ", ")
	u := updater(in)
	if len(in.Keys) == 0 {
		return perr.New(u.At, "the query updates rows by no key that its columns hold, so table %s with PRIMARY KEY (%s) would keep wrong rows", t, pk).
			WithHint("select the key columns of %s too, and make them the primary key", describeShort(u))
	}
	if len(in.Keys[0]) == 0 {
		return nil
	}
	want := strings.Join(names(sinkOutput(in, writtenColumns(p.Table)), in.Keys[0]), ", ")
	return perr.New(u.At, "the query updates rows by its key, here (%s), but the primary key of table %s is (%s): two rows of the query could overwrite each other", want, t, pk).
		WithHint("declare PRIMARY KEY (%s) NOT ENFORCED", want)
}
