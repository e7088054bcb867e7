// Package physical is the plan that a job is built from, as data: EXPLAIN
// prints it, golden tests compare it, and its UIDs map state on restore.
package physical

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
)

// Plan is a job. Nodes are in topological order, inputs before consumers; a
// node with several consumers is computed once.
type Plan struct {
	Nodes  []*Node
	Roots  []*Node // Sink and Collect nodes, in the order of the statements
	Config Config
	// Hash names the job: two plans with equal hashes may take over each
	// other's state. It leaves out parallelism, intervals, credentials and
	// bootstrap servers.
	Hash string
}

// Node is one operator of a plan.
type Node struct {
	ID  int    // index in Plan.Nodes
	UID string // hash of kind, parameters and the inputs' UIDs
	At  ast.Pos

	Op     Op
	Inputs []Input
	Output []types.Field // types carry the time attributes that survive

	// Parallelism is 1 where Single, else the session's or a connector's.
	Parallelism int
	Single      bool

	// Changes are the kinds of changes of the output; Before tells whether an
	// update comes as -U and +U, or as +U alone.
	Changes Changes
	Before  bool
	// Keys are the unique keys of the output: no two live rows agree in one,
	// and an update replaces the row of equal key. An empty key means that
	// there is at most one row.
	Keys [][]int
	// Windows names the columns that bound the window of a row, if the rows
	// have one and it is closed by event time.
	Windows *WindowColumns

	// rowtime is the event time of a scan as an expression over the output, so
	// that a computed column above is known as the row time.
	rowtime expr.Expr
	// needsBefore is set where a consumer cannot do without -U.
	needsBefore bool
	// EachRow is set where a consumer needs each change, not only the last one
	// of a batch.
	EachRow bool
}

// Input is one input of a node. Several may feed one port (UNION ALL).
type Input struct {
	Node     *Node
	Exchange exec.Exchange
	Key      []int // columns hashed, for exec.Hash
	Port     int
}

// WindowColumns are column numbers; −1 where there is none. LTZ windows are of
// a TIMESTAMP_LTZ time attribute: start and end are local to the session's
// zone, the watermark is not.
type WindowColumns struct {
	Start, End, Time int
	LTZ              bool
}

// in is the node of input i.
func (n *Node) in(i int) *Node { return n.Inputs[i].Node }

// appendOnly tells whether the output is inserts only.
func (n *Node) appendOnly() bool { return n.Changes == Insert }

// retracts tells whether the output may hold -U or -D.
func (n *Node) retracts() bool {
	return n.Changes.Has(Delete) || n.Changes.Has(Update) && n.Before
}

// unique tells whether the columns contain a unique key.
func (n *Node) unique(cols []int) bool {
	for _, k := range n.Keys {
		if containsAll(cols, k) {
			return true
		}
	}
	return false
}

func containsAll(set, all []int) bool {
	for _, x := range all {
		if !slices.Contains(set, x) {
			return false
		}
	}
	return true
}

// forward is one input without exchange.
func forward(n *Node) []Input { return []Input{{Node: n, Exchange: exec.Forward}} }

// keyed is one input hashed by the columns, or gathered if there are none.
func keyed(n *Node, key []int, port int) Input {
	if len(key) == 0 {
		return Input{Node: n, Exchange: exec.Gather, Port: port}
	}
	return Input{Node: n, Exchange: exec.Hash, Key: key, Port: port}
}
