package session

import (
	"context"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// createAs runs CREATE TABLE … AS: it makes the table, then starts the job
// that fills it. A table that IF NOT EXISTS finds is left as it is.
func (s *Session) createAs(ctx context.Context, st *ast.CreateTable) error {
	ins, err := s.tableOfQuery(st)
	if err != nil || ins == nil {
		return err
	}
	return s.insert(ctx, ins)
}

// tableOfQuery makes the table and returns the INSERT; nil if there is
// nothing to fill.
func (s *Session) tableOfQuery(st *ast.CreateTable) (*ast.Insert, error) {
	if st.IfNotExists && s.cat.Table(s.cat.Resolve(st.Name.Names())) != nil {
		return nil, nil
	}
	if _, err := s.ddl(st); err != nil {
		return nil, err
	}
	b, _, err := s.binder()
	if err != nil {
		return nil, err
	}
	return b.InsertOf(st)
}
