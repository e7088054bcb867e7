package op

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// unnestCase expands column 1 of "id INT, x <t>" into the given columns.
func unnestCase(t types.Type, outer, ordinality bool, elements ...types.Field) exectest.Case {
	fields := []types.Field{{Name: "id", Type: types.Of(types.Int)}, {Name: "x", Type: t}}
	s := UnnestSpec{Collection: &expr.Column{Index: 1, T: t}, Outer: outer, Ordinality: ordinality}
	s.Inputs, s.Output = [][]types.Field{fields}, append(fields[:2:2], elements...)
	if ordinality {
		s.Output = append(s.Output, types.Field{Name: "n", Type: types.Of(types.Int)})
	}
	return exectest.Case{New: func() (exec.Operator, error) { return NewUnnest(s) }, Inputs: []exectest.Input{{Fields: fields}}, Output: s.Output}
}

func TestUnnestArray(t *testing.T) {
	e := types.Field{Name: "e", Type: types.Of(types.Int)}
	rows := "1, [5, NULL, 6]\n-D 2, [7]\n3, []\n4, NULL"
	same(t, exectest.Run(t, unnestCase(types.ArrayOf(e.Type), false, true, e), "+I 2, [7]\n"+rows), `+I 2, [7], 7, 1
+I 1, [5, NULL, 6], 5, 1
+I 1, [5, NULL, 6], NULL, 2
+I 1, [5, NULL, 6], 6, 3
-D 2, [7], 7, 1
`)
	same(t, exectest.Run(t, unnestCase(types.ArrayOf(e.Type), true, true, e), "3, []\n4, NULL"), "+I 3, [], NULL, NULL\n+I 4, NULL, NULL, NULL\n")
}

// A null row is no row; a null of a scalar is one.
func TestUnnestRows(t *testing.T) {
	a, b := types.Field{Name: "a", Type: types.Of(types.Int)}, types.Field{Name: "b", Type: types.String()}
	row := types.RowOf(a, b)
	same(t, exectest.Run(t, unnestCase(types.ArrayOf(row), false, false, a, b), "1, [(1, x), NULL, (NULL, y)]"),
		"+I 1, [(1, x), NULL, (NULL, y)], 1, x\n+I 1, [(1, x), NULL, (NULL, y)], NULL, y\n")
	same(t, exectest.Run(t, unnestCase(types.ArrayOf(row), true, false, a, b), "1, [NULL]"), "+I 1, [NULL], NULL, NULL\n")
}

func TestUnnestMap(t *testing.T) {
	k, v := types.Field{Name: "k", Type: types.String()}, types.Field{Name: "v", Type: types.Of(types.Int)}
	same(t, exectest.Run(t, unnestCase(types.MapOf(k.Type, v.Type), false, false, k, v), "1, {a=1, b=NULL}"),
		"+I 1, {a=1, b=NULL}, a, 1\n+I 1, {a=1, b=NULL}, b, NULL\n")
}

func TestExpand(t *testing.T) {
	fields := exectest.Columns("a INT, b STRING")
	out := append(exectest.Columns("a INT, b STRING"), exectest.Columns("set BIGINT")...)
	col := func(i int) expr.Expr { return &expr.Column{Index: i, T: fields[i].Type} }
	s := ExpandSpec{Projects: [][]expr.Expr{{col(0), col(1), expr.BigInt(0)}, {col(0), expr.NullOf(fields[1].Type), expr.BigInt(1)}}}
	s.Inputs, s.Output = [][]types.Field{fields}, out
	c := exectest.Case{New: func() (exec.Operator, error) { return NewExpand(s) }, Inputs: []exectest.Input{{Fields: fields}}, Output: out}
	same(t, exectest.Run(t, c, "1, x\n2, NULL\n-D 1, x"), `+I 1, x, 0
+I 2, NULL, 0
-D 1, x, 0
+I 1, NULL, 1
+I 2, NULL, 1
-D 1, NULL, 1
`)
}
