package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/sqlstream/sqlstream/"

// layers is the table of ARCHITECTURE: which top folders a folder may import
// besides itself. "*" is any.
var layers = map[string][]string{
	"parser":      {},
	"state":       {},
	"checkpoint":  {},
	"broker":      {},
	"exec":        {"state", "checkpoint"},
	"connectors":  {"exec", "checkpoint"},
	"planner":     {"parser", "connectors", "exec"},
	"session":     {"parser", "planner", "connectors", "exec", "state", "checkpoint"},
	"shell":       {"session"},
	"conformance": {"session", "connectors"},
	"bench":       {"broker"},
	"torture":     {"broker", "connectors", "exec", "state", "checkpoint"},
	"model":       {},
	"examples":    {},
	"cmd":         {"*"},
}

// tidb may be imported by the parser's translation only.
const tidb = "github.com/pingcap/tidb"

func TestLayers(t *testing.T) {
	root := filepath.Join("..", "..")
	checked := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		checked++
		return checkImports(t, path, filepath.ToSlash(rel))
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 20 {
		t.Fatalf("only %d files were found below %s", checked, root)
	}
}

func checkImports(t *testing.T, path, rel string) error {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return err
	}
	from, _, _ := strings.Cut(rel, "/")
	allowed, ok := layers[from]
	if !ok {
		t.Errorf("%s: folder %s is not in the table of layers", rel, from)
	}
	for _, imp := range f.Imports {
		name, _ := strconv.Unquote(imp.Path.Value)
		if strings.HasPrefix(name, tidb) && from != "parser" {
			t.Errorf("%s imports %s: only parser may", rel, name)
		}
		inner, ours := strings.CutPrefix(name, module)
		to, _, _ := strings.Cut(inner, "/")
		if ours && !mayImport(from, to, allowed) {
			t.Errorf("%s imports %s: %s may not import %s", rel, name, from, to)
		}
	}
	return nil
}

func mayImport(from, to string, allowed []string) bool {
	if from == to {
		return true
	}
	for _, a := range allowed {
		if a == to || a == "*" {
			return true
		}
	}
	return false
}
