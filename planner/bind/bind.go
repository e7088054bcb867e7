// Package bind turns syntax trees into the logical algebra: names are
// resolved, expressions typed, and what Flink refuses is refused with a place
// and a remedy.
package bind

import (
	"time"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// Options are what the session says to every statement.
type Options struct {
	Zone *time.Location // table.local-time-zone; nil: UTC
}

// Binder binds the statements of one session. Errors are *perr.Error. Not
// safe for concurrent use.
type Binder struct {
	cat  *catalog.Catalog
	opts Options
	// views is the chain of views being bound, to refuse cycles.
	views []catalog.Path
	// inlining counts the functions with a SQL body being bound.
	inlining int
}

// New returns a binder over a catalog.
func New(cat *catalog.Catalog, opts Options) *Binder {
	if opts.Zone == nil {
		opts.Zone = time.UTC
	}
	return &Binder{cat: cat, opts: opts}
}

// Query binds a query that stands alone; its columns have distinct names.
func (b *Binder) Query(q ast.Query) (plan logical.Plan, err error) {
	defer recoverError(&err)
	return uniqueNames(b.query(q, &scope{})), nil
}

// bindError carries an error up to the exported method that began the work:
// the recursion over expressions and queries is deep, and no frame of it can
// add anything to an error with a position.
type bindError struct{ err error }

func recoverError(err *error) {
	switch r := recover().(type) {
	case nil:
	case bindError:
		*err = r.err
	default:
		panic(r)
	}
}

// fail ends the binding of a statement.
func fail(err error) { panic(bindError{err}) }

// failf refuses what stands at pos.
func failf(pos ast.Pos, format string, args ...any) { fail(perr.New(pos, format, args...)) }

// check fails with err, placed at pos, if there is one.
func check(pos ast.Pos, err error) {
	if err != nil {
		fail(perr.At(pos, err))
	}
}
