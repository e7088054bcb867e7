package ast

import (
	"fmt"
	"strconv"
	"strings"
)

func (p *printer) statement(s Statement) {
	switch s := s.(type) {
	case *QueryStmt:
		p.query(s.Query)
	case *Insert:
		p.insert(s)
	case *StatementSet:
		p.say("EXECUTE ")
		p.statementSet(s)
	case *Explain:
		p.explain(s)
	case *CreateTable, *CreateView, *CreateFunction, *CreateDatabase, *CreateCatalog, *Drop:
		p.ddl(s)
	case *AlterTable, *AlterView, *AlterDatabase:
		p.alter(s)
	default:
		p.session(s)
	}
}

func (p *printer) insert(s *Insert) {
	p.say("INSERT ")
	if s.Overwrite {
		p.say("OVERWRITE ")
	} else {
		p.say("INTO ")
	}
	p.tableRef(&s.Target)
	if len(s.Partition) > 0 {
		p.say(" PARTITION (")
		p.each(len(s.Partition), func(i int) {
			p.ident(s.Partition[i].Name)
			p.clause(" = ", s.Partition[i].Value)
		})
		p.say(")")
	}
	p.when(len(s.Columns) > 0, " ")
	p.idents(s.Columns)
	p.say(" ")
	p.query(s.Query)
	if s.OnConflict != "" {
		p.say(" ON CONFLICT DO ", s.OnConflict)
	}
}

func (p *printer) statementSet(s *StatementSet) {
	p.say("STATEMENT SET BEGIN ")
	for _, in := range s.Inserts {
		p.insert(in)
		p.say("; ")
	}
	p.say("END")
}

func (p *printer) explain(s *Explain) {
	p.say("EXPLAIN ")
	if len(s.Details) > 0 {
		p.say(strings.Join(s.Details, ", "), " ")
	}
	if set, ok := s.Stmt.(*StatementSet); ok {
		p.statementSet(set)
		return
	}
	p.statement(s.Stmt)
}

func (p *printer) session(s Statement) {
	switch s := s.(type) {
	case *ExplainJob:
		p.say("EXPLAIN ")
		p.when(s.Analyze, "ANALYZE ")
		p.say("JOB ")
		p.quote(s.ID)
	case *Set:
		p.set(s)
	case *Reset:
		p.say("RESET")
		if s.Key != "" {
			p.say(" ")
			p.quote(s.Key)
		}
	case *Use:
		p.say("USE ")
		p.when(s.Catalog, "CATALOG ")
		p.path(s.Name)
	case *Show:
		p.show(s)
	case *Describe:
		p.say("DESCRIBE ")
		p.when(s.Extended, "EXTENDED ")
		p.path(s.Name)
	case *Help:
		p.say(strings.TrimSpace("HELP " + s.Topic))
	case *Clear:
		p.say("CLEAR")
	case *Quit:
		p.say("QUIT")
	default:
		p.job(s)
	}
}

func (p *printer) set(s *Set) {
	p.say("SET")
	if s.Key == "" && !s.Keyed {
		return
	}
	p.say(" ")
	p.quote(s.Key)
	if s.Keyed {
		p.say(" = ")
		p.quote(s.Value)
	}
}

func (p *printer) show(s *Show) {
	p.say("SHOW ", string(s.Kind))
	if s.Name != nil {
		if s.Kind == ShowCreateTable || s.Kind == ShowCreateView {
			p.say(" ")
		} else {
			p.say(" FROM ")
		}
		p.path(*s.Name)
	}
	if s.Like == nil {
		return
	}
	p.when(s.Not, " NOT")
	if s.ILike {
		p.say(" ILIKE ")
	} else {
		p.say(" LIKE ")
	}
	p.quote(*s.Like)
}

func (p *printer) job(s Statement) {
	switch s := s.(type) {
	case *DescribeJob:
		p.say("DESCRIBE JOB ")
		p.quote(s.ID)
	case *StopJob:
		p.say("STOP JOB ")
		p.quote(s.ID)
		p.when(s.Savepoint, " WITH SAVEPOINT")
		p.when(s.Drain, " WITH DRAIN")
	case *PrintTopic:
		p.say("PRINT ")
		p.quote(s.Topic)
		p.when(s.FromBeginning, " FROM BEGINNING")
		if s.Limit != nil {
			p.say(" LIMIT ", strconv.FormatInt(*s.Limit, 10))
		}
	default:
		panic(fmt.Sprintf("ast: cannot print %T", s))
	}
}
