package ast

import "fmt"

func (p *printer) ddl(s Statement) {
	switch s := s.(type) {
	case *CreateTable:
		p.createTable(s)
	case *CreateView:
		p.createView(s)
	case *CreateFunction:
		p.createFunction(s)
	case *CreateDatabase:
		p.say("CREATE DATABASE ")
		p.when(s.IfNotExists, "IF NOT EXISTS ")
		p.path(s.Name)
		p.comment(s.Comment)
		p.withOptions(s.Options)
	case *CreateCatalog:
		p.say("CREATE CATALOG ")
		p.when(s.IfNotExists, "IF NOT EXISTS ")
		p.ident(s.Name)
		p.comment(s.Comment)
		p.withOptions(s.Options)
	case *Drop:
		p.drop(s)
	default:
		panic(fmt.Sprintf("ast: cannot print %T", s))
	}
}

// withOptions writes the WITH clause of DDL, if there are options.
func (p *printer) withOptions(opts []Option) {
	if len(opts) > 0 {
		p.say(" WITH ")
		p.options(opts)
	}
}

// create writes the words up to the object's name.
func (p *printer) create(orReplace, temporary bool, kind string, ifNotExists bool, name Path) {
	p.say("CREATE ")
	p.when(orReplace, "OR REPLACE ")
	p.when(temporary, "TEMPORARY ")
	p.say(kind, " ")
	p.when(ifNotExists, "IF NOT EXISTS ")
	p.path(name)
}

func (p *printer) createTable(s *CreateTable) {
	p.create(s.OrReplace, s.Temporary, "TABLE", s.IfNotExists, s.Name)
	p.schema(s)
	p.comment(s.Comment)
	if len(s.PartitionedBy) > 0 {
		p.say(" PARTITIONED BY ")
		p.idents(s.PartitionedBy)
	}
	p.withOptions(s.Options)
	if s.Like != nil {
		p.likeTable(s.Like)
	}
	if s.AsQuery != nil {
		p.say(" AS ")
		p.query(s.AsQuery)
	}
}

// schema writes (columns, watermarks, key), or nothing if there are none.
func (p *printer) schema(s *CreateTable) {
	if len(s.Columns)+len(s.Watermarks) == 0 && s.PrimaryKey == nil {
		return
	}
	gap := " ("
	for i := range s.Columns {
		p.say(gap)
		p.columnDef(&s.Columns[i])
		gap = ", "
	}
	for _, w := range s.Watermarks {
		p.say(gap)
		p.watermark(w)
		gap = ", "
	}
	if s.PrimaryKey != nil {
		p.say(gap)
		p.primaryKey(s.PrimaryKey)
	}
	p.say(")")
}

func (p *printer) columnDef(c *ColumnDef) {
	p.ident(c.Name)
	p.say(" ")
	if c.Kind == Computed {
		p.say("AS ")
		p.expr(c.Expr)
	} else {
		p.typeName(c.Type)
	}
	if c.Kind == Metadata {
		p.say(" METADATA")
		if c.MetadataKey != "" {
			p.say(" FROM ")
			p.quote(c.MetadataKey)
		}
		p.when(c.Virtual, " VIRTUAL")
	}
	p.comment(c.Comment)
}

func (p *printer) watermark(w Watermark) {
	p.say("WATERMARK FOR ")
	p.path(w.Column)
	p.say(" AS ")
	p.expr(w.Expr)
}

func (p *printer) primaryKey(k *PrimaryKey) {
	if k.Constraint != nil {
		p.say("CONSTRAINT ")
		p.ident(*k.Constraint)
		p.say(" ")
	}
	p.say("PRIMARY KEY ")
	p.idents(k.Columns)
	p.when(!k.Enforced, " NOT ENFORCED")
}

// likeTable writes LIKE source (options).
func (p *printer) likeTable(l *Like) {
	p.say(" LIKE ")
	p.path(l.Source)
	if len(l.Options) == 0 {
		return
	}
	p.say(" (")
	for i, o := range l.Options {
		p.when(i > 0, " ")
		p.say(o.Action, " ", o.Feature)
	}
	p.say(")")
}

func (p *printer) createView(s *CreateView) {
	p.create(s.OrReplace, s.Temporary, "VIEW", s.IfNotExists, s.Name)
	p.when(len(s.Columns) > 0, " ")
	p.idents(s.Columns)
	p.comment(s.Comment)
	p.say(" AS ")
	p.query(s.Query)
}

func (p *printer) createFunction(s *CreateFunction) {
	kind := "FUNCTION"
	if s.System {
		kind = "SYSTEM FUNCTION"
	}
	p.create(false, s.Temporary, kind, s.IfNotExists, s.Name)
	if s.Class != "" {
		p.say(" AS ")
		p.quote(s.Class)
		p.language(s)
		return
	}
	p.say("(")
	p.each(len(s.Params), func(i int) {
		p.ident(s.Params[i].Name)
		p.say(" ")
		p.typeName(s.Params[i].Type)
	})
	p.say(")")
	if s.Returns != nil {
		p.say(" RETURNS ")
		p.typeName(s.Returns)
	}
	p.language(s)
	p.say(" RETURN ")
	p.expr(s.Body)
}

func (p *printer) language(s *CreateFunction) {
	if s.Language != "" {
		p.say(" LANGUAGE ", s.Language)
	}
}

func (p *printer) drop(s *Drop) {
	p.say("DROP ")
	p.when(s.Temporary, "TEMPORARY ")
	p.when(s.System, "SYSTEM ")
	p.say(s.Kind, " ")
	p.when(s.IfExists, "IF EXISTS ")
	p.path(s.Name)
	p.when(s.Cascade, " CASCADE")
}
