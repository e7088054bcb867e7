package ast

import "strings"

// Call is a function call. The special spellings of SQL are calls with these arguments:
//
//	EXTRACT(unit FROM x)                [Symbol unit, x]
//	FLOOR|CEIL(x TO unit)               [x, Symbol unit]
//	TIMESTAMPADD|TIMESTAMPDIFF(unit,…)  [Symbol unit, …]
//	POSITION(a IN b [FROM n])           [a, b, n]
//	OVERLAY(x PLACING y FROM n FOR m)   [x, y, n, m]
//	SUBSTRING(x FROM n FOR m)           [x, n, m]
//	TRIM(BOTH c FROM x)                 [Symbol BOTH|LEADING|TRAILING, c, x]; TRIM(x) is [x]
//	JSON_OBJECT('k' VALUE v, …)         ['k', v, …]
//	CURRENT_TIMESTAMP and its like      [], with NoParens
//	(a - b) unit                        MINUS_INTERVAL [a, b, Symbol unit]
type Call struct {
	Pos
	Name     Path
	Args     []Expr
	Star     bool // COUNT(*)
	Distinct bool
	NoParens bool
	// OrderBy stands inside the parentheses, WithinGroup behind them.
	OrderBy, WithinGroup []OrderItem
	Nulls                NullTreatment
	Filter               Expr
	Over                 *WindowSpec
	JSON                 *JSONClauses
}

// FuncName is the last part of the name in upper case: functions are found without regard to case.
func (c *Call) FuncName() string { return strings.ToUpper(c.Name.Last()) }

// NullTreatment is IGNORE NULLS or RESPECT NULLS.
type NullTreatment int

// The null treatments.
const (
	NullsUnset NullTreatment = iota
	IgnoreNulls
	RespectNulls
)

// JSONClauses are the words inside JSON functions.
type JSONClauses struct {
	// OnNull is "", "NULL" or "ABSENT": NULL ON NULL, ABSENT ON NULL.
	OnNull string
	// OnEmpty and OnError are "", "NULL", "ERROR", "TRUE", "FALSE", "UNKNOWN", "EMPTY ARRAY", "EMPTY OBJECT" or "DEFAULT".
	OnEmpty, OnError               string
	DefaultOnEmpty, DefaultOnError Expr // with "DEFAULT"
	Returning                      *TypeName
	// Wrapper is "", "WITHOUT", "WITH CONDITIONAL" or "WITH UNCONDITIONAL"; plain WITH is UNCONDITIONAL.
	Wrapper string
}

// NamedArg is name => value.
type NamedArg struct {
	Pos
	Name  Ident
	Value Expr
}

// WindowSpec is what follows OVER, or a definition of WINDOW.
type WindowSpec struct {
	Pos
	// Ref is the named window: OVER w has only this, OVER (w …) more.
	Ref         *Ident
	Bare        bool // OVER w, without parentheses
	PartitionBy []Expr
	OrderBy     []OrderItem
	Frame       *Frame
}

// Frame is ROWS|RANGE BETWEEN Start AND End. A frame without BETWEEN ends at CURRENT ROW.
type Frame struct {
	Pos
	Rows       bool // else RANGE
	Start, End Bound
}

// BoundKind is the kind of one end of a frame.
type BoundKind int

// The kinds of bounds.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// Bound is one end of a frame; X is set for Preceding and Following.
type Bound struct {
	Pos
	Kind BoundKind
	X    Expr
}

func (*Call) expr()     {}
func (*NamedArg) expr() {}
