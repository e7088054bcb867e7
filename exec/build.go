package exec

import (
	"slices"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/state"
)

// build makes the tasks and connects them.
func (a *attempt) build(splits map[string][][]checkpoint.SplitState) error {
	cs := a.job.chains
	byChain := make([][]*task, len(cs.list))
	for i, c := range cs.list {
		head := a.g.Nodes[c.head]
		for k := range head.Parallelism {
			t, err := a.newTask(cs, c, k, splits)
			if err != nil {
				return err
			}
			byChain[i] = append(byChain[i], t)
			a.tasks = append(a.tasks, t)
			a.tasksOf[t.subtask] = t
		}
	}
	for i, c := range cs.list {
		a.connect(cs, c, byChain, byChain[i])
	}
	return nil
}

func (a *attempt) newTask(cs *chains, c *chain, index int, splits map[string][][]checkpoint.SplitState) (*task, error) {
	head := a.g.Nodes[c.head]
	t := &task{
		run: a, chain: c, ctx: a.ctx, metrics: newMetrics(),
		subtask: checkpoint.Subtask{UID: head.UID, Index: index},
		mail:    mailbox{wake: make(chan struct{}, 1)},
		watch:   stopwatch{coarse: a.cfg.RowMode},
	}
	outs := map[int]*output{}
	for _, i := range c.nodes {
		n := a.g.Nodes[i]
		if n.Source != nil {
			t.source = &sourceRun{task: t, node: n, spec: n.Source, starts: splits[n.UID][index], out: newOutput(n, t.metrics)}
			t.source.makeSplits(a.clock.Now())
			outs[i] = t.source.out
			continue
		}
		s, err := a.newStage(t, n, index)
		if err != nil {
			return nil, err
		}
		t.stages = append(t.stages, s)
		outs[i] = s.out
		if i != c.head {
			e := n.Inputs[0]
			out := outs[e.From]
			out.targets = append(out.targets, a.newInlet(s, e.Port, newHasher(e)))
		}
	}
	a.addExchanges(cs, t, outs)
	return t, nil
}

func newMetrics() *Metrics {
	m := &Metrics{}
	m.Watermark.Store(int64(types.MinTime))
	return m
}

func (a *attempt) newInlet(s *stage, port int, h hasher) *inlet {
	in := &inlet{stage: s, port: port, split: s.node.Folds && (a.cfg.RowMode || s.node.EachRow), keys: h}
	for _, e := range s.node.Inputs {
		if e.Port == port {
			in.one.types = fieldTypes(a.g.Nodes[e.From].Output)
		}
	}
	return in
}

func (a *attempt) newStage(t *task, n *Node, index int) (*stage, error) {
	m := t.metrics
	if len(t.stages) > 0 || t.source != nil {
		m = newMetrics()
	}
	marks := a.restored.marks(n.UID, index, n.Parallelism, ports(n))
	s := &stage{
		task: t, node: n, subtask: checkpoint.Subtask{UID: n.UID, Index: index}, out: newOutput(n, m),
		marks: marks[:ports(n)], idle: make([]bool, ports(n)), next: types.MaxTime,
	}
	s.out.last = marks[ports(n)]
	s.ctx = &Context{
		Subtask: s.subtask, Parallelism: n.Parallelism, Metrics: m, Watermark: slices.Min(s.marks),
		Log: a.log.With("operator", n.Name, "subtask", index),
	}
	s.out.ctx = s.ctx
	m.Watermark.Store(int64(s.ctx.Watermark))
	if n.Sink != nil {
		a.writers[s.subtask] = t
		return s, nil
	}
	b, err := state.Open(state.Options{
		Operator: n.Name, Range: state.RangeOf(index, n.Parallelism),
		Manifests: a.restored.manifests(n.UID), Chunks: chunkStore{a.store},
	})
	s.ctx.State = b
	return s, err
}

// addExchanges makes the producer's side of the edges that leave the chain.
func (a *attempt) addExchanges(cs *chains, t *task, outs map[int]*output) {
	for _, i := range t.chain.nodes {
		for _, c := range cs.consumers[i] {
			to := a.g.Nodes[c.node]
			if fused(a.g, to) {
				continue
			}
			e := to.Inputs[c.edge]
			x := &exchange{task: t, kind: e.Exchange, types: fieldTypes(a.g.Nodes[i].Output), keys: newHasher(e)}
			t.exchanges = append(t.exchanges, x)
			outs[i].targets = append(outs[i].targets, x)
		}
	}
}

// connect makes the gates of a chain's subtasks and fills the lanes of their
// producers, edge by edge.
func (a *attempt) connect(cs *chains, c *chain, byChain [][]*task, tasks []*task) {
	head := a.g.Nodes[c.head]
	if head.Source != nil {
		return
	}
	for _, t := range tasks {
		t.gate = newGate(t.mail.wake)
		for p := range t.stages[0].marks {
			t.inlets = append(t.inlets, a.newInlet(t.stages[0], p, hasher{}))
			t.valves = append(t.valves, &valve{last: t.stages[0].marks[p]})
		}
	}
	for e, edge := range head.Inputs {
		for _, from := range byChain[cs.of[edge.From]] {
			x := from.exchanges[exchangeIndex(cs, a.g, cs.of[edge.From], consumer{c.head, e})]
			for _, to := range receivers(edge, from, tasks) {
				x.lanes = append(x.lanes, &lane{queue: to.addChannel(edge.Port)})
			}
		}
	}
	for _, t := range tasks {
		t.aligner = newAligner(len(t.gate.queues))
	}
}

// exchangeIndex finds an edge among the exchanges of a chain's tasks, which
// are in the order of addExchanges.
func exchangeIndex(cs *chains, g *Graph, chain int, want consumer) int {
	at := 0
	for _, i := range cs.list[chain].nodes {
		for _, c := range cs.consumers[i] {
			if c == want {
				return at
			}
			if !fused(g, g.Nodes[c.node]) {
				at++
			}
		}
	}
	panic("exec: edge without an exchange")
}

// receivers are the consumer's subtasks that a producer sends to.
func receivers(e Edge, from *task, to []*task) []*task {
	switch e.Exchange {
	case Forward:
		return to[from.subtask.Index : from.subtask.Index+1]
	case Gather:
		return to[:1]
	default:
		return to
	}
}

// addChannel adds a queue into a port, which stands at the restored
// watermark.
func (t *task) addChannel(port int) *queue {
	v := t.valves[port]
	t.portOf = append(t.portOf, port)
	t.indexOf = append(t.indexOf, len(v.channels))
	v.channels = append(v.channels, channelMark{at: v.last, aligned: true})
	return t.gate.add()
}
