package physical

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Explain prints the plan: the tree, and below it what is kept in state, how
// changes leave, and what each sink promises.
func (p *Plan) Explain(w io.Writer) error {
	x := &explainer{uses: map[*Node]int{}, ids: map[*Node]int{}}
	for _, n := range p.Nodes {
		for _, in := range n.Inputs {
			x.uses[in.Node]++
		}
	}
	x.b.WriteString("== Physical plan ==\n")
	for i, r := range p.Roots {
		if i > 0 {
			x.b.WriteString("\n")
		}
		x.tree(r, "", "")
	}
	x.notes("State", stateNotes(p))
	x.notes("Changes", changeNotes(p))
	x.notes("Not repeatable", repeatNotes(p))
	x.notes("Sources", sourceNotes(p))
	x.notes("Sinks", sinkNotes(p))
	_, err := io.WriteString(w, x.b.String())
	return err
}

type explainer struct {
	b    strings.Builder
	uses map[*Node]int
	ids  map[*Node]int // of nodes used several times, once printed
}

func (x *explainer) tree(n *Node, first, rest string) {
	if id, ok := x.ids[n]; ok {
		fmt.Fprintf(&x.b, "%sReused(reference_id=[%d])\n", first, id)
		return
	}
	reuse := ""
	if x.uses[n] > 1 {
		x.ids[n] = len(x.ids) + 1
		reuse = fmt.Sprintf("(reuse_id=[%d])", x.ids[n])
	}
	attrs := append(n.attributes(), "changelogMode=["+strings.Trim(n.Changes.Text(n.Before), "[]")+"]")
	fmt.Fprintf(&x.b, "%s%s(%s)%s\n", first, n.Op.kind(), strings.Join(attrs, ", "), reuse)
	for i, in := range n.Inputs {
		branch, below := "+- ", "   "
		if i < len(n.Inputs)-1 {
			branch, below = ":- ", ":  "
		}
		if d := distribution(in); d != "" {
			fmt.Fprintf(&x.b, "%s%sExchange(distribution=[%s])\n", rest, branch, d)
			x.tree(in.Node, rest+below+"+- ", rest+below+"   ")
			continue
		}
		x.tree(in.Node, rest+branch, rest+below)
	}
}

func distribution(in Input) string {
	switch in.Exchange {
	case exec.Hash:
		return "hash[" + strings.Join(names(in.Node.Output, in.Key), ", ") + "]"
	case exec.Gather:
		if in.Node.Parallelism == 1 {
			return ""
		}
		return "single"
	case exec.Rebalance:
		return "rebalance"
	}
	return ""
}

func (x *explainer) notes(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(&x.b, "\n== %s ==\n", title)
	for _, l := range lines {
		x.b.WriteString(l + "\n")
	}
}

func list(name string, values ...string) string {
	return name + "=[" + strings.Join(values, ", ") + "]"
}

// attributes are what EXPLAIN prints between the parentheses of a node.
func (n *Node) attributes() []string {
	switch o := n.Op.(type) {
	case *Scan:
		return n.scanAttributes(o)
	case *Values:
		return []string{fmt.Sprintf("rows=[%d]", len(o.Rows)), list("fields", fieldNames(n.Output)...)}
	case *Calc:
		attrs := []string{list("select", selected(o.Exprs, n.Output)...)}
		if o.Filter != nil {
			attrs = append(attrs, list("where", o.Filter.String()))
		}
		return attrs
	case *GroupAggregate:
		return n.aggAttributes(o.Keys, o.Aggs)
	case *WindowAggregate:
		w := windowsOfInput(o.WindowAggSpec, n.in(0))
		return append([]string{list("window", w)}, n.aggAttributes(o.Keys, o.Aggs)...)
	case *WindowTableFunction:
		return []string{list("window", windowName(&o.Window, n.in(0).Output))}
	case *Join:
		return joinAttributes(o.Kind, n.equalities(o.LeftKeys, o.RightKeys, o.NullAware), o.Residual, fieldNames(n.Output))
	case *IntervalJoin:
		bounds := fmt.Sprintf("%s >= %s %s AND <= %s", n.in(0).Output[o.LeftTime].Name, n.in(1).Output[o.RightTime].Name, signed(o.Lower), signed(o.Upper))
		return append([]string{list("window", bounds)}, joinAttributes(o.Kind, n.equalities(o.LeftKeys, o.RightKeys, nil), o.Residual, fieldNames(n.Output))...)
	case *WindowJoin:
		return joinAttributes(o.Kind, n.equalities(append([]int{o.LeftEnd}, o.LeftKeys...), append([]int{o.RightEnd}, o.RightKeys...), nil), o.Residual, fieldNames(n.Output))
	case *TemporalJoin:
		return append(joinAttributes(o.Kind, n.equalities(o.LeftKeys, o.RightKeys, nil), o.Residual, fieldNames(n.Output)), list("asOf", n.in(0).Output[o.LeftTime].Name))
	}
	return n.moreAttributes()
}

func (n *Node) moreAttributes() []string {
	switch o := n.Op.(type) {
	case *Rank:
		return n.rankAttributes(o)
	case *WindowRank:
		in := n.in(0).Output
		window := []int{}
		for _, c := range []int{o.StartCol, o.EndCol} {
			if c >= 0 {
				window = append(window, c)
			}
		}
		return []string{list("window", names(in, window)...), list("partitionBy", names(in, o.Partition)...), list("orderBy", orderNames(o.Order, in)),
			rankRange(o.From, o.To), list("select", fieldNames(n.Output)...)}
	case *Deduplicate:
		keep := "FirstRow"
		if o.KeepLast {
			keep = "LastRow"
		}
		order := "ROWTIME"
		if o.Proctime {
			order = "PROCTIME"
		}
		return []string{list("keep", keep), list("key", names(n.in(0).Output, o.Keys)...), list("order", order)}
	case *ChangelogNormalize:
		return []string{list("key", names(n.in(0).Output, o.Keys)...)}
	case *TemporalSort:
		in := n.in(0).Output
		return []string{list("orderBy", strings.TrimSuffix(in[o.Time].Name+" ASC, "+orderNames(o.Order, in), ", "))}
	case *OverAggregate:
		return n.overAttributes(o)
	case *Expand:
		var sets []string
		for _, row := range o.Projects {
			sets = append(sets, "{"+strings.Join(exprTexts(row), ", ")+"}")
		}
		return []string{list("projects", sets...)}
	case *Unnest:
		kind := "INNER"
		if o.Outer {
			kind = "LEFT"
		}
		return []string{list("invocation", "UNNEST("+o.Collection.String()+")"), list("joinType", kind), list("select", fieldNames(n.Output)...)}
	case *Union:
		return []string{list("all", "true"), list("union", fieldNames(n.Output)...)}
	case *UpsertChanges:
		return []string{list("key", names(n.Output, o.Key)...)}
	case *Replicate:
		return []string{list("count", n.Output[o.Count].Name)}
	case *NotNull:
		return []string{list("NotNullEnforcer", names(n.Output, o.Columns)...)}
	case *Sink:
		attrs := []string{list("table", o.Table.Path.String()), list("fields", fieldNames(n.Output)...)}
		if len(o.Key) > 0 {
			attrs = append(attrs, list("primaryKey", names(n.Output, o.Key)...))
		}
		return attrs
	case *Collect:
		return []string{list("fields", fieldNames(n.Output)...)}
	}
	return nil
}

func (n *Node) scanAttributes(s *Scan) []string {
	attrs := []string{list("table", s.Table.Path.String()), list("fields", fieldNames(n.Output)...)}
	if s.Filter != nil {
		attrs = append(attrs, list("filter", s.Filter.String()))
	}
	if s.Watermark != nil {
		attrs = append(attrs, list("watermark", s.Watermark.String()))
		if s.IdleTimeout > 0 {
			attrs = append(attrs, list("idleTimeout", s.IdleTimeout.String()))
		}
		if s.OnEvent {
			attrs = append(attrs, list("watermarkEmitStrategy", "on-event"))
		}
	}
	return attrs
}

func (n *Node) aggAttributes(keys []int, aggs []op.AggCall) []string {
	in := n.in(0).Output
	var attrs []string
	if len(keys) > 0 {
		attrs = append(attrs, list("groupBy", names(in, keys)...))
	}
	sel := names(in, keys)
	for i, a := range aggNames(aggs, in) {
		sel = append(sel, a+" AS "+n.Output[len(keys)+i].Name)
	}
	if w, ok := n.Op.(*WindowAggregate); ok {
		for i := range w.Properties {
			sel = append(sel, n.Output[len(keys)+len(aggs)+i].Name)
		}
	}
	return append(attrs, list("select", sel...))
}

func windowsOfInput(s op.WindowAggSpec, in *Node) string {
	if s.Window != nil {
		return windowName(s.Window, in.Output)
	}
	start := ""
	if s.StartCol >= 0 {
		start = "win_start=[" + in.Output[s.StartCol].Name + "], "
	}
	return start + "win_end=[" + in.Output[s.EndCol].Name + "]"
}

func (n *Node) equalities(left, right []int, nullAware []bool) []string {
	var eqs []string
	for i := range left {
		sign := " = "
		if nullAware != nil && nullAware[i] {
			sign = " IS NOT DISTINCT FROM "
		}
		eqs = append(eqs, n.in(0).Output[left[i]].Name+sign+n.in(1).Output[right[i]].Name)
	}
	return eqs
}

func joinAttributes(kind op.JoinKind, on []string, residual expr.Expr, out []string) []string {
	if residual != nil {
		on = append(on, residual.String())
	}
	if len(on) == 0 {
		on = []string{"true"}
	}
	return []string{list("joinType", kind.String()), "where=[" + strings.Join(on, " AND ") + "]", list("select", out...)}
}

func signed(ms int64) string {
	if ms < 0 {
		return "- " + millisText(-ms)
	}
	return "+ " + millisText(ms)
}

func (n *Node) rankAttributes(o *Rank) []string {
	in := n.in(0).Output
	var attrs []string
	if o.Name != "Rank" {
		if len(o.Order) > 0 {
			attrs = append(attrs, list("orderBy", orderNames(o.Order, in)))
		}
		return append(attrs, fmt.Sprintf("offset=[%d]", o.From-1), fmt.Sprintf("fetch=[%d]", o.To-o.From+1), list("strategy", o.strategy()))
	}
	return append(attrs, list("strategy", o.strategy()), "rankType=[ROW_NUMBER]", rankRange(o.From, o.To), list("partitionBy", names(in, o.Partition)...),
		list("orderBy", orderNames(o.Order, in)), list("select", fieldNames(n.Output)...))
}

func (o *Rank) strategy() string {
	switch {
	case o.InputRetract:
		return "RetractStrategy"
	case o.UpsertKey != nil:
		return "UpdateFastStrategy"
	}
	return "AppendFastStrategy"
}

func rankRange(from, to int64) string {
	return fmt.Sprintf("rankRange=[rankStart=%d, rankEnd=%d]", from, to)
}

func (n *Node) overAttributes(o *OverAggregate) []string {
	in := n.in(0).Output
	var attrs []string
	if len(o.Partition) > 0 {
		attrs = append(attrs, list("partitionBy", names(in, o.Partition)...))
	}
	order := orderNames(o.Order, in)
	if o.Time >= 0 {
		order = in[o.Time].Name + " ASC"
	} else if o.Proctime {
		order = "PROCTIME ASC"
	}
	frame := "RANGE"
	if o.Rows {
		frame = "ROWS"
	}
	from := "UNBOUNDED PRECEDING"
	if o.Preceding >= 0 {
		from = fmt.Sprintf("%d PRECEDING", o.Preceding)
	}
	calls := fieldNames(in)
	for i, c := range o.Calls {
		args := strings.Join(names(in, c.Args), ", ")
		if c.Name == "COUNT" && args == "" {
			args = "*"
		}
		calls = append(calls, fmt.Sprintf("%s(%s) AS %s", c.Name, args, n.Output[len(in)+i].Name))
	}
	return append(attrs, list("orderBy", order), list("window", frame+" BETWEEN "+from+" AND CURRENT ROW"), list("select", calls...))
}

func fieldNames(fields []types.Field) []string { return names(fields, seq(0, len(fields))) }

func exprTexts(xs []expr.Expr) []string {
	s := make([]string, len(xs))
	for i, x := range xs {
		s[i] = x.String()
	}
	return s
}

// selected prints expressions with the names they get.
func selected(exprs []expr.Expr, out []types.Field) []string {
	s := exprTexts(exprs)
	for i := range s {
		if s[i] != out[i].Name {
			s[i] += " AS " + out[i].Name
		}
	}
	return s
}

// describeShort names an operator in a message: "GROUP BY (k)".
func describeShort(n *Node) string {
	switch o := n.Op.(type) {
	case *Scan:
		return "source table " + o.Table.Path.Name
	case *GroupAggregate:
		if len(o.Keys) == 0 {
			return "an aggregate over all rows"
		}
		return "GROUP BY (" + strings.Join(names(n.in(0).Output, o.Keys), ", ") + ")"
	case *Join:
		return "the " + joinWords[o.Kind]
	case *Rank:
		if o.Name == "Rank" {
			return "the Top-N"
		}
		return "ORDER BY … LIMIT"
	case *Deduplicate:
		return "keeping the last row of each key"
	case *OverAggregate:
		return "OVER (ORDER BY a column that is no time attribute)"
	}
	return n.Op.kind()
}

// columnText names a column in a message, by its expression if it was made
// for the purpose.
func (n *Node) columnText(c int) string {
	if o, ok := n.Op.(*Calc); ok {
		return o.Exprs[c].String()
	}
	return n.Output[c].Name
}

var joinWords = map[op.JoinKind]string{op.Inner: "join", op.Left: "LEFT JOIN", op.Right: "RIGHT JOIN", op.Full: "FULL JOIN",
	op.Semi: "IN or EXISTS subquery", op.Anti: "NOT IN or NOT EXISTS subquery"}

// ttlText says how long state is kept.
func ttlText(ttl time.Duration) string {
	if ttl == 0 {
		return "kept for ever (table.exec.state.ttl is not set)"
	}
	return "dropped " + ttl.String() + " after its last change (table.exec.state.ttl)"
}
