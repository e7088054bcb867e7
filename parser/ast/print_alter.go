package ast

import "fmt"

func (p *printer) alter(s Statement) {
	switch s := s.(type) {
	case *AlterTable:
		p.say("ALTER TABLE ")
		p.when(s.IfExists, "IF EXISTS ")
		p.path(s.Name)
		p.alterAction(s.Action)
	case *AlterView:
		p.say("ALTER VIEW ")
		p.path(s.Name)
		if s.RenameTo != nil {
			p.say(" RENAME TO ")
			p.path(*s.RenameTo)
			return
		}
		p.say(" AS ")
		p.query(s.Query)
	case *AlterDatabase:
		p.say("ALTER DATABASE ")
		p.path(s.Name)
		p.say(" SET ")
		p.options(s.Options)
	default:
		panic(fmt.Sprintf("ast: cannot print %T", s))
	}
}

func (p *printer) alterAction(a AlterAction) {
	switch a := a.(type) {
	case *AlterRename:
		p.say(" RENAME TO ")
		p.path(a.To)
	case *AlterRenameColumn:
		p.say(" RENAME ")
		p.path(a.From)
		p.say(" TO ")
		p.ident(a.To)
	case *AlterSet:
		p.say(" SET ")
		p.options(a.Options)
	case *AlterReset:
		p.say(" RESET (")
		p.each(len(a.Keys), func(i int) { p.quote(a.Keys[i].Key) })
		p.say(")")
	case *AlterSchema:
		p.alterSchema(a)
	case *AlterDrop:
		p.alterDrop(a)
	default:
		panic(fmt.Sprintf("ast: cannot print %T", a))
	}
}

func (p *printer) alterSchema(a *AlterSchema) {
	if a.Modify {
		p.say(" MODIFY")
	} else {
		p.say(" ADD")
	}
	gap := " ("
	for i := range a.Columns {
		p.say(gap)
		p.columnChange(&a.Columns[i])
		gap = ", "
	}
	for _, w := range a.Watermarks {
		p.say(gap)
		p.watermark(w)
		gap = ", "
	}
	if a.PrimaryKey != nil {
		p.say(gap)
		p.primaryKey(a.PrimaryKey)
	}
	p.say(")")
}

func (p *printer) columnChange(c *ColumnChange) {
	p.columnDef(&c.ColumnDef)
	p.when(c.First, " FIRST")
	if c.After != nil {
		p.say(" AFTER ")
		p.ident(*c.After)
	}
}

func (p *printer) alterDrop(a *AlterDrop) {
	switch {
	case a.PrimaryKey:
		p.say(" DROP PRIMARY KEY")
	case a.Constraint != nil:
		p.say(" DROP CONSTRAINT ")
		p.ident(*a.Constraint)
	case a.Watermark:
		p.say(" DROP WATERMARK")
	default:
		p.say(" DROP (")
		p.each(len(a.Columns), func(i int) { p.path(a.Columns[i]) })
		p.say(")")
	}
}
