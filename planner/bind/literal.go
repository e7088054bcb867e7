package bind

import (
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// literal binds a constant; nil if x is none.
func (e *env) literal(x ast.Expr) expr.Expr {
	var l *expr.Literal
	var err error
	switch x := x.(type) {
	case *ast.NumberLit:
		l = number(x, "")
	case *ast.StringLit:
		l = expr.String(x.Value)
	case *ast.BinaryLit:
		l, err = expr.Binary(x.Hex)
	case *ast.BoolLit:
		l = expr.Bool(x.Value)
	case *ast.NullLit:
		l = expr.Null()
	case *ast.Symbol:
		l = expr.String(x.Name)
	case *ast.DateTimeLit:
		l, err = e.b.dateTime(x)
	case *ast.IntervalLit:
		l, err = expr.Interval(x.Text, x.Negative, x.From, x.To, x.Precision)
	default:
		return nil
	}
	check(x.Position(), err)
	return l
}

// number is a literal with its sign. As in Flink the digits of an exact
// number must fit into 64 bits.
func number(n *ast.NumberLit, sign string) *expr.Literal {
	if n.Kind != ast.ApproxNumber {
		digits := sign + strings.Replace(n.Text, ".", "", 1)
		if _, err := strconv.ParseInt(digits, 10, 64); err != nil {
			_, fraction, _ := strings.Cut(n.Text, ".")
			fail(perr.New(n.Pos, "number %s is out of range", n.Text).WithHint("write CAST('%s' AS DECIMAL(38, %d))", n.Text, len(fraction)))
		}
	}
	l, err := expr.Number(sign + n.Text)
	check(n.Pos, err)
	return l
}

func (b *Binder) dateTime(l *ast.DateTimeLit) (*expr.Literal, error) {
	switch l.Kind {
	case "DATE":
		return expr.Date(l.Text)
	case "TIME":
		return expr.Time(l.Text)
	case "TIMESTAMP":
		return expr.Timestamp(l.Text)
	case "TIMESTAMP_LTZ":
		return b.localTimestamp(l)
	}
	panic("bind: unknown literal " + l.Kind)
}

// localTimestamp reads a time of the session's zone.
func (b *Binder) localTimestamp(l *ast.DateTimeLit) (*expr.Literal, error) {
	plain, err := expr.Timestamp(l.Text)
	if err != nil {
		return nil, err
	}
	us, ns := plain.V.I, int64(0)
	if plain.V.Kind == vec.I128 {
		us, ns = plain.V.W.Hi, int64(plain.V.W.Lo)
	}
	t := time.UnixMicro(us).UTC()
	local := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), b.opts.Zone)
	return expr.TimestampAt(types.LTZOf(plain.T.Precision), local.UnixMicro(), ns), nil
}

// constant is the value of an expression that must have one already.
func (e *env) constant(x ast.Expr) (*expr.Literal, bool) {
	y := e.expr(x)
	if expr.IsConstant(y) {
		y = expr.Fold(y, &fn.Env{Zone: e.b.opts.Zone})
	}
	l, ok := y.(*expr.Literal)
	return l, ok
}

// whole reads a constant that must be a whole number, as of LIMIT.
func (e *env) whole(x ast.Expr, what string) int64 {
	l, ok := e.constant(x)
	if !ok || l.V.Null || !l.T.IsInteger() || l.V.I < 0 {
		failf(x.Position(), "%s must be a whole number that is not negative", what)
	}
	return l.V.I
}

// duration reads a constant interval, in milliseconds.
func (e *env) duration(x ast.Expr, what string) int64 {
	l, ok := e.constant(x)
	if !ok || l.V.Null || l.T.Kind != types.IntervalDaySecond {
		fail(perr.New(x.Position(), "%s must be a constant interval of days to seconds", what).WithHint("as INTERVAL '10' SECOND"))
	}
	return l.V.I
}
