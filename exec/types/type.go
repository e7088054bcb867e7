// Package types holds the SQL types of the engine: Apache Flink's, with its
// nullability, precision and summary strings. It says nothing about how
// values are stored; package vec does.
package types

// Kind is the root of a type.
type Kind uint8

const (
	Invalid Kind = iota
	Null         // the type of an untyped NULL literal
	Boolean
	TinyInt
	SmallInt
	Int
	BigInt
	Float
	Double
	Decimal // Precision 1–38, Scale 0–Precision
	Char    // Precision = length in characters
	Varchar // Precision = greatest length; MaxLength is STRING
	Binary  // Precision = length in bytes
	Varbinary
	Date
	TimeOfDay         // TIME(p); Precision = fraction digits 0–9
	Timestamp         // TIMESTAMP(p) without time zone
	TimestampLTZ      // TIMESTAMP(p) WITH LOCAL TIME ZONE: an instant
	IntervalYearMonth // months
	IntervalDaySecond // milliseconds
	Array             // Elem
	Map               // Key, Elem
	Multiset          // Elem
	Row               // Fields
)

// MaxLength is the precision of STRING and BYTES.
const MaxLength = 2147483647

// TimeAttr tells whether a column is a time attribute. It is part of the
// planner's row type and never changes how values are stored.
type TimeAttr uint8

const (
	NoTime TimeAttr = iota
	Rowtime
	Proctime
)

// Type is a value type; the zero value is Invalid. Elem, Key and Fields are
// shared and never written after construction.
type Type struct {
	Kind      Kind
	NotNull   bool
	Precision int // see Kind; for intervals the leading field's precision
	Scale     int // DECIMAL's fraction digits; for intervals the fraction's precision
	Unit      IntervalUnit
	Attr      TimeAttr
	Elem      *Type
	Key       *Type
	Fields    []Field
}

// Field is a named part of a ROW, or a column of a row type.
type Field struct {
	Name string
	Type Type
	Doc  string
}

// IntervalUnit is the range an interval type was written with; it matters
// only to the type's text.
type IntervalUnit uint8

const (
	UnitNone IntervalUnit = iota
	UnitYear
	UnitYearToMonth
	UnitMonth
	UnitDay
	UnitDayToHour
	UnitDayToMinute
	UnitDayToSecond
	UnitHour
	UnitHourToMinute
	UnitHourToSecond
	UnitMinute
	UnitMinuteToSecond
	UnitSecond
)

// Of returns the nullable type of a kind that needs no parameters.
func Of(k Kind) Type { return Type{Kind: k} }

// String is STRING, VARCHAR of the greatest length.
func String() Type { return Type{Kind: Varchar, Precision: MaxLength} }

// Bytes is BYTES, VARBINARY of the greatest length.
func Bytes() Type { return Type{Kind: Varbinary, Precision: MaxLength} }

// DecimalOf is DECIMAL(p, s).
func DecimalOf(p, s int) Type { return Type{Kind: Decimal, Precision: p, Scale: s} }

// TimestampOf is TIMESTAMP(p).
func TimestampOf(p int) Type { return Type{Kind: Timestamp, Precision: p} }

// LTZOf is TIMESTAMP_LTZ(p).
func LTZOf(p int) Type { return Type{Kind: TimestampLTZ, Precision: p} }

// CharOf is CHAR(n).
func CharOf(n int) Type { return Type{Kind: Char, Precision: n} }

// ArrayOf is ARRAY<elem>.
func ArrayOf(elem Type) Type { return Type{Kind: Array, Elem: &elem} }

// MapOf is MAP<key, value>.
func MapOf(key, value Type) Type { return Type{Kind: Map, Key: &key, Elem: &value} }

// MultisetOf is MULTISET<elem>.
func MultisetOf(elem Type) Type { return Type{Kind: Multiset, Elem: &elem} }

// RowOf is ROW<fields>.
func RowOf(fields ...Field) Type { return Type{Kind: Row, Fields: fields} }

// Nullable returns t with the given nullability.
func (t Type) Nullable(yes bool) Type { t.NotNull = !yes; return t }

// WithAttr returns t as the given kind of time attribute.
func (t Type) WithAttr(a TimeAttr) Type { t.Attr = a; return t }

// Equal compares everything but nullability and time attribute of the
// outermost type; inside, nullability counts.
func (t Type) Equal(u Type) bool {
	t.NotNull, u.NotNull = false, false
	return t.identical(u)
}

// Identical is Equal, with nullability; time attributes are ignored.
func (t Type) Identical(u Type) bool { return t.identical(u) }

func (t Type) identical(u Type) bool {
	if t.Kind != u.Kind || t.NotNull != u.NotNull || t.Precision != u.Precision || t.Scale != u.Scale {
		return false
	}
	if len(t.Fields) != len(u.Fields) || !samePart(t.Elem, u.Elem) || !samePart(t.Key, u.Key) {
		return false
	}
	for i := range t.Fields {
		if t.Fields[i].Name != u.Fields[i].Name || !t.Fields[i].Type.identical(u.Fields[i].Type) {
			return false
		}
	}
	return true
}

func samePart(a, b *Type) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.identical(*b)
}

// Families of kinds, as the coercion rules need them.

func (t Type) IsInteger() bool { return t.Kind >= TinyInt && t.Kind <= BigInt }
func (t Type) IsApprox() bool  { return t.Kind == Float || t.Kind == Double }
func (t Type) IsExact() bool   { return t.IsInteger() || t.Kind == Decimal }
func (t Type) IsNumeric() bool { return t.Kind >= TinyInt && t.Kind <= Decimal }
func (t Type) IsString() bool  { return t.Kind == Char || t.Kind == Varchar }
func (t Type) IsBinary() bool  { return t.Kind == Binary || t.Kind == Varbinary }
func (t Type) IsTimestamp() bool {
	return t.Kind == Timestamp || t.Kind == TimestampLTZ
}
func (t Type) IsTemporal() bool { return t.Kind >= Date && t.Kind <= TimestampLTZ }
func (t Type) IsInterval() bool {
	return t.Kind == IntervalYearMonth || t.Kind == IntervalDaySecond
}
