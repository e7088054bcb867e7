package exec

import (
	"fmt"

	"github.com/sqlstream/sqlstream/state"
)

// chain is a tree of nodes that run in one goroutine per subtask, with direct
// calls between them. Its head is a source, or has queues before it.
type chain struct {
	head  int   // index in Graph.Nodes
	nodes []int // topological, head first
}

// chains is a Graph cut into chains.
type chains struct {
	g         *Graph
	list      []*chain
	of        []int        // node → index in list
	consumers [][]consumer // node → edges that leave it
}

// consumer is one edge, seen from its producer.
type consumer struct{ node, edge int }

// fused tells whether a node runs in the goroutine of its only input. An
// exchange between two nodes of parallelism 1 moves no row, so it is fused
// too (the keys are hashed in place).
func fused(g *Graph, n *Node) bool {
	if len(n.Inputs) != 1 {
		return false
	}
	from := g.Nodes[n.Inputs[0].From]
	if n.Parallelism == 1 && from.Parallelism == 1 {
		return true
	}
	return n.Inputs[0].Exchange == Forward && n.Parallelism == from.Parallelism
}

func cutChains(g *Graph) (*chains, error) {
	if err := validate(g); err != nil {
		return nil, err
	}
	c := &chains{g: g, of: make([]int, len(g.Nodes)), consumers: make([][]consumer, len(g.Nodes))}
	for i, n := range g.Nodes {
		for e, in := range n.Inputs {
			c.consumers[in.From] = append(c.consumers[in.From], consumer{i, e})
		}
		if fused(g, n) {
			c.of[i] = c.of[n.Inputs[0].From]
			ch := c.list[c.of[i]]
			ch.nodes = append(ch.nodes, i)
			continue
		}
		c.of[i] = len(c.list)
		c.list = append(c.list, &chain{head: i, nodes: []int{i}})
	}
	return c, nil
}

// validate finds mistakes of the planner.
func validate(g *Graph) error {
	seen := map[string]bool{}
	for i, n := range g.Nodes {
		if err := validateNode(n); err != nil {
			return fmt.Errorf("job graph: node %d (%s): %w", i, n.Name, err)
		}
		if seen[n.UID] {
			return fmt.Errorf("job graph: two nodes have the UID %q", n.UID)
		}
		seen[n.UID] = true
		for _, e := range n.Inputs {
			if err := validateEdge(g, i, e); err != nil {
				return fmt.Errorf("job graph: an input of node %d (%s): %w", i, n.Name, err)
			}
		}
	}
	if len(g.Nodes) == 0 {
		return fmt.Errorf("job graph: no nodes")
	}
	return nil
}

func validateNode(n *Node) error {
	kinds := 0
	for _, is := range []bool{n.Source != nil, n.New != nil, n.Sink != nil} {
		if is {
			kinds++
		}
	}
	switch {
	case n.UID == "":
		return fmt.Errorf("no UID")
	case kinds != 1:
		return fmt.Errorf("%d of Source, New and Sink are set, expected one", kinds)
	case n.Parallelism < 1 || n.Parallelism > state.MaxParallelism:
		return fmt.Errorf("parallelism %d, expected 1 to %d", n.Parallelism, state.MaxParallelism)
	case (n.Source != nil) != (len(n.Inputs) == 0):
		return fmt.Errorf("%d inputs", len(n.Inputs))
	}
	return nil
}

func validateEdge(g *Graph, to int, e Edge) error {
	n := g.Nodes[to]
	switch {
	case e.From < 0 || e.From >= to:
		return fmt.Errorf("it comes from node %d, which is not before it", e.From)
	case g.Nodes[e.From].Sink != nil:
		return fmt.Errorf("it comes from a sink")
	case e.Port < 0 || e.Port >= ports(n):
		return fmt.Errorf("port %d of %d", e.Port, ports(n))
	case e.Exchange == Forward && g.Nodes[e.From].Parallelism != n.Parallelism:
		return fmt.Errorf("forward from parallelism %d to %d", g.Nodes[e.From].Parallelism, n.Parallelism)
	case e.Exchange == Gather && n.Parallelism != 1:
		return fmt.Errorf("gathered at parallelism %d", n.Parallelism)
	}
	return nil
}

// ports is the number of an operator's inputs.
func ports(n *Node) int {
	most := 0
	for _, e := range n.Inputs {
		most = max(most, e.Port+1)
	}
	return min(most, len(n.Inputs))
}
