package build_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	_ "github.com/sqlstream/sqlstream/connectors/blackhole"
	_ "github.com/sqlstream/sqlstream/connectors/files"
	"github.com/sqlstream/sqlstream/exec"
	_ "github.com/sqlstream/sqlstream/exec/fn/agg"
	_ "github.com/sqlstream/sqlstream/exec/fn/scalar"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/build"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// table is a sink that keeps the rows that are left.
type table struct {
	mu     sync.Mutex
	fields []types.Field
	rows   map[string]int
}

func (s *table) Writer(context.Context, exec.SinkContext) (exec.Writer, error) { return s, nil }
func (s *table) Flush(context.Context) error                                   { return nil }
func (s *table) Close() error                                                  { return nil }

func (s *table) Write(_ context.Context, b *vec.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range b.Rows() {
		var cells []string
		for i, f := range s.fields {
			cells = append(cells, string(vec.AppendText(nil, b.Cols[i], int(r), f.Type)))
		}
		row := strings.Join(cells, " | ")
		if b.Op(int(r)).Retracts() {
			s.rows[row]--
		} else {
			s.rows[row]++
		}
	}
	return nil
}

// final are the rows that are left, sorted.
func (s *table) final() []string {
	var all []string
	for row, n := range s.rows {
		for ; n > 0; n-- {
			all = append(all, row)
		}
	}
	sort.Strings(all)
	return all
}

func plan(text string) (*physical.Plan, error) {
	stmts, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	b := bind.New(catalog.New(), bind.Options{})
	set := map[string]string{}
	for _, st := range stmts[:len(stmts)-1] {
		if s, ok := st.(*ast.Set); ok {
			set[s.Key] = s.Value
			continue
		}
		if _, err := b.DDL(st); err != nil {
			return nil, err
		}
	}
	c, err := planner.ConfigOf(set)
	if err != nil {
		return nil, err
	}
	c.JobName = "test"
	switch st := stmts[len(stmts)-1].(type) {
	case *ast.QueryStmt:
		l, err := b.Query(st.Query)
		if err != nil {
			return nil, err
		}
		return planner.PlanQuery(l, c)
	case *ast.StatementSet:
		var sinks []*logical.Sink
		for _, ins := range st.Inserts {
			s, err := b.Insert(ins)
			if err != nil {
				return nil, err
			}
			sinks = append(sinks, s)
		}
		return planner.PlanInserts(sinks, c)
	}
	return nil, fmt.Errorf("no query")
}

// run runs the last query of a script and returns its final rows.
func run(text string) ([]string, error) {
	p, err := plan(text)
	if err != nil {
		return nil, err
	}
	out := &table{rows: map[string]int{}, fields: p.Roots[0].Output}
	g, _, err := build.Graph(p, build.Env{Result: out})
	if err != nil {
		return nil, err
	}
	job, err := exec.Run(context.Background(), g, exec.Config{JobName: "test"})
	if err != nil {
		return nil, err
	}
	if err := job.Wait(); err != nil {
		return nil, err
	}
	return out.final(), nil
}

// TestRun runs queries through parser, binder, rules and runtime.
func TestRun(t *testing.T) {
	const v = "(VALUES (1, 'a', 10), (2, 'b', 20), (3, 'a', 30), (4, CAST(NULL AS STRING), 40)) AS t(id, k, n)"
	for _, c := range []struct {
		name, query string
		want        []string
	}{
		{"calc", "SELECT id + 1 AS x FROM " + v + " WHERE n > 10 AND k IS NOT NULL", []string{"3", "4"}},
		{"union", "SELECT id FROM " + v + " WHERE id < 2 UNION ALL SELECT n FROM " + v + " WHERE id = 1", []string{"1", "10"}},
		{"group", "SELECT k, COUNT(*), SUM(n) FROM " + v + " GROUP BY k", []string{"NULL | 1 | 40", "a | 2 | 40", "b | 1 | 20"}},
		{"distinct", "SELECT DISTINCT k FROM " + v, []string{"NULL", "a", "b"}},
		{"having", "SELECT k FROM " + v + " GROUP BY k HAVING COUNT(*) > 1", []string{"a"}},
		{"aggregate of aggregate", "SELECT MAX(s) FROM (SELECT SUM(n) AS s FROM " + v + " GROUP BY k) AS q", []string{"40"}},
		{"except all", "SELECT k FROM " + v + " EXCEPT ALL SELECT k FROM " + v + " WHERE id = 1", []string{"NULL", "a", "b"}},
		{"intersect all", "SELECT k FROM " + v + " INTERSECT ALL SELECT k FROM " + v + " WHERE id <> 3", []string{"NULL", "a", "b"}},
		{"limit 0", "SELECT id FROM " + v + " LIMIT 0", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := run(c.query)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestNullEventTime: the job fails, and says which row and column.
func TestNullEventTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.jsonl")
	rows := `{"id":1,"ts":"2024-01-01 00:00:00"}` + "\n" + `{"id":2,"ts":null}` + "\n"
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	ddl := "CREATE TABLE t (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '" + path + "');"
	_, err := run(ddl + "SELECT id, ts FROM t")
	if err == nil || !strings.Contains(err.Error(), `event time column "ts" of table t is null in row 2`) {
		t.Errorf("got %v", err)
	}
	got, err := run(ddl + "SELECT id FROM t WHERE ts IS NOT NULL")
	if err != nil || !slices.Equal(got, []string{"1"}) {
		t.Errorf("rows without a time filtered out: got %q, %v", got, err)
	}
}

// TestStatementSet: one scan feeds two sinks of one job, at parallelism 2.
func TestStatementSet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.jsonl")
	if err := os.WriteFile(path, []byte(`{"k":"a","v":1}`+"\n"+`{"k":"b","v":2}`+"\n"+`{"k":"a","v":3}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := plan(`SET 'parallelism.default' = '2';
CREATE TABLE src (k STRING, v INT) WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '` + path + `');
CREATE TABLE big (v INT) WITH ('connector' = 'blackhole');
CREATE TABLE counts (k STRING, n BIGINT) WITH ('connector' = 'blackhole');
EXECUTE STATEMENT SET BEGIN
INSERT INTO big SELECT v FROM src WHERE v > 1;
INSERT INTO counts SELECT k, COUNT(*) FROM src GROUP BY k;
END`)
	if err != nil {
		t.Fatal(err)
	}
	var tables []*table
	g, sum, err := build.Graph(p, build.Env{Capture: func(cols []types.Field) exec.Sink {
		tables = append(tables, &table{fields: cols, rows: map[string]int{}})
		return tables[len(tables)-1]
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(sum.Sources) != 1 {
		t.Errorf("%d sources, want one", len(sum.Sources))
	}
	job, err := exec.Run(context.Background(), g, exec.Config{JobName: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if err := job.Wait(); err != nil {
		t.Fatal(err)
	}
	got := [][]string{tables[0].final(), tables[1].final()}
	if fmt.Sprint(got) != "[[2 3] [a | 2 b | 1]]" {
		t.Errorf("got %q", got)
	}
}

// TestSummary: what a start line says of a job.
func TestSummary(t *testing.T) {
	p, err := plan("SELECT k, COUNT(*) AS n FROM (VALUES ('a'), ('b')) AS t(k) GROUP BY k")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := build.Graph(p, build.Env{}); err == nil {
		t.Error("a query without a sink for its rows was built")
	}
	_, sum, err := build.Graph(p, build.Env{Result: &table{}})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Changelog != "[I,UB,UA]" || sum.Append || !sum.Bounded || len(sum.Output) != 2 || sum.Output[1].Name != "n" {
		t.Errorf("got %+v", sum)
	}
}
