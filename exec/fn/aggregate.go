package fn

import (
	"fmt"
	"sort"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// Aggregate describes a function of many rows.
type Aggregate struct {
	Name    string
	Aliases []string
	Syntax  string
	Doc     string
	// Bind chooses the overload. The error says what is expected, without
	// position.
	Bind func(args []Arg) (*BoundAgg, error)
}

// BoundAgg is an aggregate chosen for given argument types. It is stateless:
// its accumulators live in columns of the operator's table.
type BoundAgg struct {
	Params []types.Type // arguments are cast to these
	Result types.Type
	// State are the accumulator's columns in the operator's table. A new
	// group's columns are zero and not null.
	State []state.Class
	// Lists and Sorted are the accumulator's lists and ordered maps in the
	// table (values kept for retraction, LISTAGG …).
	Lists, Sorted []state.ListLayout
	// Retract are further ordered maps, behind Sorted, that only an accumulator
	// with retractions has.
	Retract []state.ListLayout
	// SeesNulls: rows whose first argument is null are handed over too
	// (ARRAY_AGG, COUNT(*) has no argument).
	SeesNulls bool
	// New makes the kernels of one operator instance. retract says that
	// retractions will come; an aggregate that cannot take them was refused
	// when it was bound.
	New func(retract bool) Accumulator
}

// Accumulator folds rows into the accumulators of their slots, a batch a
// call. Single goroutine.
type Accumulator interface {
	// Open is given the operator's table and where the accumulator's columns,
	// lists and ordered maps begin in it, once.
	Open(t *state.Table, at Place)
	// Add folds the given physical rows, in order: rows[i] belongs to
	// slots[i] (one slot may occur many times), and retracts if ops is not nil
	// and says so. Pages of all slots have been touched.
	Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error
	// Merge folds the accumulators of slots from into those of slots to
	// (sessions, slices). Pages of all slots have been touched.
	Merge(to, from []int32) error
	// Result appends the current value of each slot to out.
	Result(slots []int32, out *vec.Vector) error
}

// Place is where an accumulator's parts begin among the table's value
// columns, lists and ordered maps.
type Place struct{ Col, List, Sorted int }

var aggregates = map[string]*Aggregate{}

// RegisterAggregate adds an aggregate; from init only.
func RegisterAggregate(a *Aggregate) {
	for _, name := range append([]string{a.Name}, a.Aliases...) {
		name = strings.ToUpper(name)
		if aggregates[name] != nil {
			panic(fmt.Sprintf("fn: aggregate %s registered twice", name))
		}
		aggregates[name] = a
	}
}

// LookupAggregate finds an aggregate by name or alias, in any case.
func LookupAggregate(name string) (*Aggregate, bool) {
	a, ok := aggregates[strings.ToUpper(name)]
	return a, ok
}

// AllAggregates returns the aggregates by name, each once.
func AllAggregates() []*Aggregate {
	var all []*Aggregate
	for name, a := range aggregates {
		if name == strings.ToUpper(a.Name) {
			all = append(all, a)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}
