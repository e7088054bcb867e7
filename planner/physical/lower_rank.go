package physical

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// rank lowers a Top-N: per window if it is partitioned by one, as
// deduplication if it is the first row by time, else in general.
func (l *lowerer) rank(p *logical.Rank) (*Node, error) {
	in, err := l.plan(p.Input)
	if err != nil {
		return nil, err
	}
	n := &Node{At: p.Pos(), Inputs: []Input{keyed(in, p.Partition, 0)}, Output: schema(p), Single: len(p.Partition) == 0}
	inheritTime(n.Output, in.Output, 0)
	switch w := in.Windows; {
	case w != nil && w.Start >= 0 && w.End >= 0 && in.appendOnly() && slices.Contains(p.Partition, w.Start) && slices.Contains(p.Partition, w.End):
		return l.windowRank(p, n, in), nil
	case deduplicates(p, in):
		return l.deduplicate(p, n, in), nil
	}
	n.Op = &Rank{Name: "Rank", TopNSpec: op.TopNSpec{Partition: p.Partition, Order: p.Order, From: p.From, To: p.To,
		OutputRank: p.OutputRank, TTL: l.cfg.StateTTL, UpsertKey: fastKey(in, p.Partition, p.Order)}}
	n.Changes = Every
	n.Keys = rankKeys(p, in)
	return l.add(n), nil
}

// rankKeys: rows keep their own keys, and in a partition each rank occurs
// once.
func rankKeys(p *logical.Rank, in *Node) [][]int {
	keys := slices.Clone(in.Keys)
	if p.From == p.To {
		keys = append([][]int{p.Partition}, keys...)
	}
	if p.OutputRank {
		keys = append([][]int{append(slices.Clone(p.Partition), len(in.Output))}, keys...)
	}
	return keys
}

func (l *lowerer) windowRank(p *logical.Rank, n, in *Node) *Node {
	w := *in.Windows
	var partition []int
	for _, c := range p.Partition {
		if c != w.Start && c != w.End && c != w.Time {
			partition = append(partition, c)
		}
	}
	n.Op = &WindowRank{op.WindowTopNSpec{Partition: partition, StartCol: w.Start, EndCol: w.End, LTZ: w.LTZ, Order: p.Order, From: p.From, To: p.To, OutputRank: p.OutputRank}}
	n.Inputs = []Input{keyed(in, partition, 0)}
	n.Single = len(partition) == 0
	n.Changes, n.Keys, n.Windows = Insert, rankKeys(p, in), in.Windows
	return l.add(n)
}

// deduplicates: the first or last row of each key by a time attribute.
func deduplicates(p *logical.Rank, in *Node) bool {
	if p.From != 1 || p.To != 1 || len(p.Order) != 1 || !in.appendOnly() {
		return false
	}
	return in.Output[p.Order[0].Col].Type.Attr != types.NoTime
}

func (l *lowerer) deduplicate(p *logical.Rank, n, in *Node) *Node {
	k := p.Order[0]
	n.Op = &Deduplicate{op.DeduplicateSpec{Keys: p.Partition, Time: k.Col, Proctime: in.Output[k.Col].Type.Attr == types.Proctime,
		KeepLast: k.Desc, OutputRank: p.OutputRank, TTL: l.cfg.StateTTL}}
	n.Changes = Insert
	if k.Desc {
		n.Changes |= Update
	}
	n.Keys = append([][]int{p.Partition}, in.Keys...)
	return l.add(n)
}

// sort lowers ORDER BY: with LIMIT a Top-N over all rows, else by row time.
func (l *lowerer) sort(p *logical.Sort) (*Node, error) {
	if p.Limit == 0 {
		return l.values(&logical.Values{Node: p.Node})
	}
	in, err := l.plan(p.Input)
	if err != nil {
		return nil, err
	}
	if p.Limit < 0 {
		return l.sortByTime(p, in)
	}
	n := &Node{At: p.Pos(), Inputs: []Input{keyed(in, nil, 0)}, Output: in.Output, Single: true, Keys: in.Keys, Changes: Every}
	o := &Rank{Name: "SortLimit", TopNSpec: op.TopNSpec{Order: p.Keys, From: p.Offset + 1, To: p.Offset + p.Limit, TTL: l.cfg.StateTTL,
		UpsertKey: fastKey(in, nil, p.Keys)}}
	if len(p.Keys) == 0 {
		o.Name = "Limit"
		if in.appendOnly() {
			n.Changes = Insert
		}
	}
	n.Op = o
	return l.add(n), nil
}

func (l *lowerer) sortByTime(p *logical.Sort, in *Node) (*Node, error) {
	switch {
	case p.Offset > 0:
		return nil, perr.New(p.Pos(), "OFFSET without LIMIT is not possible on a stream").WithHint("add LIMIT")
	case len(p.Keys) == 0:
		return in, nil
	}
	k := p.Keys[0]
	attr := in.Output[k.Col].Type.Attr
	switch {
	case attr == types.NoTime:
		return nil, perr.New(p.Pos(), "a stream cannot be ordered by %s: it never ends", in.columnText(k.Col)).
			WithHint("add LIMIT n to keep the first n rows, or order by a time attribute, ascending")
	case k.Desc:
		return nil, perr.New(p.Pos(), "a stream cannot be ordered by time descending").WithHint("add LIMIT n to keep the latest n rows")
	case !in.appendOnly():
		return nil, perr.New(p.Pos(), "ORDER BY a time attribute takes inserts only, but %s updates rows that it has emitted", describeShort(updater(in)))
	case attr == types.Proctime:
		return in, nil
	}
	return l.add(&Node{Op: &TemporalSort{op.TemporalSortSpec{Time: k.Col, Order: p.Keys[1:]}}, At: p.Pos(), Inputs: []Input{keyed(in, nil, 0)},
		Output: in.Output, Changes: Insert, Keys: in.Keys, Windows: in.Windows, Single: true}), nil
}
