package exprtest

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

var plain = map[string]types.Type{
	"BOOLEAN": types.Of(types.Boolean), "TINYINT": types.Of(types.TinyInt), "SMALLINT": types.Of(types.SmallInt),
	"INT": types.Of(types.Int), "BIGINT": types.Of(types.BigInt), "FLOAT": types.Of(types.Float),
	"DOUBLE": types.Of(types.Double), "STRING": types.String(), "BYTES": types.Bytes(), "DATE": types.Of(types.Date),
}

// sized are the types with a length or precision, and its default.
var sized = map[string]types.Type{
	"CHAR": types.CharOf(1), "VARCHAR": types.String(), "BINARY": {Kind: types.Binary, Precision: 1},
	"VARBINARY": types.Bytes(), "TIME": {Kind: types.TimeOfDay}, "TIMESTAMP": types.TimestampOf(6),
	"TIMESTAMP_LTZ": types.LTZOf(6), "DECIMAL": types.DecimalOf(10, 0),
}

func (p *parser) typ() types.Type {
	t := p.bareType()
	if p.accept("NOT NULL") {
		t.NotNull = true
	}
	return t
}

func (p *parser) bareType() types.Type {
	name := strings.ToUpper(p.next().text)
	if t, ok := plain[name]; ok {
		return t
	}
	if t, ok := sized[name]; ok {
		if p.accept("(") {
			t.Precision = p.int()
			if p.accept(",") {
				t.Scale = p.int()
			}
			p.expect(")")
		}
		return t
	}
	return p.nestedType(name)
}

func (p *parser) nestedType(name string) types.Type {
	p.expect("<")
	var t types.Type
	switch name {
	case "ARRAY":
		t = types.ArrayOf(p.typ())
	case "MULTISET":
		t = types.MultisetOf(p.typ())
	case "MAP":
		key := p.typ()
		p.expect(",")
		t = types.MapOf(key, p.typ())
	case "ROW":
		t = types.RowOf(p.fields()...)
	default:
		fail("unknown type %s", name)
	}
	p.expect(">")
	return t
}

func (p *parser) fields() []types.Field {
	var fs []types.Field
	for len(fs) == 0 || p.accept(",") {
		fs = append(fs, types.Field{Name: p.next().text, Type: p.typ()})
	}
	return fs
}
