// Package fn holds the descriptors of functions and their registries.
// Packages fn/scalar and fn/agg register the functions themselves, one file
// each; adding one edits no other file.
package fn

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Arg is what a function sees of an argument when it is bound.
type Arg struct {
	Type    types.Type
	Literal *vec.Value // not nil if the argument is a constant, and then its value
	Func    string     // name of the function, if the argument is a call of one
}

// Volatility says how long a result may be kept.
type Volatility uint8

const (
	// Immutable: same arguments, same result; folded when constant.
	Immutable Volatility = iota
	// PerStatement: one value for a whole batch (CURRENT_TIMESTAMP).
	PerStatement
	// PerRow: never folded, never shared (RAND, UUID).
	PerRow
)

// Scalar describes a function of one row.
type Scalar struct {
	Name       string   // upper case, as in SQL; operators by their symbol ("+", "=", "LIKE")
	Aliases    []string // other names
	Syntax     string   // "SUBSTRING(string, start [, length])"
	Doc        string   // one or two sentences
	Volatility Volatility
	// Zoned: the result depends on the session's time zone though no argument
	// or result is a TIMESTAMP_LTZ. It is not folded before the zone is known.
	Zoned bool
	// Bind chooses the overload. The error says what is expected, without
	// position: the binder adds it.
	Bind func(args []Arg) (*Bound, error)
}

// Bound is a function chosen for given argument types.
type Bound struct {
	Params []types.Type // the binder casts each argument to this type where it differs
	Result types.Type
	// NullAware kernels see null arguments and set nulls themselves. For the
	// others a row with any null argument is null and not handed to them.
	NullAware bool
	// New makes the kernel of one expression instance (it may hold scratch
	// memory, compiled patterns …). It is nil for the few functions whose
	// arguments are evaluated only where needed; package expr compiles those
	// itself (COALESCE, IF …).
	New func() Kernel

	// Total kernels may be handed rows with null arguments although they are
	// not NullAware: computing them is harmless and cannot fail. It saves the
	// selection of the other rows.
	Total bool
	// NewConst, if not nil, makes a kernel for arguments that are constant: the
	// value where one is, nil elsewhere. It may return nil (nothing to gain).
	// Values are not null and of Params' types.
	NewConst func(consts []*vec.Value) Kernel
	// NewSelect, if not nil, makes the filter form of a boolean function, for
	// the same consts; it may return nil.
	NewSelect func(consts []*vec.Value) Selector
}

// Selector appends to dst those of the given rows, none of which has a null
// argument (unless the function is NullAware), for which the function is true.
// dst has room for all of rows and may share its memory: it never overtakes.
type Selector func(env *Env, args []*vec.Vector, rows, dst []int32) ([]int32, error)

// Kernel computes rows of out, which has length n, from args of the same
// length: only the given physical rows are valid and wanted. It writes
// values (and, if NullAware or for an undefined result, nulls) of out by row
// index and never writes args. An error fails the job with the row's values
// in the message.
type Kernel func(env *Env, args []*vec.Vector, rows []int32, out *vec.Vector) error

// Env is what a kernel may know beyond its arguments.
type Env struct {
	Now       types.Time     // processing time, ms
	Watermark types.Time     // current watermark
	Zone      *time.Location // table.local-time-zone
}

var scalars = map[string]*Scalar{}

// Register adds a scalar function; from init only. It panics on a name that
// is taken.
func Register(s *Scalar) {
	for _, name := range append([]string{s.Name}, s.Aliases...) {
		name = strings.ToUpper(name)
		if scalars[name] != nil {
			panic(fmt.Sprintf("fn: function %s registered twice", name))
		}
		scalars[name] = s
	}
}

// Lookup finds a scalar function by name or alias, in any case.
func Lookup(name string) (*Scalar, bool) {
	s, ok := scalars[strings.ToUpper(name)]
	return s, ok
}

// All returns the scalar functions by name, each once.
func All() []*Scalar {
	var all []*Scalar
	for name, s := range scalars {
		if name == strings.ToUpper(s.Name) {
			all = append(all, s)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}
