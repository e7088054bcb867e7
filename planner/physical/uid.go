package physical

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// uidVersion changes when the text below means something else: state of
// older jobs is then refused by hash.
const uidVersion = "1"

func digest(text string) string {
	sum := sha256.Sum256([]byte(uidVersion + "\n" + text))
	return hex.EncodeToString(sum[:8])
}

// fingerprint is what makes a node itself: kind, parameters and inputs. It
// leaves out names of columns but for a sink's, parallelism, times to live and
// whatever a deployment changes.
func (n *Node) fingerprint() string {
	var b strings.Builder
	b.WriteString(n.Op.kind())
	b.WriteString("(")
	b.WriteString(parameters(n.Op))
	b.WriteString(")[")
	for i, f := range n.Output {
		if i > 0 {
			b.WriteString(",")
		}
		f.Type.Attr = types.NoTime
		b.WriteString(f.Type.String())
	}
	b.WriteString("]")
	_, isSink := n.Op.(*Sink)
	for _, in := range n.Inputs {
		if isSink { // its exchange depends on parallelism
			in.Key = nil
		}
		fmt.Fprintf(&b, "<%d:%s%v", in.Port, in.Node.UID, in.Key)
	}
	return b.String()
}

// parameters are those of an operation, as text.
func parameters(o Op) string {
	switch o := o.(type) {
	case *Scan:
		return fmt.Sprint(tableText(o.Table), o.Columns, text(o.Filter), text(o.Watermark), text(o.Rowtime))
	case *Values:
		var rows []string
		for _, r := range o.Rows {
			rows = append(rows, texts(r))
		}
		return strings.Join(rows, ";")
	case *Calc:
		return text(o.Filter) + "?" + texts(o.Exprs)
	case *GroupAggregate:
		return fmt.Sprint(o.Keys, aggTexts(o.Aggs))
	case *WindowAggregate:
		return fmt.Sprint(o.Keys, aggTexts(o.Aggs), windowText(o.Window), o.StartCol, o.EndCol, o.Properties)
	case *WindowTableFunction:
		return windowText(&o.Window)
	case *Join:
		return fmt.Sprint(o.Kind, o.LeftKeys, o.RightKeys, o.NullAware, text(o.Residual), o.NotIn)
	case *IntervalJoin:
		return fmt.Sprint(o.Kind, o.LeftKeys, o.RightKeys, o.LeftTime, o.RightTime, o.Lower, o.Upper, text(o.Residual), o.Proctime)
	case *WindowJoin:
		return fmt.Sprint(o.Kind, o.LeftKeys, o.RightKeys, o.LeftEnd, o.RightEnd, text(o.Residual))
	case *TemporalJoin:
		return fmt.Sprint(o.Kind, o.LeftKeys, o.RightKeys, o.LeftTime, o.RightTime, text(o.Residual), o.Proctime)
	case *Rank:
		return fmt.Sprint(o.Partition, o.Order, o.From, o.To, o.OutputRank)
	case *WindowRank:
		return fmt.Sprint(o.Partition, o.StartCol, o.EndCol, o.Order, o.From, o.To, o.OutputRank)
	case *Deduplicate:
		return fmt.Sprint(o.Keys, o.Time, o.Proctime, o.KeepLast, o.OutputRank)
	case *ChangelogNormalize:
		return fmt.Sprint(o.Keys)
	case *TemporalSort:
		return fmt.Sprint(o.Time, o.Order)
	case *OverAggregate:
		return fmt.Sprint(o.Partition, o.Order, o.Time, o.Proctime, o.Rows, o.Preceding, overTexts(o.Calls))
	case *Expand:
		var rows []string
		for _, r := range o.Projects {
			rows = append(rows, texts(r))
		}
		return strings.Join(rows, ";")
	case *Unnest:
		return fmt.Sprint(text(o.Collection), o.Outer, o.Ordinality)
	case *NotNull:
		return fmt.Sprint(o.Columns)
	case *UpsertChanges:
		return fmt.Sprint(o.Key)
	case *Replicate:
		return fmt.Sprint(o.Count)
	case *Sink:
		return fmt.Sprint(tableText(o.Table), o.Key)
	case *Union, *DropUpdateBefore, *Collect:
		return ""
	}
	panic(fmt.Sprintf("physical: unknown operation %T", o))
}

// text is an expression without names of columns.
func text(x expr.Expr) string {
	if x == nil {
		return "-"
	}
	return expr.Rewrite(x, func(y expr.Expr) expr.Expr {
		if c, ok := y.(*expr.Column); ok {
			return &expr.Column{Index: c.Index, T: c.T}
		}
		return y
	}).String()
}

func texts(xs []expr.Expr) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = text(x) + ":" + x.Type().Text()
	}
	return strings.Join(parts, ",")
}

// tableText names what a table holds: its path, connector and those options
// that say which data and in what form.
func tableText(t *catalog.Table) string {
	var kept []string
	for k, v := range t.Options {
		if namesData(k) {
			kept = append(kept, k+"="+v)
		}
	}
	slices.Sort(kept)
	return t.Path.String() + "{" + strings.Join(kept, ",") + "}"
}

// namesData tells whether a connector's option says which data a table
// holds; the others (brokers, credentials, tuning, where to begin) may change
// between two runs of a job.
func namesData(key string) bool {
	switch key {
	case "connector", "topic", "topic-pattern", "path", "key.fields", "key.fields-prefix", "value.fields-include":
		return true
	}
	return key == "format" || strings.HasSuffix(key, ".format")
}

// shareable tells whether two equal nodes may be one: a sink writes once for
// each statement, and a random number is drawn once for each use.
func shareable(n *Node) bool {
	switch o := n.Op.(type) {
	case *Sink, *Collect, *NotNull:
		return false
	case *Calc:
		return !volatile(o.Filter) && !slices.ContainsFunc(o.Exprs, volatile)
	}
	return true
}

// volatile tells whether x is computed anew for each row.
func volatile(x expr.Expr) bool {
	found := false
	if x != nil {
		expr.Walk(x, func(y expr.Expr) bool {
			c, ok := y.(*expr.Call)
			found = found || ok && c.Fn.Volatility == fn.PerRow
			return !found
		})
	}
	return found
}

// jobHash is over the sinks' fingerprints, which hold those of all inputs.
func jobHash(roots []*Node) string {
	var b strings.Builder
	for _, r := range roots {
		b.WriteString(r.UID)
		b.WriteString("\n")
	}
	return digest(b.String())
}
