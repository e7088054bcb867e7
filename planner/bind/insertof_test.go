package bind_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// CREATE TABLE … AS makes the table, then an INSERT that names the query's
// columns: declared ones keep their type and place.
func TestInsertOf(t *testing.T) {
	stmts, err := parser.Parse(`CREATE TABLE a (n INT, k STRING) WITH ('connector' = 'x');
		CREATE TABLE b (extra STRING, n BIGINT) WITH ('connector' = 'x') AS SELECT k, n FROM a`)
	if err != nil {
		t.Fatal(err)
	}
	b := bind.New(catalog.New(), bind.Options{})
	for _, s := range stmts {
		if _, err := b.DDL(s); err != nil {
			t.Fatal(err)
		}
	}
	ins, err := b.InsertOf(stmts[1].(*ast.CreateTable))
	if err != nil {
		t.Fatal(err)
	}
	sink, err := b.Insert(ins)
	if err != nil {
		t.Fatal(err)
	}
	const want = `Sink b → extra STRING, n BIGINT, k STRING
  Project [null:STRING, n, k] → extra STRING, n BIGINT, k STRING
    Project [k, n] → k STRING, n INT
      Scan a → n INT, k STRING
`
	if got := logical.Format(sink); got != want {
		t.Errorf("got\n%sexpected\n%s", got, want)
	}
}
