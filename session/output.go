package session

import (
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Output takes what statements give. Calls come one at a time, but not
// always from one goroutine.
type Output interface {
	// Begin starts a result. changelog says that rows may be changes.
	Begin(columns []types.Field, changelog bool) error
	// Rows takes a borrowed batch of the result.
	Rows(b *vec.Batch) error
	// End ends the result: of so many rows, after so long.
	End(s Summary) error
	// Notice is a line for the person, not part of any result.
	Notice(text string)
}

// Summary closes a result.
type Summary struct {
	Rows      int64 // rows or changes received
	Elapsed   time.Duration
	Cancelled bool
	// Streamed is false for what the session itself answers (SHOW, DESCRIBE).
	Streamed bool
}

// texts makes a result of text columns; a nil entry is NULL.
func (s *Session) texts(columns []string, rows [][]*string) error {
	fields := make([]types.Field, len(columns))
	b := &vec.Batch{N: len(rows)}
	for i, name := range columns {
		fields[i] = types.Field{Name: name, Type: types.String()}
		v := vec.New(fields[i].Type)
		for _, r := range rows {
			if r[i] == nil {
				v.AppendNull()
				continue
			}
			v.AppendBytes([]byte(*r[i]))
			v.KeepNulls()
		}
		b.Cols = append(b.Cols, v)
	}
	if err := s.out.Begin(fields, false); err != nil {
		return err
	}
	if b.N > 0 {
		if err := s.out.Rows(b); err != nil {
			return err
		}
	}
	return s.out.End(Summary{Rows: int64(len(rows))})
}

// row is a row of texts for texts; "" stays "".
func row(values ...string) []*string {
	r := make([]*string, len(values))
	for i := range values {
		r[i] = &values[i]
	}
	return r
}
