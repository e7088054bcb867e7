package files

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/conntest"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/expr"
	_ "github.com/sqlstream/sqlstream/exec/fn/scalar"
)

func descriptor(t testing.TB) *connectors.Connector {
	c, ok := connectors.Lookup("filesystem")
	if !ok {
		t.Fatal("not registered")
	}
	return c
}

func table(t testing.TB, columns string, options map[string]string) *connectors.Table {
	f, _ := format.Lookup(options["format"])
	return conntest.Table(t, descriptor(t), f.Options, columns, options)
}

const rows = 20_000

// writeLines makes two files, one of them packed.
func writeLines(t testing.TB, folder string) (want []string) {
	plain, err := os.Create(filepath.Join(folder, "a.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	packed, err := os.Create(filepath.Join(folder, "b.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(packed)
	for i := range rows {
		line := fmt.Sprintf(`{"id":%d,"name":"row-%d","n":{"x":%d}}`+"\n", i, i, i%7)
		if i%2 == 0 {
			fmt.Fprint(plain, line)
		} else {
			fmt.Fprint(z, line)
		}
		want = append(want, fmt.Sprintf("+I %d, row-%d", i, i))
	}
	for _, c := range []interface{ Close() error }{z, packed, plain} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "_SUCCESS"), []byte("not data"), 0o644); err != nil {
		t.Fatal(err)
	}
	return want
}

func TestSource(t *testing.T) {
	folder := t.TempDir()
	want := writeLines(t, folder)
	tab := table(t, conntest.Columns, map[string]string{"path": folder, "format": "json"})
	id := &expr.Column{Index: 0, Name: "id", T: tab.Columns[0].Type}
	small, err := expr.NewCall("<", []expr.Expr{id, expr.Int(100)})
	if err != nil {
		t.Fatal(err)
	}
	conntest.RunSource(t, conntest.Source{
		Table: tab, Rows: want, Filter: small, Passes: 100,
		Open: func(t testing.TB) connectors.SourceTable {
			s, err := descriptor(t).Source(tab)
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	})
}

func TestSink(t *testing.T) {
	for _, g := range guarantees {
		t.Run(g, func(t *testing.T) {
			conntest.RunSink(t, func(t *testing.T) conntest.Sink {
				folder := filepath.Join(t.TempDir(), "out")
				tab := table(t, conntest.Columns, map[string]string{"path": folder, "format": "json", "sink.semantic": g})
				return conntest.Sink{
					New: func(t testing.TB) connectors.SinkTable {
						s, err := descriptor(t).Sink(tab)
						if err != nil {
							t.Fatal(err)
						}
						return s
					},
					Visible: func(t testing.TB) []string { return visible(t, folder) },
					Line:    func(id int, name string) string { return fmt.Sprintf(`{"id":%d,"name":%q}`, id, name) },
				}
			})
		})
	}
}

// visible reads what a reader of the folder would.
func visible(t testing.TB, folder string) []string {
	paths, err := listFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")...)
	}
	return lines
}

// A crash leaves hidden files behind; the next start removes its own only.
func TestRecoverRemovesLeftovers(t *testing.T) {
	folder := t.TempDir()
	tab := table(t, conntest.Columns, map[string]string{"path": folder, "format": "json"})
	opened, err := descriptor(t).Sink(tab)
	if err != nil {
		t.Fatal(err)
	}
	s := &sink{opened.(*sinkTable)}
	mine := exec.SinkContext{JobName: "job", UID: "u1"}
	others := []string{"kept.json", hiddenPrefix(mine) + "u3-1" + unfinished,
		hiddenPrefix(exec.SinkContext{JobName: "job", UID: "u2"}) + "1" + unfinished,
		hiddenPrefix(exec.SinkContext{JobName: "job2", UID: "u1"}) + "1" + unfinished} // the same query, as another job
	for _, name := range append([]string{hiddenPrefix(mine) + "1" + unfinished}, others...) {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := &committer{sink: s, ctx: mine}
	if err := c.Recover(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	sort.Strings(others)
	if fmt.Sprint(left) != fmt.Sprint(others) {
		t.Errorf("left are %v, expected %v", left, others)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"sink.semantic=none;sink.delivery-guarantee=exactly-once", "say different things"},
		{"path=missing.json", "does not exist"},
	} {
		t.Run(c.name, func(t *testing.T) {
			options := map[string]string{"path": t.TempDir(), "format": "json"}
			for _, kv := range strings.Split(c.name, ";") {
				k, v, _ := strings.Cut(kv, "=")
				options[k] = v
			}
			tab := table(t, conntest.Columns, options)
			_, err := descriptor(t).Sink(tab)
			if err == nil {
				var s connectors.SourceTable
				if s, err = descriptor(t).Source(tab); err == nil {
					src, _ := s.Scan(conntest.AllColumns(tab))
					_, err = src.Splits(t.Context())
				}
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, expected an error with %q", err, c.want)
			}
		})
	}
}
