package bind_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

const fuzzTables = `
CREATE TABLE t (k STRING, v INT, w DOUBLE, d DECIMAL(10, 2), b BOOLEAN NOT NULL, ts TIMESTAMP(3), pt AS PROCTIME(),
  r ROW<a INT, s ROW<x STRING>>, l ARRAY<INT>, m MAP<STRING, INT>, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'x');
CREATE TABLE u (k STRING NOT NULL, x INT, y BIGINT NOT NULL, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'x');
CREATE VIEW q AS SELECT k, SUM(v) AS s, MAX(ts) AS ts FROM t GROUP BY k;
CREATE FUNCTION f(a INT) AS a + 1`

// FuzzBind: whatever parses is bound to a plan that is well formed, or refused
// with a place.
func FuzzBind(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("testdata", "*"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for _, part := range strings.Split(string(text), "\nrun\n") {
			sql, _, _ := strings.Cut(part, "----")
			f.Add(sql)
		}
	}
	tables, err := parser.Parse(fuzzTables)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		stmts, err := parser.Parse(text)
		if err != nil {
			return
		}
		b := bind.New(catalog.New(), bind.Options{})
		for _, s := range tables {
			if _, err := b.DDL(s); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range stmts {
			fuzzStatement(t, b, s)
		}
	})
}

func fuzzStatement(t *testing.T, b *bind.Binder, s ast.Statement) {
	var p logical.Plan
	var err error
	switch s := s.(type) {
	case *ast.QueryStmt:
		p, err = b.Query(s.Query)
	case *ast.Insert:
		var sink *logical.Sink
		if sink, err = b.Insert(s); err == nil {
			p = sink
		}
	default:
		_, err = b.DDL(s)
	}
	if err != nil {
		var e *perr.Error
		if !errors.As(err, &e) || !e.Pos.IsValid() {
			t.Fatalf("%s\nis refused without a place: %v", ast.Print(s), err)
		}
		return
	}
	if p == nil {
		return
	}
	if err := logical.Verify(p); err != nil {
		t.Fatalf("%s\n%s%v", ast.Print(s), logical.Format(p), err)
	}
}
