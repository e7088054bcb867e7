package ast

// NumberKind is the shape of a number literal, which decides its type.
type NumberKind int

// 12 is an IntegerNumber, 1.50 a DecimalNumber, 1e3 an ApproxNumber.
const (
	IntegerNumber NumberKind = iota
	DecimalNumber
	ApproxNumber
)

// NumberLit is a number as written, without a sign.
type NumberLit struct {
	Pos
	Text string
	Kind NumberKind
}

// StringLit is a character string; Value has its quotes and escapes resolved.
type StringLit struct {
	Pos
	Value string
}

// BinaryLit is X'AB'; Hex has an even number of hexadecimal digits.
type BinaryLit struct {
	Pos
	Hex string
}

// BoolLit is TRUE or FALSE. UNKNOWN is a NullLit.
type BoolLit struct {
	Pos
	Value bool
}

// NullLit is NULL.
type NullLit struct{ Pos }

// DateTimeLit is DATE '…', TIME '…' or TIMESTAMP '…'; Text is not checked yet.
type DateTimeLit struct {
	Pos
	Kind string // DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ
	Text string
}

// IntervalLit is INTERVAL [-]'text' From[(Precision[, Fraction])] [TO To[(Fraction)]]; Text is not checked yet.
type IntervalLit struct {
	Pos
	Negative bool
	Text     string
	From, To string // units in upper case; To is "" without a range
	// Precision and Fraction are -1 if not given.
	Precision, Fraction int
}

// Symbol is a bare word that is an argument: the unit of EXTRACT, FLOOR, TIMESTAMPADD; BOTH of TRIM.
type Symbol struct {
	Pos
	Name string // in upper case
}

func (*NumberLit) expr()   {}
func (*StringLit) expr()   {}
func (*BinaryLit) expr()   {}
func (*BoolLit) expr()     {}
func (*NullLit) expr()     {}
func (*DateTimeLit) expr() {}
func (*IntervalLit) expr() {}
func (*Symbol) expr()      {}
