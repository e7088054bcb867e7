package ast

// callWords are the words between the arguments of functions that are written with words.
var callWords = map[string][]string{
	"POSITION": {" IN ", " FROM "},
	"OVERLAY":  {" PLACING ", " FROM ", " FOR "},
}

func (p *printer) call(c *Call) {
	name := ""
	if len(c.Name.Parts) == 1 && !c.Name.Parts[0].Quoted {
		name = c.FuncName()
	}
	if name == "MINUS_INTERVAL" && len(c.Args) == 3 {
		p.difference(c)
		return
	}
	p.funcName(c)
	if c.NoParens {
		return
	}
	p.say("(")
	switch {
	case c.Star:
		p.say("*")
	case c.Distinct:
		p.say("DISTINCT ")
		p.exprs(c.Args)
	default:
		p.args(c, name)
	}
	if len(c.OrderBy) > 0 {
		p.say(" ")
		p.orderBy(c.OrderBy)
	}
	p.say(")")
	p.callSuffix(c)
}

// funcName writes a name; keywords that are functions stay bare.
func (p *printer) funcName(c *Call) {
	if id := c.Name.Parts[0]; len(c.Name.Parts) == 1 && !id.Quoted {
		p.say(id.Name)
		return
	}
	p.path(c.Name)
}

// args writes the arguments with the words that belong between them.
func (p *printer) args(c *Call, name string) {
	words := callWords[name]
	switch name {
	case "EXTRACT":
		if p.symbolFirst(c, 2) {
			p.say(" FROM ")
			p.expr(c.Args[1])
			return
		}
	case "TRIM":
		if p.symbolFirst(c, 3) {
			p.say(" ")
			p.expr(c.Args[1])
			p.say(" FROM ")
			p.expr(c.Args[2])
			return
		}
	case "JSON_OBJECT", "JSON_OBJECTAGG":
		p.pairs(c)
		p.jsonClauses(c.JSON)
		return
	}
	for i, a := range c.Args {
		_, unit := a.(*Symbol)
		switch {
		case i == 0:
		case i <= len(words):
			p.say(words[i-1])
		case unit && i == 1:
			p.say(" TO ")
		default:
			p.say(", ")
		}
		p.argument(a, words)
	}
	p.jsonClauses(c.JSON)
}

// argument writes a; between words only what binds tighter than they do.
func (p *printer) argument(a Expr, words []string) {
	if words != nil {
		p.operand(a, bindSum)
		return
	}
	p.expr(a)
}

// symbolFirst writes the first argument if it is a symbol and there are n.
func (p *printer) symbolFirst(c *Call, n int) bool {
	if len(c.Args) != n {
		return false
	}
	s, ok := c.Args[0].(*Symbol)
	p.when(ok, symbolName(s))
	return ok
}

func symbolName(s *Symbol) string {
	if s == nil {
		return ""
	}
	return s.Name
}

// pairs writes k VALUE v, ….
func (p *printer) pairs(c *Call) {
	for i := 0; i+1 < len(c.Args); i += 2 {
		p.when(i > 0, ", ")
		p.expr(c.Args[i])
		p.say(" VALUE ")
		p.expr(c.Args[i+1])
	}
}

func (p *printer) difference(c *Call) {
	p.say("(")
	p.binary(&Binary{Op: OpSub, L: c.Args[0], R: c.Args[1]})
	p.say(") ")
	p.expr(c.Args[2])
}

func (p *printer) jsonClauses(j *JSONClauses) {
	if j == nil {
		return
	}
	if j.Returning != nil {
		p.say(" RETURNING ")
		p.typeName(j.Returning)
	}
	if j.Wrapper != "" {
		p.say(" ", j.Wrapper, " ARRAY WRAPPER")
	}
	if j.OnNull != "" {
		p.say(" ", j.OnNull, " ON NULL")
	}
	p.jsonOn(j.OnEmpty, j.DefaultOnEmpty, " ON EMPTY")
	p.jsonOn(j.OnError, j.DefaultOnError, " ON ERROR")
}

func (p *printer) jsonOn(action string, value Expr, when string) {
	if action == "" {
		return
	}
	p.say(" ", action)
	if value != nil {
		p.say(" ")
		p.expr(value)
	}
	p.say(when)
}

func (p *printer) callSuffix(c *Call) {
	if len(c.WithinGroup) > 0 {
		p.say(" WITHIN GROUP (")
		p.orderBy(c.WithinGroup)
		p.say(")")
	}
	switch c.Nulls {
	case IgnoreNulls:
		p.say(" IGNORE NULLS")
	case RespectNulls:
		p.say(" RESPECT NULLS")
	}
	if c.Filter != nil {
		p.say(" FILTER (WHERE ")
		p.expr(c.Filter)
		p.say(")")
	}
	if c.Over != nil {
		p.say(" OVER ")
		p.windowSpec(c.Over)
	}
}

// windowSpec writes name, or (name PARTITION BY … ORDER BY … frame).
func (p *printer) windowSpec(w *WindowSpec) {
	if w.Bare {
		p.ident(*w.Ref)
		return
	}
	p.say("(")
	gap := ""
	if w.Ref != nil {
		p.ident(*w.Ref)
		gap = " "
	}
	if len(w.PartitionBy) > 0 {
		p.say(gap, "PARTITION BY ")
		p.exprs(w.PartitionBy)
		gap = " "
	}
	if len(w.OrderBy) > 0 {
		p.say(gap)
		p.orderBy(w.OrderBy)
		gap = " "
	}
	if w.Frame != nil {
		p.say(gap)
		p.frame(w.Frame)
	}
	p.say(")")
}

func (p *printer) frame(f *Frame) {
	if f.Rows {
		p.say("ROWS BETWEEN ")
	} else {
		p.say("RANGE BETWEEN ")
	}
	p.bound(f.Start)
	p.say(" AND ")
	p.bound(f.End)
}

func (p *printer) bound(b Bound) {
	switch b.Kind {
	case UnboundedPreceding:
		p.say("UNBOUNDED PRECEDING")
	case UnboundedFollowing:
		p.say("UNBOUNDED FOLLOWING")
	case CurrentRow:
		p.say("CURRENT ROW")
	case Preceding:
		p.expr(b.X)
		p.say(" PRECEDING")
	case Following:
		p.expr(b.X)
		p.say(" FOLLOWING")
	}
}
