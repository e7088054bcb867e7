package logical

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Format prints a plan as a tree, a node a line: its parameters, then its
// columns with their types (left out where they are those of the input).
func Format(p Plan) string {
	var b strings.Builder
	format(&b, p, "")
	return b.String()
}

func format(b *strings.Builder, p Plan, indent string) {
	b.WriteString(indent + describe(p))
	switch p.(type) {
	case *Filter, *Sort:
	default:
		b.WriteString(" → " + columnsText(p.Schema()))
	}
	b.WriteByte('\n')
	for _, in := range p.Inputs() {
		format(b, in, indent+"  ")
	}
}

func columnsText(cols []types.Field) string {
	parts := make([]string, len(cols))
	for i, f := range cols {
		parts[i] = f.Name + " " + f.Type.String()
	}
	return strings.Join(parts, ", ")
}

func describe(p Plan) string {
	switch n := p.(type) {
	case *Scan:
		return "Scan " + n.Table.Path.Name
	case *Watermark:
		return fmt.Sprintf("Watermark %s AS %s", n.Cols[n.Time].Name, n.Expr)
	case *Values:
		return fmt.Sprintf("Values %d rows", len(n.Rows))
	case *Project:
		return "Project [" + exprsText(n.Exprs) + "]"
	case *Filter:
		return "Filter " + n.Cond.String()
	case *Window:
		return "Window " + windowText(n.Window, n.Input)
	case *Aggregate:
		return n.text()
	case *Expand:
		return n.text()
	case *Join:
		return joinText(n)
	case *TemporalJoin:
		return fmt.Sprintf("Temporal%s as of %s on %s", n.Kind, n.Time, condText(n.Cond))
	case *Over:
		return n.text()
	case *Rank:
		return fmt.Sprintf("Rank %d to %d partition [%s] order [%s]%s", n.From, n.To, names(n.Input, n.Partition), orderText(n.Input, n.Order), flag(n.OutputRank, " with rank"))
	case *Sort:
		return fmt.Sprintf("Sort [%s] offset %d limit %d", orderText(n.Input, n.Keys), n.Offset, n.Limit)
	case *SetOp:
		return [...]string{"Union", "Intersect", "Except"}[n.Kind] + flag(n.All, " all")
	case *Unnest:
		return "Unnest " + n.Collection.String() + flag(n.Outer, " outer") + flag(n.Ordinality, " with ordinality")
	case *Sink:
		return "Sink " + n.Table.Path.Name
	}
	panic(fmt.Sprintf("logical: cannot print %T", p))
}

func flag(on bool, text string) string {
	if on {
		return text
	}
	return ""
}

func exprsText(xs []expr.Expr) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = x.String()
	}
	return strings.Join(parts, ", ")
}

func condText(x expr.Expr) string {
	if x == nil {
		return "true"
	}
	return x.String()
}

func joinText(n *Join) string {
	return fmt.Sprintf("%s on %s%s", n.Kind, condText(n.Cond), flag(n.NotIn, " as NOT IN"))
}

func names(in Plan, cols []int) string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = in.Schema()[c].Name
	}
	return strings.Join(parts, ", ")
}

func orderText(in Plan, keys []op.SortKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = in.Schema()[k.Col].Name + flag(k.Desc, " DESC") + flag(k.NullsLast != k.Desc, " NULLS "+map[bool]string{true: "LAST", false: "FIRST"}[k.NullsLast])
	}
	return strings.Join(parts, ", ")
}

func windowText(w op.Window, in Plan) string {
	s := fmt.Sprintf("%s(%s, %d ms", w.Kind, in.Schema()[w.Time].Name, w.Size)
	if w.Slide > 0 {
		s += fmt.Sprintf(", every %d ms", w.Slide)
	}
	if w.Offset != 0 {
		s += fmt.Sprintf(", offset %d ms", w.Offset)
	}
	if len(w.Partition) > 0 {
		s += ", partition [" + names(in, w.Partition) + "]"
	}
	return s + flag(w.Proctime, ", proctime") + ")"
}

func (n *Aggregate) text() string {
	parts := make([]string, len(n.Aggs))
	for i, a := range n.Aggs {
		parts[i] = a.Name + "(" + flag(a.Distinct, "DISTINCT ") + names(n.Input, a.Args) + ")"
		if a.Filter >= 0 {
			parts[i] += " FILTER " + names(n.Input, []int{a.Filter})
		}
	}
	s := "Aggregate by [" + names(n.Input, n.Keys) + "] [" + strings.Join(parts, ", ") + "]"
	if n.GroupWindow != nil {
		s += " in " + windowText(*n.GroupWindow, n.Input)
	}
	return s
}

func (n *Expand) text() string {
	sets := make([]string, len(n.Projects))
	for i, xs := range n.Projects {
		sets[i] = "[" + exprsText(xs) + "]"
	}
	return "Expand " + strings.Join(sets, " ")
}

func (n *Over) text() string {
	parts := make([]string, len(n.Calls))
	for i, c := range n.Calls {
		parts[i] = c.Name + "(" + flag(c.Distinct, "DISTINCT ") + exprsText(c.Args) + ")"
	}
	frame := "RANGE"
	if n.Rows {
		frame = "ROWS"
	}
	preceding := "UNBOUNDED"
	if n.Preceding != nil {
		preceding = n.Preceding.String()
	}
	return fmt.Sprintf("Over partition [%s] order [%s] %s %s PRECEDING [%s]", names(n.Input, n.Partition), orderText(n.Input, n.Order), frame, preceding, strings.Join(parts, ", "))
}
