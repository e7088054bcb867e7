package exprtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Now is the processing time of scripts: 2024-02-29 10:11:12.345 UTC.
const Now = types.Time(1709201472345)

// Run runs the script files under path:
//
//	table          columns, then a row of constants a line, for what follows
//	eval           one expression a line: its type, then its value in every row of the table; or its error
//	plan           the folded expression
//	filter         the first column of the rows for which the condition is true
//
// eval and filter take zone=Area/City and watermark=(ms).
func Run(t *testing.T, path string) {
	datadriven.Walk(t, path, func(t *testing.T, path string) {
		s := &script{batch: &vec.Batch{N: 1}}
		datadriven.RunTest(t, path, s.run)
	})
}

type script struct {
	columns []types.Field
	batch   *vec.Batch
}

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	env := &fn.Env{Now: Now, Watermark: types.MinTime}
	if d.HasArg("zone") {
		var name string
		d.ScanArgs(t, "zone", &name)
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		env.Zone = zone
	}
	if d.HasArg("watermark") {
		var ms int64
		d.ScanArgs(t, "watermark", &ms)
		env.Watermark = types.Time(ms)
	}
	if d.Cmd == "table" {
		if err := s.table(d.Input); err != nil {
			t.Fatalf("%s: %v", d.Pos, err)
		}
		return ""
	}
	var out strings.Builder
	for _, line := range strings.Split(d.Input, "\n") {
		result, err := s.line(d.Cmd, line, env)
		if err != nil {
			result = "error: " + err.Error()
		}
		out.WriteString(result + "\n")
	}
	return out.String()
}

func (s *script) line(cmd, line string, env *fn.Env) (string, error) {
	x, err := Parse(line, s.columns)
	if err != nil {
		return "", err
	}
	switch cmd {
	case "eval":
		return s.eval(x, env)
	case "plan":
		return expr.Fold(x, nil).String(), nil
	case "filter":
		return s.filter(x, env)
	}
	return "", fmt.Errorf("no command %s", cmd)
}

// eval computes x folded, unfolded and with every other row selected, which
// must not differ.
func (s *script) eval(x expr.Expr, env *fn.Env) (string, error) {
	p, err := expr.Compile([]expr.Expr{x}, expr.Options{})
	if err != nil {
		return "", err
	}
	all, err := s.values(p, x, env, nil)
	if err != nil {
		return "", err
	}
	if err := s.sameUnfolded(x, env, all); err != nil {
		return "", err
	}
	return x.Type().String() + ": " + strings.Join(all, " | "), nil
}

func (s *script) sameUnfolded(x expr.Expr, env *fn.Env, all []string) error {
	q, err := expr.Compile([]expr.Expr{x}, expr.Options{Plain: true})
	if err != nil {
		return err
	}
	var odd []int32
	for i := 1; i < s.batch.N; i += 2 {
		odd = append(odd, int32(i))
	}
	for _, sel := range [][]int32{nil, odd} {
		got, err := s.values(q, x, env, sel)
		if err != nil {
			return fmt.Errorf("unfolded: %w", err)
		}
		for i, v := range got {
			at := i
			if sel != nil {
				at = int(sel[i])
			}
			if v != all[at] {
				return fmt.Errorf("row %d: folded %s, unfolded %s", at, all[at], v)
			}
		}
	}
	return nil
}

func (s *script) values(p *expr.Program, x expr.Expr, env *fn.Env, sel []int32) ([]string, error) {
	b := s.batch.Head()
	b.Sel = sel
	out, err := p.Eval(env, b)
	if err != nil {
		return nil, err
	}
	var vs []string
	for _, r := range b.Rows() {
		vs = append(vs, render(out[0], int(r), x.Type(), env))
	}
	return vs, nil
}

func render(v *vec.Vector, i int, t types.Type, env *fn.Env) string {
	text := string(vec.Text{Zone: env.Zone}.Append(nil, v, i, t))
	switch {
	case v.IsNull(i):
		return "NULL"
	case t.IsBinary():
		return fmt.Sprintf("%X", text)
	case t.IsString():
		return "'" + strings.ReplaceAll(text, "\n", "\\n") + "'"
	}
	return text
}

func (s *script) filter(x expr.Expr, env *fn.Env) (string, error) {
	f, err := expr.CompileFilter(x)
	if err != nil {
		return "", err
	}
	sel, err := f.Select(env, s.batch)
	if err != nil {
		return "", err
	}
	var vs []string
	for _, r := range sel {
		vs = append(vs, render(s.batch.Cols[0], int(r), s.columns[0].Type, env))
	}
	return strings.Join(vs, " "), nil
}

func (s *script) table(input string) error {
	lines := strings.Split(input, "\n")
	toks, err := lex(lines[0])
	if err != nil {
		return err
	}
	s.columns = (&parser{toks: toks}).fields()
	var ts []types.Type
	for _, f := range s.columns {
		ts = append(ts, f.Type)
	}
	s.batch = vec.NewBatch(ts...)
	for _, line := range lines[1:] {
		if err := s.row(line); err != nil {
			return err
		}
	}
	return nil
}

func (s *script) row(line string) error {
	xs, err := ParseList(line)
	if err != nil {
		return err
	}
	if len(xs) != len(s.columns) {
		return fmt.Errorf("%d values for %d columns", len(xs), len(s.columns))
	}
	for i, a := range xs {
		y, err := expr.NewCast(a, s.columns[i].Type, false)
		if err != nil {
			return err
		}
		l, ok := expr.Fold(y, &fn.Env{}).(*expr.Literal)
		if !ok {
			return fmt.Errorf("%s is no constant", a)
		}
		s.batch.Cols[i].AppendValue(l.V)
	}
	s.batch.N++
	return nil
}
