package rules

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	_ "github.com/sqlstream/sqlstream/exec/fn/agg"
	_ "github.com/sqlstream/sqlstream/exec/fn/scalar"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// TestRules runs the scripts in testdata, one a rule. Commands:
//
//	setup                statements that all others of the file see
//	rule name=r after=q  the plan before and after rule r; the rules up to and
//	                     including q have run before
//	all                  the plans of all queries as one job, after all rules
func TestRules(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		cat := catalog.New()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			plans, err := bound(cat, d.Input)
			if err != nil {
				return "error: " + err.Error()
			}
			switch d.Cmd {
			case "setup":
				return ""
			case "rule":
				return runRule(t, d, plans[0])
			case "all":
				return runAll(plans)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func bound(cat *catalog.Catalog, text string) ([]logical.Plan, error) {
	stmts, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	b := bind.New(cat, bind.Options{})
	var plans []logical.Plan
	for _, s := range stmts {
		if q, ok := s.(*ast.QueryStmt); ok {
			p, err := b.Query(q.Query)
			if err != nil {
				return nil, err
			}
			plans = append(plans, p)
			continue
		}
		if _, err := b.DDL(s); err != nil {
			return nil, err
		}
	}
	return plans, nil
}

func runRule(t *testing.T, d *datadriven.TestData, p logical.Plan) string {
	var name, after string
	d.ScanArgs(t, "name", &name)
	d.MaybeScanArgs(t, "after", &after)
	c := &context{env: &fn.Env{Zone: time.UTC}}
	ready := after == ""
	for _, r := range ordered {
		if !ready {
			var err error
			if p, err = r.apply(c, p); err != nil {
				return "error: " + err.Error()
			}
			ready = r.name == after
			continue
		}
		if r.name != name {
			continue
		}
		q, err := r.apply(c, p)
		if err != nil {
			return "error: " + err.Error()
		}
		return show(p) + "->\n" + show(q)
	}
	t.Fatalf("%s: no rule %s after %s", filepath.Base(d.Pos), name, after)
	return ""
}

func runAll(plans []logical.Plan) string {
	plans, err := Apply(plans, &fn.Env{Zone: time.UTC})
	if err != nil {
		return "error: " + err.Error()
	}
	var b strings.Builder
	for _, p := range plans {
		b.WriteString(show(p))
	}
	return b.String()
}

// TestOrder: every rule has a name of its own and a script that names it.
func TestOrder(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("testdata", "*"))
	scripts := strings.Join(files, " ")
	seen := map[string]bool{}
	for _, r := range ordered {
		if seen[r.name] {
			t.Errorf("two rules are named %s", r.name)
		}
		seen[r.name] = true
		if !strings.Contains(scripts, strings.TrimSuffix(r.name, "_again")) {
			t.Errorf("rule %s has no script in testdata", r.name)
		}
	}
}

// show prints a plan as a tree of operators with their columns.
func show(p logical.Plan) string {
	var b strings.Builder
	write(&b, p, "")
	return b.String()
}

func write(b *strings.Builder, p logical.Plan, indent string) {
	kind := strings.TrimPrefix(fmt.Sprintf("%T", p), "*logical.")
	fmt.Fprintf(b, "%s%s%s\n", indent, kind, details(p))
	for _, in := range p.Inputs() {
		write(b, in, indent+"  ")
	}
}

func details(p logical.Plan) string {
	switch p := p.(type) {
	case *logical.Scan:
		s := fmt.Sprintf(" %s [%s]", p.Table.Path.Name, columnNames(p.Cols))
		for _, x := range []struct {
			name string
			x    expr.Expr
		}{{"filter", p.Filter}, {"watermark", p.Watermark}} {
			if x.x != nil {
				s += fmt.Sprintf(" %s=%s", x.name, x.x)
			}
		}
		return s
	case *logical.Project:
		return " [" + exprList(p.Exprs) + "]"
	case *logical.Filter:
		return " " + p.Cond.String()
	case *logical.Watermark:
		return " " + p.Cols[p.Time].Name + " AS " + p.Expr.String()
	case *logical.Join:
		return fmt.Sprintf(" %s on %v", p.Kind, p.Cond)
	case *logical.Aggregate:
		return fmt.Sprintf(" keys=%v aggregates=%d [%s]", p.Keys, len(p.Aggs), columnNames(p.Cols))
	case *logical.Over:
		return fmt.Sprintf(" %s partition=%v [%s]", p.Calls[0].Name, p.Partition, columnNames(p.Cols))
	case *logical.Rank:
		return fmt.Sprintf(" %d-%d partition=%v number=%t [%s]", p.From, p.To, p.Partition, p.OutputRank, columnNames(p.Cols))
	case *logical.SetOp:
		return fmt.Sprintf(" kind=%d all=%t", p.Kind, p.All)
	}
	return " [" + columnNames(p.Schema()) + "]"
}

func columnNames(fields []types.Field) string {
	var s []string
	for _, f := range fields {
		n := f.Name
		if f.Type.Attr == types.Rowtime {
			n += "*"
		}
		s = append(s, n)
	}
	return strings.Join(s, ", ")
}

func exprList(xs []expr.Expr) string {
	var s []string
	for _, x := range xs {
		s = append(s, x.String())
	}
	return strings.Join(s, ", ")
}
