package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// plainTypes take no parameters.
var plainTypes = map[string]types.Type{
	"STRING": types.String(), "BYTES": types.Bytes(), "BOOLEAN": types.Of(types.Boolean),
	"TINYINT": types.Of(types.TinyInt), "SMALLINT": types.Of(types.SmallInt), "INT": types.Of(types.Int),
	"BIGINT": types.Of(types.BigInt), "FLOAT": types.Of(types.Float), "DOUBLE": types.Of(types.Double),
	"DATE": types.Of(types.Date), "NULL": types.Of(types.Null),
}

// sized are the types with one parameter: default, least and greatest.
var sized = map[string]struct {
	kind          types.Kind
	def, min, max int
}{
	"CHAR": {types.Char, 1, 1, types.MaxLength}, "VARCHAR": {types.Varchar, types.MaxLength, 1, types.MaxLength},
	"BINARY": {types.Binary, 1, 1, types.MaxLength}, "VARBINARY": {types.Varbinary, types.MaxLength, 1, types.MaxLength},
	"TIME": {types.TimeOfDay, 0, 0, 9}, "TIMESTAMP": {types.Timestamp, 6, 0, 9}, "TIMESTAMP_LTZ": {types.TimestampLTZ, 6, 0, 9},
}

// typeOf is the type that t names; nullable unless NOT NULL was written.
func typeOf(t *ast.TypeName) types.Type {
	r := typeRoot(t)
	return r.Nullable(!t.NotNull)
}

func typeRoot(t *ast.TypeName) types.Type {
	if p, ok := plainTypes[t.Name]; ok {
		return p
	}
	if s, ok := sized[t.Name]; ok {
		return types.Type{Kind: s.kind, Precision: parameter(t, t.Precision, s.def, s.min, s.max)}
	}
	switch t.Name {
	case "DECIMAL":
		p := parameter(t, t.Precision, 10, 1, 38)
		return types.DecimalOf(p, parameter(t, t.Scale, 0, 0, p))
	case "ARRAY":
		return types.ArrayOf(typeOf(t.Elem))
	case "MULTISET":
		return types.MultisetOf(typeOf(t.Elem))
	case "MAP":
		return types.MapOf(typeOf(t.Key), typeOf(t.Elem))
	case "ROW":
		return rowType(t)
	case "INTERVAL":
		return intervalTypeName(t)
	}
	fail(unknownType(t))
	return types.Type{}
}

func parameter(t *ast.TypeName, n, def, least, most int) int {
	if n < 0 {
		return def
	}
	if n < least || n > most {
		failf(t.Pos, "%s(%d) is out of range: expected %d to %d", t.Name, n, least, most)
	}
	return n
}

func rowType(t *ast.TypeName) types.Type {
	var fields []types.Field
	seen := map[string]bool{}
	for _, f := range t.Fields {
		if seen[f.Name.Name] {
			failf(f.Name.Pos, "ROW has two fields %q", f.Name.Name)
		}
		seen[f.Name.Name] = true
		field := types.Field{Name: f.Name.Name, Type: typeOf(f.Type)}
		if f.Comment != nil {
			field.Doc = *f.Comment
		}
		fields = append(fields, field)
	}
	return types.RowOf(fields...)
}

func intervalTypeName(t *ast.TypeName) types.Type {
	switch t.From {
	case "YEAR", "MONTH":
		return expr.YearMonth()
	}
	return expr.DaySecond()
}

// foreignTypes name Flink's type for those of other dialects.
var foreignTypes = map[string]string{
	"TEXT": "STRING", "LONG": "BIGINT", "DATETIME": "TIMESTAMP(3)", "INT64": "BIGINT", "INT32": "INT", "STR": "STRING",
	"NUMBER": "DECIMAL(p, s)", "FLOAT64": "DOUBLE", "BOOL": "BOOLEAN", "VARCHAR2": "VARCHAR", "STRUCT": "ROW<…>",
	"TIMESTAMPTZ": "TIMESTAMP_LTZ(3)", "BLOB": "BYTES", "BIT": "BOOLEAN", "UUID": "STRING", "JSON": "STRING", "LIST": "ARRAY<…>",
	"SHORT": "SMALLINT", "BYTE": "TINYINT", "BYTEA": "BYTES", "SERIAL": "BIGINT",
}

func unknownType(t *ast.TypeName) error {
	switch t.Name {
	case "VARIANT", "RAW":
		return perr.NotYet(t.Pos, "type %s", t.Name)
	}
	if use, ok := foreignTypes[strings.ToUpper(t.Name)]; ok {
		return perr.New(t.Pos, "type %s is unknown", t.Name).WithHint("use %s", use)
	}
	var names []string
	for n := range plainTypes {
		names = append(names, n)
	}
	for n := range sized {
		names = append(names, n)
	}
	return perr.New(t.Pos, "type %s is unknown", t.Name).WithHint("%s", suggest(strings.ToUpper(t.Name), names))
}
