package ast

import (
	"fmt"
	"strconv"
	"strings"
)

// Print gives n as SQL on one line. What it prints parses to the same tree, but for positions.
// n is a Statement, Query, TableExpr, Expr, *TypeName, Ident, Path or a part of a table's schema.
func Print(n Node) string {
	var p printer
	p.node(n)
	return p.String()
}

// printer collects the text of a tree.
type printer struct{ strings.Builder }

func (p *printer) node(n Node) {
	switch n := n.(type) {
	case Statement:
		p.statement(n)
	case Query:
		p.query(n)
	case Expr:
		p.expr(n)
	case TableExpr:
		p.tableExpr(n)
	case *TypeName:
		p.typeName(n)
	case Ident:
		p.ident(n)
	case Path:
		p.path(n)
	default:
		p.part(n)
	}
}

// part prints pieces of queries and tables.
func (p *printer) part(n Node) {
	switch n := n.(type) {
	case *ColumnDef:
		p.columnDef(n)
	case ColumnDef:
		p.columnDef(&n)
	case Watermark:
		p.watermark(n)
	case *PrimaryKey:
		p.primaryKey(n)
	case SelectItem:
		p.selectItem(n)
	case OrderItem:
		p.orderItem(n)
	case *WindowSpec:
		p.windowSpec(n)
	default:
		panic(fmt.Sprintf("ast: cannot print %T", n))
	}
}

// say writes the parts one after the other.
func (p *printer) say(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

// when writes s if cond holds.
func (p *printer) when(cond bool, s string) {
	if cond {
		p.WriteString(s)
	}
}

// each calls item for 0 … n-1 with ", " between.
func (p *printer) each(n int, item func(i int)) {
	for i := range n {
		p.when(i > 0, ", ")
		item(i)
	}
}

// ident quotes a name where it must be quoted, or was.
func (p *printer) ident(id Ident) {
	if !id.Quoted && plainName(id.Name) {
		p.WriteString(id.Name)
		return
	}
	p.say("`", strings.ReplaceAll(id.Name, "`", "``"), "`")
}

// plainName tells whether s is a name without quotes.
func plainName(s string) bool {
	if s == "" || reserved[strings.ToUpper(s)] || notBareAlias[strings.ToUpper(s)] {
		return false
	}
	for i, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_':
		case i > 0 && r >= '0' && r <= '9':
		default:
			return false
		}
	}
	return true
}

func (p *printer) path(path Path) { p.parts(path.Parts) }

func (p *printer) parts(parts []Ident) {
	for i, id := range parts {
		p.when(i > 0, ".")
		p.ident(id)
	}
}

// idents writes (a, b), or nothing.
func (p *printer) idents(ids []Ident) {
	if len(ids) == 0 {
		return
	}
	p.say("(")
	p.each(len(ids), func(i int) { p.ident(ids[i]) })
	p.say(")")
}

// quote writes a string.
func (p *printer) quote(s string) { p.say("'", strings.ReplaceAll(s, "'", "''"), "'") }

func (p *printer) comment(s *string) {
	if s != nil {
		p.say(" COMMENT ")
		p.quote(*s)
	}
}

// options writes ('k' = 'v', …).
func (p *printer) options(opts []Option) {
	p.say("(")
	p.each(len(opts), func(i int) {
		p.quote(opts[i].Key)
		p.say(" = ")
		p.quote(opts[i].Value)
	})
	p.say(")")
}

func (p *printer) hints(hints []Hint) {
	if len(hints) == 0 {
		return
	}
	p.say("/*+ ")
	p.each(len(hints), func(i int) { p.hint(hints[i]) })
	p.say(" */")
}

func (p *printer) hint(h Hint) {
	p.say(h.Name)
	if h.Args == nil {
		return
	}
	p.say("(")
	p.each(len(h.Args), func(i int) {
		a := h.Args[i]
		if a.Key != "" {
			p.hintValue(a.Key, a.Quoted)
			p.say(" = ")
		}
		p.hintValue(a.Value, a.Quoted)
	})
	p.say(")")
}

// hintValue writes a bare value only where it reads back as one.
func (p *printer) hintValue(s string, quoted bool) {
	if quoted {
		p.quote(s)
		return
	}
	for i, part := range strings.Split(s, ".") {
		p.when(i > 0, ".")
		if _, err := strconv.Atoi(part); err == nil || plainName(part) {
			p.say(part)
		} else {
			p.say("`", strings.ReplaceAll(part, "`", "``"), "`")
		}
	}
}

func (p *printer) typeName(t *TypeName) {
	switch t.Name {
	case "ARRAY", "MULTISET":
		p.say(t.Name, "<")
		p.typeName(t.Elem)
		p.say(">")
	case "MAP":
		p.say("MAP<")
		p.typeName(t.Key)
		p.say(", ")
		p.typeName(t.Elem)
		p.say(">")
	case "ROW":
		p.say("ROW<")
		p.each(len(t.Fields), func(i int) { p.typeField(&t.Fields[i]) })
		p.say(">")
	case "INTERVAL":
		p.intervalType(t)
	default:
		p.say(t.Name)
		p.precision(t)
	}
	p.when(t.NotNull, " NOT NULL")
}

func (p *printer) typeField(f *TypeField) {
	p.ident(f.Name)
	p.say(" ")
	p.typeName(f.Type)
	if f.Comment != nil {
		p.say(" ")
		p.quote(*f.Comment)
	}
}

func (p *printer) precision(t *TypeName) {
	switch {
	case t.Precision < 0:
	case t.Scale < 0:
		p.say("(", strconv.Itoa(t.Precision), ")")
	default:
		p.say("(", strconv.Itoa(t.Precision), ", ", strconv.Itoa(t.Scale), ")")
	}
}

func (p *printer) intervalType(t *TypeName) {
	p.say("INTERVAL ", t.From)
	if t.Precision >= 0 {
		p.say("(", strconv.Itoa(t.Precision), ")")
	}
	if t.To != "" {
		p.say(" TO ", t.To)
	}
	if t.Scale >= 0 {
		p.say("(", strconv.Itoa(t.Scale), ")")
	}
}
