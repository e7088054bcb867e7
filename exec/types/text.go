package types

import (
	"fmt"
	"strings"
)

var kindNames = map[Kind]string{
	Null: "NULL", Boolean: "BOOLEAN", TinyInt: "TINYINT", SmallInt: "SMALLINT", Int: "INT", BigInt: "BIGINT",
	Float: "FLOAT", Double: "DOUBLE", Decimal: "DECIMAL", Char: "CHAR", Varchar: "VARCHAR", Binary: "BINARY",
	Varbinary: "VARBINARY", Date: "DATE", TimeOfDay: "TIME", Timestamp: "TIMESTAMP", TimestampLTZ: "TIMESTAMP_LTZ",
	IntervalYearMonth: "INTERVAL YEAR TO MONTH", IntervalDaySecond: "INTERVAL DAY TO SECOND",
	Array: "ARRAY", Map: "MAP", Multiset: "MULTISET", Row: "ROW",
}

func (k Kind) String() string {
	if s, ok := kindNames[k]; ok {
		return s
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// String is Flink's summary string, with NOT NULL and the time attribute:
// `TIMESTAMP(3) *ROWTIME*`, `ROW<a INT, b STRING NOT NULL>`.
func (t Type) String() string {
	s := t.Text()
	if t.NotNull {
		s += " NOT NULL"
	}
	switch t.Attr {
	case Rowtime:
		s += " *ROWTIME*"
	case Proctime:
		s += " *PROCTIME*"
	}
	return s
}

// Text is String without NOT NULL and time attribute of the outermost type.
func (t Type) Text() string {
	switch t.Kind {
	case Decimal:
		return fmt.Sprintf("DECIMAL(%d, %d)", t.Precision, t.Scale)
	case Char, Binary, TimeOfDay, Timestamp, TimestampLTZ:
		return fmt.Sprintf("%s(%d)", t.Kind, t.Precision)
	case Varchar:
		return lengthText("STRING", "VARCHAR", t.Precision)
	case Varbinary:
		return lengthText("BYTES", "VARBINARY", t.Precision)
	case IntervalYearMonth, IntervalDaySecond:
		return t.intervalText()
	case Array, Multiset:
		return fmt.Sprintf("%s<%s>", t.Kind, t.Elem)
	case Map:
		return fmt.Sprintf("MAP<%s, %s>", t.Key, t.Elem)
	case Row:
		return t.rowText()
	default:
		return t.Kind.String()
	}
}

func lengthText(unbounded, bounded string, n int) string {
	if n == MaxLength {
		return unbounded
	}
	return fmt.Sprintf("%s(%d)", bounded, n)
}

func (t Type) rowText() string {
	parts := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		parts[i] = fmt.Sprintf("%s %s", quoteName(f.Name), f.Type)
		if f.Doc != "" {
			parts[i] += " '" + strings.ReplaceAll(f.Doc, "'", "''") + "'"
		}
	}
	return "ROW<" + strings.Join(parts, ", ") + ">"
}

func quoteName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

var unitNames = map[IntervalUnit]string{
	UnitYear: "YEAR(%p)", UnitYearToMonth: "YEAR(%p) TO MONTH", UnitMonth: "MONTH",
	UnitDay: "DAY(%p)", UnitDayToHour: "DAY(%p) TO HOUR", UnitDayToMinute: "DAY(%p) TO MINUTE",
	UnitDayToSecond: "DAY(%p) TO SECOND(%s)", UnitHour: "HOUR", UnitHourToMinute: "HOUR TO MINUTE",
	UnitHourToSecond: "HOUR TO SECOND(%s)", UnitMinute: "MINUTE", UnitMinuteToSecond: "MINUTE TO SECOND(%s)",
	UnitSecond: "SECOND(%s)",
}

func (t Type) intervalText() string {
	name, ok := unitNames[t.Unit]
	if !ok {
		return t.Kind.String()
	}
	name = strings.ReplaceAll(name, "%p", fmt.Sprint(t.Precision))
	return "INTERVAL " + strings.ReplaceAll(name, "%s", fmt.Sprint(t.Scale))
}
