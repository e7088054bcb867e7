package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// typeForms are the types by their first word, with what may follow it.
var typeForms map[string]func(*cursor, *ast.TypeName)

// typeSynonyms are other names of types.
var typeSynonyms = map[string]string{
	"INTEGER": "INT", "NUMERIC": "DECIMAL", "DEC": "DECIMAL", "CHARACTER": "CHAR",
}

func init() {
	plain := func(*cursor, *ast.TypeName) {}
	typeForms = map[string]func(*cursor, *ast.TypeName){
		"STRING": plain, "BOOLEAN": plain, "BYTES": plain, "TINYINT": plain, "SMALLINT": plain, "INT": plain, "BIGINT": plain,
		"FLOAT": plain, "DATE": plain, "VARIANT": plain, "NULL": plain,
		"DOUBLE": (*cursor).doubleType, "CHAR": (*cursor).charType, "VARCHAR": (*cursor).lengthType,
		"BINARY": (*cursor).binaryType, "VARBINARY": (*cursor).lengthType, "DECIMAL": (*cursor).decimalType,
		"TIME": (*cursor).timeType, "TIMESTAMP": (*cursor).timeType, "TIMESTAMP_LTZ": (*cursor).lengthType,
		"INTERVAL": (*cursor).intervalType, "ARRAY": (*cursor).elementType, "MULTISET": (*cursor).elementType,
		"MAP": (*cursor).mapType, "ROW": (*cursor).rowType,
	}
}

// foreignTypes are types of other dialects, and what Flink calls them.
var foreignTypes = map[string]string{
	"TEXT": "STRING", "DATETIME": "TIMESTAMP(3)", "TIMESTAMPTZ": "TIMESTAMP_LTZ(3)", "BOOL": "BOOLEAN", "LONG": "BIGINT",
	"INT8": "BIGINT", "INT4": "INT", "INT2": "SMALLINT", "INT64": "BIGINT", "INT32": "INT", "FLOAT8": "DOUBLE", "FLOAT4": "FLOAT",
	"FLOAT64": "DOUBLE", "REAL": "FLOAT", "NUMBER": "DECIMAL", "STRUCT": "ROW<…>", "LIST": "ARRAY<…>", "BLOB": "BYTES",
	"JSON": "STRING", "JSONB": "STRING", "UUID": "STRING", "MEDIUMINT": "INT", "NVARCHAR": "VARCHAR", "UNSIGNED": "BIGINT",
	"BYTEA": "BYTES", "SERIAL": "BIGINT", "LONGTEXT": "STRING",
}

// typeName takes a type with its [NOT] NULL.
func (c *cursor) typeName() (typ *ast.TypeName) {
	c.nest(func() {
		typ = c.bareType()
		for c.tok().is("ARRAY") || c.tok().is("MULTISET") {
			typ = &ast.TypeName{Pos: typ.Pos, Name: c.take().val, Elem: typ, Precision: -1, Scale: -1}
		}
		switch {
		case c.accept("NOT", "NULL"):
			typ.NotNull = true
		case c.at("NULL") && !c.peek(1).is("ON"): // NULL ON ERROR belongs to JSON_VALUE
			c.take()
		}
	})
	return typ
}

func (c *cursor) bareType() *ast.TypeName {
	t := c.tok()
	if t.kind != tokWord {
		c.fail("a type")
	}
	name := t.val
	if s, ok := typeSynonyms[name]; ok {
		name = s
	}
	form, ok := typeForms[name]
	if !ok {
		c.unknownType(t)
	}
	c.take()
	typ := &ast.TypeName{Pos: t.pos, Name: name, Precision: -1, Scale: -1}
	form(c, typ)
	return typ
}

func (c *cursor) unknownType(t *token) {
	if f, ok := foreignTypes[t.val]; ok {
		c.failAt(t, t.text+" is not a type of Flink SQL", "write "+f)
	}
	if t.is("RAW") {
		c.unsupported(t, "the type RAW")
	}
	var names []string
	for name := range typeForms {
		names = append(names, name)
	}
	hint := ""
	if near := nearest(t.val, names); near != "" {
		hint = "did you mean " + near + "?"
	} else if ast.Reserved(t.val) {
		c.fail("a type")
	}
	c.failAt(t, `"`+t.text+`" is not a type`, hint)
}

// lengthType takes [(n)].
func (c *cursor) lengthType(typ *ast.TypeName) {
	if c.acceptOp("(") {
		typ.Precision = c.smallInt("the length or precision of " + typ.Name)
		c.expectOp(")")
	}
}

func (c *cursor) charType(typ *ast.TypeName) {
	if c.accept("VARYING") {
		typ.Name = "VARCHAR"
	}
	c.lengthType(typ)
}

func (c *cursor) binaryType(typ *ast.TypeName) {
	if c.accept("VARYING") {
		typ.Name = "VARBINARY"
	}
	c.lengthType(typ)
}

func (c *cursor) doubleType(*ast.TypeName) { c.accept("PRECISION") }

func (c *cursor) decimalType(typ *ast.TypeName) {
	if !c.acceptOp("(") {
		return
	}
	typ.Precision = c.smallInt("the precision of DECIMAL")
	if c.acceptOp(",") {
		typ.Scale = c.smallInt("the scale of DECIMAL")
	}
	c.expectOp(")")
}

// timeType takes [(p)] [WITHOUT TIME ZONE | WITH [LOCAL] TIME ZONE].
func (c *cursor) timeType(typ *ast.TypeName) {
	c.lengthType(typ)
	t := c.tok()
	switch {
	case c.accept("WITHOUT", "TIME", "ZONE"):
	case typ.Name == "TIMESTAMP" && c.accept("WITH", "LOCAL", "TIME", "ZONE"):
		typ.Name = "TIMESTAMP_LTZ"
	case c.at("WITH", "TIME", "ZONE"):
		c.failAt(t, typ.Name+" WITH TIME ZONE is not a type of Flink SQL", "write TIMESTAMP_LTZ(p)")
	}
}

// intervalType takes unit [TO unit].
func (c *cursor) intervalType(typ *ast.TypeName) {
	typ.From = c.unit()
	c.lengthType(typ)
	if !c.accept("TO") {
		return
	}
	typ.To = c.unit()
	if c.acceptOp("(") {
		typ.Scale = c.smallInt("the precision of " + typ.To)
		c.expectOp(")")
	}
}

func (c *cursor) elementType(typ *ast.TypeName) {
	c.openAngle(typ.Name + "<type>")
	typ.Elem = c.typeName()
	c.closeAngle()
}

func (c *cursor) mapType(typ *ast.TypeName) {
	c.openAngle("MAP<type of keys, type of values>")
	typ.Key = c.typeName()
	if !c.atOp(",") {
		c.failAt(c.tok(), "MAP needs two types", "write MAP<type of keys, type of values>")
	}
	c.take()
	typ.Elem = c.typeName()
	c.closeAngle()
}

// openAngle takes <.
func (c *cursor) openAngle(usage string) {
	if !c.acceptOp("<") {
		c.failAt(c.tok(), `expected "<", found `+c.tok().describe(), "write "+usage)
	}
}

// closeAngle takes > (the lexer never joins two of them).
func (c *cursor) closeAngle() {
	if !c.acceptOp(">") {
		c.fail(">")
	}
}

// rowType takes <name type ['comment'], …>, or the same in parentheses.
func (c *cursor) rowType(typ *ast.TypeName) {
	end := ">"
	if c.acceptOp("(") {
		end = ")"
	} else {
		if c.acceptOp("<>") {
			return
		}
		c.expectOp("<")
	}
	for {
		typ.Fields = append(typ.Fields, c.rowField())
		if c.acceptOp(end) {
			return
		}
		c.comma(end)
	}
}

func (c *cursor) rowField() ast.TypeField {
	f := ast.TypeField{Name: c.fieldName()}
	f.Type = c.typeName()
	if c.tok().kind == tokString {
		text := c.take().val
		f.Comment = &text
	}
	return f
}

// fieldName takes the name of a field.
func (c *cursor) fieldName() ast.Ident { return c.keywordOrIdent("the name of a field") }

// keywordOrIdent takes a name; keywords are allowed where a type follows.
func (c *cursor) keywordOrIdent(what string) ast.Ident {
	if t := c.tok(); t.kind == tokWord && c.peek(1).kind == tokWord && typeForms[c.peek(1).val] != nil {
		return c.take().ident()
	}
	return c.ident(what)
}
