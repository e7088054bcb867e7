// Package exectest tests operators: it builds batches from small tables of
// text, runs an operator with all batch sizes, selections, snapshots and
// rescales, and compares what comes out.
package exectest

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Columns reads "id INT, name STRING, ts TIMESTAMP(3)": a column list with
// the simple types. Others are made with package types.
func Columns(text string) []types.Field {
	var fields []types.Field
	for _, part := range splitTop(text) {
		name, typ, ok := strings.Cut(strings.TrimSpace(part), " ")
		if !ok {
			panic(fmt.Sprintf("exectest: column %q has no type", part))
		}
		fields = append(fields, types.Field{Name: name, Type: Type(typ)})
	}
	return fields
}

// Type reads the text of a type: INT, DECIMAL(10, 2), ARRAY<STRING>,
// TIMESTAMP(3) NOT NULL. It panics on what it does not know.
func Type(text string) types.Type {
	text = strings.TrimSpace(text)
	if s, ok := strings.CutSuffix(text, " NOT NULL"); ok {
		return Type(s).Nullable(false)
	}
	if name, rest, ok := strings.Cut(text, "<"); ok && strings.HasSuffix(rest, ">") {
		return nestedType(strings.TrimSpace(name), rest[:len(rest)-1])
	}
	name, args, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	var p, s int
	if n, _ := fmt.Sscanf(strings.ReplaceAll(args, " ", ""), "%d,%d", &p, &s); n == 0 && args != "" {
		panic("exectest: bad type " + text)
	}
	return simpleType(strings.TrimSpace(name), args != "", p, s)
}

func nestedType(name, inner string) types.Type {
	parts := splitTop(inner)
	switch name {
	case "ARRAY":
		return types.ArrayOf(Type(inner))
	case "MULTISET":
		return types.MultisetOf(Type(inner))
	case "MAP":
		return types.MapOf(Type(parts[0]), Type(parts[1]))
	case "ROW":
		return types.RowOf(Columns(inner)...)
	}
	panic("exectest: unknown type " + name)
}

var kinds = map[string]types.Kind{
	"BOOLEAN": types.Boolean, "TINYINT": types.TinyInt, "SMALLINT": types.SmallInt, "INT": types.Int, "BIGINT": types.BigInt,
	"FLOAT": types.Float, "DOUBLE": types.Double, "DATE": types.Date, "TIME": types.TimeOfDay,
	"DECIMAL": types.Decimal, "CHAR": types.Char, "VARCHAR": types.Varchar, "BINARY": types.Binary, "VARBINARY": types.Varbinary,
	"TIMESTAMP": types.Timestamp, "TIMESTAMP_LTZ": types.TimestampLTZ,
	"INTERVAL_MONTH": types.IntervalYearMonth, "INTERVAL_SECOND": types.IntervalDaySecond,
}

func simpleType(name string, given bool, p, s int) types.Type {
	switch {
	case name == "STRING":
		return types.String()
	case name == "BYTES":
		return types.Bytes()
	case !given && (name == "TIMESTAMP" || name == "TIMESTAMP_LTZ"):
		p = 6
	case !given && name == "DECIMAL":
		p = 10
	}
	k, ok := kinds[name]
	if !ok {
		panic("exectest: unknown type " + name)
	}
	return types.Type{Kind: k, Precision: p, Scale: s}
}

// splitTop splits at commas outside brackets.
func splitTop(text string) []string {
	var parts []string
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, text[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, text[from:])
}

// Types are the types of columns.
func Types(fields []types.Field) []types.Type {
	ts := make([]types.Type, len(fields))
	for i, f := range fields {
		ts[i] = f.Type
	}
	return ts
}

// Rows builds a batch from lines such as
//
//	+I 1, foo, 2024-02-29 10:11:12
//	-U 2, NULL, 2024-02-29
//
// "+I" may be left out. Blank lines are skipped.
func Rows(fields []types.Field, text string) (*vec.Batch, error) {
	b := vec.NewBatch(Types(fields)...)
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := appendLine(b, fields, line); err != nil {
			return nil, err
		}
	}
	return b, nil
}

var ops = map[string]vec.Op{"+I": vec.Insert, "-U": vec.UpdateBefore, "+U": vec.UpdateAfter, "-D": vec.Delete}

func appendLine(b *vec.Batch, fields []types.Field, line string) error {
	op := vec.Insert
	if len(line) >= 2 {
		if o, ok := ops[line[:2]]; ok {
			op, line = o, strings.TrimSpace(line[2:])
		}
	}
	p := &parser{text: line}
	for i, f := range fields {
		if i > 0 && !p.eat(',') {
			return fmt.Errorf("row %q: expected ',' before column %s", line, f.Name)
		}
		v, err := p.value(f.Type)
		if err != nil {
			return fmt.Errorf("row %q, column %s: %w", line, f.Name, err)
		}
		b.Cols[i].AppendValue(v)
	}
	if rest := strings.TrimSpace(p.text[p.pos:]); rest != "" {
		return fmt.Errorf("row %q: unexpected %q", line, rest)
	}
	addOp(b, op)
	b.N++
	return nil
}

func addOp(b *vec.Batch, op vec.Op) {
	if op == vec.Insert && b.Ops == nil {
		return
	}
	for len(b.Ops) < b.N {
		b.Ops = append(b.Ops, vec.Insert)
	}
	b.Ops = append(b.Ops, op)
}

// MustRows is Rows for tables that are part of a test.
func MustRows(fields []types.Field, text string) *vec.Batch {
	b, err := Rows(fields, text)
	if err != nil {
		panic(err)
	}
	return b
}

// Format prints the selected rows as Rows reads them, one a line: "+I 1, foo".
func Format(fields []types.Field, b *vec.Batch) []string {
	var lines []string
	for _, r := range b.Rows() {
		line := []byte(b.Op(int(r)).String() + " ")
		for c, f := range fields {
			if c > 0 {
				line = append(line, ", "...)
			}
			line = vec.AppendText(line, b.Cols[c], int(r), f.Type)
		}
		lines = append(lines, string(line))
	}
	return lines
}

// Changelog collects what an operator emits.
type Changelog struct {
	Fields []types.Field
	Lines  []string // "+I 1, foo"; watermarks as "watermark 2024-02-29 10:11:12.000"
	// Watermarks tells whether they are in Lines.
	Watermarks bool
	Last       types.Time
	Any        bool // a watermark came
}

// Emit adds the rows of b.
func (c *Changelog) Emit(b *vec.Batch) error {
	c.Lines = append(c.Lines, Format(c.Fields, b)...)
	return nil
}

// Watermark notes t and checks that it does not fall; a repeated one counts
// as one that was held back.
func (c *Changelog) Watermark(t types.Time) error {
	if c.Any && t < c.Last {
		return fmt.Errorf("watermark %v after %v", t, c.Last)
	}
	if c.Any && t == c.Last {
		return nil
	}
	c.Last, c.Any = t, true
	if c.Watermarks {
		c.Lines = append(c.Lines, "watermark "+t.String())
	}
	return nil
}
