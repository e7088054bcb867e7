// Package parser turns the text of a job file into ast.Statements. It works in
// four steps, each in its own files: lexer, splitter, statements (our own
// recursive descent) and queries, whose tokens are normalised and given to the
// TiDB parser, which decides precedence, joins, set operations and window
// specifications. Nothing of TiDB is visible outside this package.
package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// Parse parses all statements of text. The error is an *Error about the first
// statement that is wrong.
func Parse(text string) ([]ast.Statement, error) { panic("not there yet") }

// ParseQuery parses one query, without a semicolon.
func ParseQuery(text string) (ast.Query, error) { panic("not there yet") }

// ParseExpr parses one expression.
func ParseExpr(text string) (ast.Expr, error) { panic("not there yet") }

// ParseType parses one type name.
func ParseType(text string) (*ast.TypeName, error) { panic("not there yet") }

// Fragment is one statement's text in a longer one.
type Fragment struct {
	ast.Pos
	// Text is the statement as written, without its semicolon.
	Text string
	// Terminated: its semicolon was there.
	Terminated bool
}

// Split cuts text into its statements, without parsing them.
func Split(text string) ([]Fragment, error) { panic("not there yet") }

// Complete tells whether text ends with a finished statement, so that a shell need not read on.
func Complete(text string) bool { panic("not there yet") }
