package planner_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	_ "github.com/sqlstream/sqlstream/exec/fn/agg"
	_ "github.com/sqlstream/sqlstream/exec/fn/scalar"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// session is what the statements of one script file share.
type session struct {
	cat *catalog.Catalog
	set map[string]string
}

func newSession() *session { return &session{cat: catalog.New(), set: map[string]string{}} }

// plan runs DDL and SET, and plans the last query, or all INSERTs as one job.
func (s *session) plan(text string) (*physical.Plan, error) {
	stmts, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	var query logical.Plan
	var sinks []*logical.Sink
	b := bind.New(s.cat, bind.Options{})
	for _, st := range stmts {
		switch st := st.(type) {
		case *ast.QueryStmt:
			query, err = b.Query(st.Query)
		case *ast.Insert:
			var sink *logical.Sink
			if sink, err = b.Insert(st); err == nil {
				sinks = append(sinks, sink)
			}
		case *ast.Set:
			s.set[st.Key] = st.Value
		case *ast.Reset:
			s.set = map[string]string{}
		default:
			_, err = b.DDL(st)
		}
		if err != nil {
			return nil, err
		}
	}
	c, err := planner.ConfigOf(s.set)
	if err != nil {
		return nil, err
	}
	var p *physical.Plan
	switch {
	case len(sinks) > 0:
		p, err = planner.PlanInserts(sinks, c)
	case query != nil:
		p, err = planner.PlanQuery(query, c)
	}
	if p != nil && err == nil {
		err = p.Check()
	}
	return p, err
}

// TestExplain compares EXPLAIN of the scripts in testdata/explain. Commands:
//
//	setup    statements that all others of the file see
//	explain  the plan, or the error
//	hash     the job's hash, and each node's UID
func TestExplain(t *testing.T) {
	datadriven.Walk(t, filepath.Join("testdata", "explain"), func(t *testing.T, path string) {
		s := newSession()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			p, err := s.plan(d.Input)
			if err != nil {
				return describeError(err)
			}
			switch d.Cmd {
			case "setup":
				return ""
			case "explain":
				var b strings.Builder
				if err := p.Explain(&b); err != nil {
					t.Fatal(err)
				}
				return b.String()
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func describeError(err error) string {
	var p *perr.Error
	if errors.As(err, &p) && p.Kind == perr.Unsupported {
		return "unsupported: " + err.Error()
	}
	return "error: " + err.Error()
}

// TestConformance plans every case. What the reference system refuses before
// a job starts must be refused here, and nothing else.
func TestConformance(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "conformance", "cases", "*", "*.sql"))
	if len(files) == 0 {
		t.Skip("no conformance cases beside this package")
	}
	for _, file := range files {
		base := strings.TrimSuffix(file, ".sql")
		name := filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(base)
		t.Run(name, func(t *testing.T) {
			err := planCase(base)
			if err != nil && unknownFunction.MatchString(err.Error()) {
				t.Skip(err) // functions are tested beside their registry
			}
			reason, open := notYet[name]
			switch {
			case err == nil && open:
				t.Errorf("passes now: take it off the list (%s)", reason)
			case err != nil && !open:
				t.Error(err)
			}
		})
	}
}

var unknownFunction = regexp.MustCompile(`function \S+ not found`)

func planCase(base string) error {
	text, err := os.ReadFile(base + ".sql")
	if err != nil {
		return err
	}
	_, err = newSession().plan(string(text))
	if err == nil {
		wide := newSession()
		wide.set["parallelism.default"] = "3"
		if _, err := wide.plan(string(text)); err != nil {
			return fmt.Errorf("at parallelism 3: %w", err)
		}
	}
	want, wantErr := os.ReadFile(base + ".error")
	if wantErr != nil || strings.Contains(string(want), "runtime") {
		return err
	}
	var p *perr.Error
	switch {
	case err == nil:
		return fmt.Errorf("planned, but must be refused: %s", want)
	case errors.As(err, &p) && p.Kind == perr.Unsupported:
		return fmt.Errorf("refused as unsupported: %w", err)
	}
	return nil
}
