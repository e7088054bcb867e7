package expr_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/expr/exprtest"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var mixed = []types.Field{
	{Name: "i", Type: types.Of(types.Int)}, {Name: "j", Type: types.Of(types.Int)}, {Name: "l", Type: types.Of(types.BigInt)},
	{Name: "x", Type: types.Of(types.Double)}, {Name: "d", Type: types.DecimalOf(10, 2)}, {Name: "w", Type: types.DecimalOf(30, 4)},
	{Name: "s", Type: types.String()}, {Name: "t", Type: types.String()}, {Name: "b", Type: types.Of(types.Boolean)},
	{Name: "ts", Type: types.TimestampOf(3)}, {Name: "z", Type: types.LTZOf(3)}, {Name: "n", Type: types.ArrayOf(types.Of(types.Int))},
	{Name: "r", Type: types.RowOf(types.Field{Name: "a", Type: types.Of(types.Int)}, types.Field{Name: "c", Type: types.String()})},
}

// texts are expressions that never fail, over all kinds of kernels.
var texts = []string{
	"i + j * 2", "i - l", "-i", "x / i", "d + i", "d * w", "w / 3", "d % 7", "i % 5", "NULLIF(i, j)", "CAST(d AS DOUBLE) + x",
	"i = j", "i < 3", "i >= j", "x <= 0.5e0", "d <> 1.5", "w > d", "s = 'ab'", "s < t", "s = t", "b = TRUE", "ts > '2000-01-01 00:00:00'", "z = z",
	"i IN (1, 2, 3)", "s IN ('ab', 'b')", "i NOT IN (1, NULL)", "s LIKE '%a_'", "s LIKE t", "b AND i > 2 OR s IS NULL", "NOT (b OR i < j)",
	"i IS DISTINCT FROM j", "b IS NOT TRUE", "COALESCE(i, j, 0)", "COALESCE(s, t, 'none')", "IF(b, i, j)", "IF(i = 0, 0, 10 / i)",
	"CASE WHEN i > 2 THEN UPPER(s) WHEN b THEN s || t ELSE UPPER(s) || 'x' END || UPPER(s)", "CASE WHEN i > 2 THEN n ELSE ARRAY[i, j] END",
	"CASE WHEN b THEN r ELSE ROW(i, s) END", "GREATEST(i, l)", "UPPER(s)", "SUBSTRING(s, 2, 2)", "TRIM(s)", "SPLIT_INDEX(s, 'b', 1)", "s || t",
	"CONCAT_WS('-', s, t)", "CHAR_LENGTH(s)", "REPLACE(s, 'a', 'xyz')", "CAST(i AS STRING)", "CAST(x AS STRING)", "TRY_CAST(s AS INT)", "CAST(l AS INT)",
	"CAST(w AS DECIMAL(5, 1))", "CAST(n AS ARRAY<STRING>)", "CAST(n AS STRING)", "CAST(r AS STRING)", "r.a + 1", "r.c || 'x'", "n[1]", "n[i]", "CARDINALITY(n)",
	"ARRAY_SORT(n)", "ARRAY_APPEND(n, i)", "ARRAY_DISTINCT(n)", "MAP['k', i]['k']", "ROW(i, s, n)", "ROW(i, s) = r", "ts + INTERVAL '1' MONTH", "ts - INTERVAL '3' SECOND",
	"HOUR(ts)", "DATE_FORMAT(ts, 'yyyy-MM-dd HH')", "DATE_FORMAT(z, 'HH:mm')", "FLOOR(ts, 'DAY')", "TIMESTAMPDIFF('DAY', ts, TIMESTAMP '2000-01-01 00:00:00')",
	"CAST(ts AS TIMESTAMP_LTZ(3))", "CAST(z AS TIMESTAMP(3))", "MD5(s)", "JSON_VALUE(s, '$.a')", "REGEXP_EXTRACT(s, '(a|^)b([^c]*)', 2)", "REGEXP_REPLACE(s, 'a+', 'z')",
	"JSON_OBJECT('NULL', 'k', i, 's', s)", "ROUND(d, 1)", "ABS(i)", "CEIL(x)", "1 + 2", "CURRENT_WATERMARK(ts)", "LPAD(s, i % 7, '*')", "REVERSE(s) LIKE 'b%'",
}

// TestProgramsAgree runs programs over batches of all sizes, with nulls and
// selections, one after the other, and compares with one row at a time and
// no kernels for constants.
func TestProgramsAgree(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	env := &fn.Env{Now: exprtest.Now, Watermark: 5, Zone: zone}
	rapid.Check(t, func(t *rapid.T) {
		var xs []expr.Expr
		for range rapid.IntRange(1, 3).Draw(t, "expressions") {
			text := rapid.SampledFrom(texts).Draw(t, "text")
			x, err := exprtest.Parse(text, mixed)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			xs = append(xs, x)
		}
		p, err := expr.Compile(xs, expr.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			b := randomBatch(t)
			out, err := p.Eval(env, b)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range b.Rows() {
				for i, x := range xs {
					got, want := show(out[i], int(r), x), rowAlone(t, x, b, r, env)
					if got != want {
						t.Fatalf("%s in row %d of %d: got %s, alone %s", x, r, b.N, got, want)
					}
				}
			}
			b.Poison()
		}
	})
}

func show(v *vec.Vector, i int, x expr.Expr) string {
	return string(vec.AppendText(nil, v, i, x.Type()))
}

func rowAlone(t *rapid.T, x expr.Expr, b *vec.Batch, r int32, env *fn.Env) string {
	p, err := expr.Compile([]expr.Expr{x}, expr.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	one := vec.NewBatch()
	for _, f := range mixed {
		one.Cols = append(one.Cols, vec.New(f.Type))
	}
	one.AppendRows(b, []int32{r})
	out, err := p.Eval(env, one)
	if err != nil {
		t.Fatal(err)
	}
	return show(out[0], 0, x)
}

func randomBatch(t *rapid.T) *vec.Batch {
	b := vec.NewBatch()
	nulls := rapid.Bool().Draw(t, "nulls")
	n := rapid.SampledFrom([]int{0, 1, 3, 64, 65, 130}).Draw(t, "rows")
	seed := rapid.Uint64().Draw(t, "seed")
	next := func() uint64 {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		return seed
	}
	if seed == 0 {
		seed = 1
	}
	for _, f := range mixed {
		v := vec.New(f.Type)
		for range n {
			v.AppendValue(randomValue(f.Type, next, nulls))
		}
		b.Cols = append(b.Cols, v)
	}
	b.N = n
	if rapid.Bool().Draw(t, "selection") {
		b.Sel = []int32{}
		for i := range int32(n) {
			if next()%3 != 0 {
				b.Sel = append(b.Sel, i)
			}
		}
	}
	return b
}

var samples = []string{"", "ab", "b", "abc", "  a b ", "naïve", "12", "bbcb", `{"a":"x"}`, "日本"}

func randomValue(t types.Type, next func() uint64, nulls bool) vec.Value {
	if nulls && next()%4 == 0 {
		return vec.NullValue(vec.KindOf(t))
	}
	v := vec.Value{Kind: vec.KindOf(t)}
	switch t.Kind {
	case types.Boolean:
		v.I = int64(next() % 2)
	case types.Int, types.BigInt:
		if v.I = int64(next()%7) - 1; next()%9 == 0 {
			v.I = math.MaxInt32
		}
	case types.Double:
		v.F = float64(next()%9)/4 - 1
	case types.Decimal:
		v.I = int64(next()%1000) - 500
		if v.Kind == vec.I128 {
			v.I, v.W = 0, vec.Widen(int64(next()%100000)-50000)
		}
	case types.Timestamp, types.TimestampLTZ:
		v.I = int64(next()%4_000_000_000) * 1_000_000
	case types.Array:
		for range next() % 4 {
			v.L = append(v.L, randomValue(*t.Elem, next, nulls))
		}
	case types.Row:
		for _, f := range t.Fields {
			v.L = append(v.L, randomValue(f.Type, next, nulls))
		}
	default:
		v.S = samples[next()%uint64(len(samples))]
	}
	return v
}

// TestFiltersAgree compares filters with the booleans they stand for.
func TestFiltersAgree(t *testing.T) {
	env := &fn.Env{}
	conditions := []string{"i < 3", "i >= j", "3 > i", "i <> 1", "s = 'ab'", "s <> 'ab'", "x < 1", "l = 2", "b", "NOT b", "i IS NULL", "s IS NOT NULL", "i IN (1, 5)",
		"s IN ('b')", "i BETWEEN 1 AND 3", "i % 2 = 0", "d > 1", "b OR i = 1", "s LIKE 'a%'", "r.a > 2", "x = 0.5e0", "i = NULL"}
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for i := range rapid.IntRange(1, 4).Draw(t, "terms") {
			if i > 0 {
				text += " AND "
			}
			text += fmt.Sprintf("(%s)", rapid.SampledFrom(conditions).Draw(t, "condition"))
		}
		x, err := exprtest.Parse(text, mixed)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		f, err := expr.CompileFilter(x)
		if err != nil {
			t.Fatal(err)
		}
		p, err := expr.Compile([]expr.Expr{x}, expr.Options{Plain: true})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			b := randomBatch(t)
			out, err := p.Eval(env, b)
			if err != nil {
				t.Fatal(err)
			}
			want := []int32{}
			for _, r := range b.Rows() {
				if out[0].Bool[r] && !out[0].IsNull(int(r)) {
					want = append(want, r)
				}
			}
			sel, err := f.Select(env, b)
			if err != nil || fmt.Sprint(sel) != fmt.Sprint(want) {
				t.Fatalf("%s: got %v (%v), want %v", text, sel, err, want)
			}
		}
	})
}
