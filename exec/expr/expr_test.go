package expr_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/expr/exprtest"
	"github.com/sqlstream/sqlstream/exec/fn"
	_ "github.com/sqlstream/sqlstream/exec/fn/scalar"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var columns = []types.Field{
	{Name: "a", Type: types.Of(types.Int)}, {Name: "b", Type: types.Of(types.BigInt)}, {Name: "s", Type: types.String()},
	{Name: "r", Type: types.RowOf(types.Field{Name: "x", Type: types.Of(types.Int).Nullable(false)})},
}

func parse(t testing.TB, text string) expr.Expr {
	t.Helper()
	x, err := exprtest.Parse(text, columns)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return x
}

func TestText(t *testing.T) {
	for _, c := range [][2]string{
		{"a + 1 > b", "((a + 1) > b)"}, {"a = 1 AND s LIKE 'x%' OR a IS NULL", "(((a = 1) AND (s LIKE 'x%')) OR a IS NULL)"},
		{"NOT a = 1", "NOT((a = 1))"}, {"CAST(a AS STRING)", "CAST(a AS STRING)"}, {"s = 'it''s'", "(s = 'it''s')"},
		{"CASE WHEN a = 1 THEN 'x' ELSE 'yy' END", "CASE WHEN (a = 1) THEN 'x' ELSE 'yy' END"}, {"r.x", "r.x"},
		{"a IN (1, 2)", "a IN (1, 2)"}, {"ARRAY[a][1]", "ARRAY(a)[1]"}, {"X'00ff' = X'01'", "(X'00FF' = X'01')"},
		{"DATE '2024-01-01'", "2024-01-01"}, {"TRUE", "true"}, {"a = NULL", "(a = null:INT)"},
	} {
		if got := parse(t, c[0]).String(); got != c[1] {
			t.Errorf("%s prints as %s, want %s", c[0], got, c[1])
		}
	}
}

func TestFieldNullability(t *testing.T) {
	x := parse(t, "r.x")
	if x.Type().NotNull {
		t.Errorf("a field of a nullable row is %s", x.Type())
	}
	if _, err := exprtest.Parse("r.y", columns); err == nil || !strings.Contains(err.Error(), "it has x") {
		t.Errorf("unknown field: %v", err)
	}
}

func TestColumns(t *testing.T) {
	x, y := parse(t, "a + b > a"), parse(t, "r.x = 1")
	if d := cmp.Diff([]int{0, 1, 3}, expr.Columns(x, y)); d != "" {
		t.Error(d)
	}
}

func TestRemap(t *testing.T) {
	x := parse(t, "CASE WHEN a > 1 THEN s ELSE CAST(b AS STRING) END")
	shifted := expr.Shift(x, 1, 10)
	if d := cmp.Diff([]int{0, 11, 12}, expr.Columns(shifted)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{0, 1, 2}, expr.Columns(x)); d != "" {
		t.Error("the original changed: ", d)
	}
	if back := expr.Shift(shifted, 11, -10); !expr.Equal(back, x) {
		t.Errorf("there and back: %s", back)
	}
}

func TestSubstitute(t *testing.T) {
	x := expr.Substitute(parse(t, "a + b"), []expr.Expr{parse(t, "a * 2"), parse(t, "b")})
	if x.String() != "((a * 2) + b)" {
		t.Errorf("got %s", x)
	}
}

func TestRewriteSharesWhatItLeaves(t *testing.T) {
	x := parse(t, "a = 1 AND b = 2")
	if y := expr.Rewrite(x, func(e expr.Expr) expr.Expr { return e }); y != x {
		t.Error("an identity rewrite made a new tree")
	}
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a + 1", "a + 1", true}, {"a + 1", "a + 2", false}, {"a", "b", false}, {"a + 1", "a - 1", false},
		{"CAST(a AS BIGINT)", "TRY_CAST(a AS BIGINT)", false}, {"a = 1 AND b = 2", "b = 2 AND a = 1", false},
		{"RAND()", "RAND()", false}, {"1", "1.0", false}, {"NULL", "NULL", true},
	} {
		if got := expr.Equal(parse(t, c.a), parse(t, c.b)); got != c.want {
			t.Errorf("%s equals %s: %v", c.a, c.b, got)
		}
	}
}

func TestIsConstant(t *testing.T) {
	for text, want := range map[string]bool{"1 + 2": true, "a": false, "CURRENT_TIMESTAMP": false, "RAND()": false, "UPPER('x')": true} {
		if got := expr.IsConstant(parse(t, text)); got != want {
			t.Errorf("%s is constant: %v", text, got)
		}
	}
}

func TestConjuncts(t *testing.T) {
	if n := len(expr.Conjuncts(parse(t, "a = 1 AND (b = 2 AND s = 'x')"))); n != 3 {
		t.Errorf("%d terms", n)
	}
	if n := len(expr.Conjuncts(nil)); n != 0 {
		t.Errorf("%d terms of nothing", n)
	}
}

func TestFoldKeepsTypes(t *testing.T) {
	for _, text := range []string{"1 + 2", "1.50 * 2", "CAST(NULL AS INT)", "'a' || 'b'", "DATE '2024-01-31' + INTERVAL '1' MONTH", "TRY_CAST('x' AS INT)"} {
		x := parse(t, text)
		l, ok := expr.Fold(x, nil).(*expr.Literal)
		if !ok {
			t.Errorf("%s was not folded", text)
			continue
		}
		if !l.T.Equal(x.Type()) {
			t.Errorf("%s is %s, folded %s", text, x.Type(), l.T)
		}
	}
	for _, text := range []string{"1 / 0", "CAST('x' AS INT)", "RAND()", "CURRENT_DATE", "CAST('2024-01-01' AS TIMESTAMP_LTZ(3))"} {
		if _, ok := expr.Fold(parse(t, text), nil).(*expr.Literal); ok {
			t.Errorf("%s was folded", text)
		}
	}
	if _, ok := expr.Fold(parse(t, "CAST('2024-01-01' AS TIMESTAMP_LTZ(3))"), &fn.Env{}).(*expr.Literal); !ok {
		t.Error("a zoned cast was not folded although the zone is known")
	}
}

func TestNumberLiterals(t *testing.T) {
	for text, want := range map[string]string{
		"1": "INT NOT NULL", "2147483648": "BIGINT NOT NULL", "9223372036854775808": "DECIMAL(19, 0) NOT NULL", "1.50": "DECIMAL(3, 2) NOT NULL",
		"0.10": "DECIMAL(3, 2) NOT NULL", ".5": "DECIMAL(1, 1) NOT NULL", "1e0": "DOUBLE NOT NULL", "-1.005": "DECIMAL(4, 3) NOT NULL",
	} {
		l, err := expr.Number(text)
		if err != nil || l.T.String() != want {
			t.Errorf("%s is %v (%v), want %s", text, l.T, err, want)
		}
	}
	for _, text := range []string{"123456789012345678901234567890123456789", "1e999", "x"} {
		if l, err := expr.Number(text); err == nil {
			t.Errorf("%s is %s", text, l)
		}
	}
}

func TestImplicitlyCastable(t *testing.T) {
	of := func(text string) types.Type {
		x, err := exprtest.ParseType(text)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"INT", "BIGINT", true}, {"BIGINT", "INT", false}, {"STRING", "INT", false}, {"CHAR(3)", "STRING", true}, {"STRING", "VARCHAR(5)", true},
		{"INT", "DECIMAL(10, 2)", true}, {"DOUBLE", "FLOAT", false}, {"DECIMAL(10, 2)", "DECIMAL(5, 1)", true}, {"DECIMAL(10, 2)", "INT", false},
		{"TIMESTAMP(9)", "TIMESTAMP(3)", true}, {"DATE", "TIMESTAMP(3)", false}, {"STRING", "CHAR(3)", false}, {"DOUBLE", "DECIMAL(10, 2)", true}, {"TIMESTAMP(3)", "DATE", false}, {"INT", "STRING", false},
		{"ARRAY<INT>", "ARRAY<BIGINT>", true}, {"ARRAY<BIGINT>", "ARRAY<INT>", false}, {"BOOLEAN", "INT", false}, {"BOOLEAN", "BOOLEAN", true},
	} {
		if got := expr.ImplicitlyCastable(of(c.from), of(c.to)); got != c.want {
			t.Errorf("%s into %s: %v", c.from, c.to, got)
		}
	}
}

func TestLeastRestrictive(t *testing.T) {
	for _, c := range []struct{ types, want string }{
		{"INT, BIGINT", "BIGINT"}, {"INT, DECIMAL(10, 2)", "DECIMAL(12, 2)"}, {"INT, BIGINT, DECIMAL(10, 2)", "DECIMAL(21, 2)"},
		{"FLOAT, DOUBLE", "FLOAT"}, {"DOUBLE, FLOAT", "DOUBLE"}, {"DECIMAL(3, 1), FLOAT", "DOUBLE"}, {"CHAR(2), CHAR(4)", "VARCHAR(4)"},
		{"CHAR(2), CHAR(2)", "CHAR(2)"}, {"CHAR(2), STRING", "STRING"}, {"DATE, TIMESTAMP(3)", "TIMESTAMP(3)"}, {"INT, STRING", ""},
		{"DATE, CHAR(3)", ""}, {"ARRAY<INT>, ARRAY<BIGINT>", "ARRAY<BIGINT>"}, {"STRING, ARRAY<INT>", ""}, {"TIMESTAMP(3), TIMESTAMP_LTZ(6)", "TIMESTAMP_LTZ(6)"},
	} {
		row, err := exprtest.ParseType("ROW<" + fields(c.types) + ">")
		if err != nil {
			t.Fatal(err)
		}
		var ts []types.Type
		for _, f := range row.Fields {
			ts = append(ts, f.Type)
		}
		got, err := expr.LeastRestrictive(ts...)
		if (err != nil) != (c.want == "") || err == nil && got.String() != c.want {
			t.Errorf("%s: got %s (%v), want %s", c.types, got, err, c.want)
		}
	}
}

func fields(ts string) string {
	ts = strings.ReplaceAll(ts, "), ", ")§")
	for _, k := range []string{"INT", "FLOAT", "DOUBLE", "STRING", "DATE", ">"} {
		ts = strings.ReplaceAll(ts, k+", ", k+"§")
	}
	return "f " + strings.ReplaceAll(ts, "§", ", f ")
}

// TestSharedOnce: a sub-expression that several roots and branches use is
// computed once for the batch, and a bare column is the input itself.
func TestSharedOnce(t *testing.T) {
	calls := 0
	counted := &fn.Scalar{Name: "COUNTED"}
	bound := &fn.Bound{Params: []types.Type{types.Of(types.Int)}, Result: types.Of(types.Int), New: func() fn.Kernel {
		return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			calls++
			for _, r := range rows {
				out.I64[r] = args[0].I64[r]
			}
			return nil
		}
	}}
	a := &expr.Column{Index: 0, Name: "a", T: types.Of(types.Int)}
	shared := &expr.Call{Fn: counted, Bound: bound, Args: []expr.Expr{a}}
	again := &expr.Call{Fn: counted, Bound: bound, Args: []expr.Expr{a}}
	plus, err := expr.NewCall("+", []expr.Expr{again, expr.Int(1)})
	if err != nil {
		t.Fatal(err)
	}
	cond, _ := expr.NewCall(">", []expr.Expr{shared, expr.Int(1)})
	branch, err := expr.NewCase([]expr.When{{Cond: cond, Then: plus}}, shared)
	if err != nil {
		t.Fatal(err)
	}
	p, err := expr.Compile([]expr.Expr{shared, plus, branch, a}, expr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := vec.NewBatch(types.Of(types.Int))
	b.Cols[0].I64, b.N = []int64{1, 2, 3}, 3
	out, err := p.Eval(&fn.Env{}, b)
	if err != nil {
		t.Fatal(err)
	}
	if calls != 1 {
		t.Errorf("computed %d times", calls)
	}
	if d := cmp.Diff([]int64{1, 3, 4}, out[2].I64); d != "" {
		t.Error(d)
	}
	if out[3] != b.Cols[0] {
		t.Error("a bare column was copied")
	}
}

// TestBranchesDoNotDisturbEachOther: one sub-expression in two branches is
// computed for the rows of each, also for strings, whose memory is reset.
func TestBranchesDoNotDisturbEachOther(t *testing.T) {
	x := parse(t, "CASE WHEN a > 1 THEN UPPER(s) || 'x' ELSE CASE WHEN a = 1 THEN UPPER(s) ELSE 'none' || UPPER(s) END END || UPPER(s)")
	p, err := expr.Compile([]expr.Expr{x}, expr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := vec.NewBatch(columns[0].Type, columns[1].Type, columns[2].Type)
	for i, s := range []string{"p", "q", "r", "s"} {
		b.Cols[0].I64 = append(b.Cols[0].I64, int64(i))
		b.Cols[2].AppendBytes([]byte(s))
		b.N++
	}
	for range 2 {
		out, err := p.Eval(&fn.Env{}, b)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range b.N {
			got = append(got, string(out[0].BytesAt(i)))
		}
		if d := cmp.Diff([]string{"nonePP", "QQ", "RxR", "SxS"}, got); d != "" {
			t.Error(d)
		}
	}
}

func TestFilterOfNothingSelectsAll(t *testing.T) {
	f, err := expr.CompileFilter(nil)
	if err != nil {
		t.Fatal(err)
	}
	sel, err := f.Select(&fn.Env{}, &vec.Batch{N: 2})
	if d := cmp.Diff([]int32{0, 1}, sel); d != "" || err != nil {
		t.Error(d, err)
	}
}

func TestFilterRefinesTheSelection(t *testing.T) {
	f, err := expr.CompileFilter(parse(t, "a > 1 AND 10 / (a - 5) > 0 AND a <> 7"))
	if err != nil {
		t.Fatal(err)
	}
	b := vec.NewBatch(columns[0].Type)
	b.Cols[0].I64, b.N, b.Sel = []int64{0, 6, 7, 5, 9}, 5, []int32{0, 1, 2, 4}
	sel, err := f.Select(&fn.Env{}, b)
	if d := cmp.Diff([]int32{1, 4}, sel); d != "" || err != nil {
		t.Error(d, err)
	}
	if d := cmp.Diff([]int32{0, 1, 2, 4}, b.Sel); d != "" {
		t.Error("the batch's selection was written: ", d)
	}
	b.Sel = nil
	if _, err := f.Select(&fn.Env{}, b); err == nil || !strings.Contains(err.Error(), "division by zero: 10 / 0") {
		t.Errorf("got %v", err)
	}
}
