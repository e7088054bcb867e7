// Package perr holds the errors of the planner: refusals with a place in the
// text, a kind and a remedy.
package perr

import (
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// Kind tells a mistake of the user from a thing that the engine lacks.
type Kind uint8

const (
	User        Kind = iota // the statement has to change
	Unsupported             // Flink would take it; the message ends in "is not supported yet"
)

// Error is a refusal of a statement.
type Error struct {
	Pos  ast.Pos // zero: no place in the text is to blame
	Kind Kind
	Msg  string // lower case, no full stop
	Hint string // what to change; may be empty
	// Option is what the error is about, if Pos is only where its table is used.
	Option Option
}

// Option is one of the WITH clause of a table.
type Option struct {
	Table string // catalog.Path in full
	Key   string // "": none
}

// Error gives "line 3:14: message; hint".
func (e *Error) Error() string {
	s := e.Msg
	if e.Pos.IsValid() {
		s = e.Pos.String() + ": " + s
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// New is a user's mistake at pos.
func New(pos ast.Pos, format string, args ...any) *Error {
	return &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

// WithHint returns e with a remedy.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// NotYet says that what is not supported yet; what is a noun phrase.
func NotYet(pos ast.Pos, format string, args ...any) *Error {
	return &Error{Pos: pos, Kind: Unsupported, Msg: fmt.Sprintf(format, args...) + " is not supported yet"}
}

// At gives a message without a place (of a function, a type, an option) the
// place pos. An *Error keeps its own.
func At(pos ast.Pos, err error) error {
	var e *Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	return &Error{Pos: pos, Msg: err.Error()}
}
