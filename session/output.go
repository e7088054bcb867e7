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
	// Failed: an error follows.
	Failed bool
	// Streamed is false for what the session itself answers (SHOW, DESCRIBE).
	Streamed bool
}

// answer makes a result of the session's own.
func (s *Session) answer(columns []types.Field, rows [][]vec.Value) error {
	b := &vec.Batch{N: len(rows)}
	for i, c := range columns {
		v := vec.New(c.Type)
		for _, r := range rows {
			v.AppendValue(r[i])
		}
		b.Cols = append(b.Cols, v)
	}
	if err := s.out.Begin(columns, false); err != nil {
		return err
	}
	if b.N > 0 {
		if err := s.out.Rows(b); err != nil {
			return err
		}
	}
	return s.out.End(Summary{Rows: int64(len(rows))})
}

// texts is answer for columns of text.
func (s *Session) texts(columns []string, rows [][]vec.Value) error {
	fields := make([]types.Field, len(columns))
	for i, name := range columns {
		fields[i] = types.Field{Name: name, Type: types.String()}
	}
	return s.answer(fields, rows)
}

// row is a row of texts.
func row(values ...string) []vec.Value {
	r := make([]vec.Value, len(values))
	for i, v := range values {
		r[i] = vec.Value{Kind: vec.Bytes, S: v}
	}
	return r
}

// orNull is a text, or NULL if it is empty.
func orNull(s string) vec.Value {
	if s == "" {
		return vec.NullValue(vec.Bytes)
	}
	return vec.Value{Kind: vec.Bytes, S: s}
}

func boolean(b bool) vec.Value {
	v := vec.Value{Kind: vec.Bool}
	if b {
		v.I = 1
	}
	return v
}
