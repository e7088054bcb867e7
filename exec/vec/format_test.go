package vec_test

import (
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ typ, in, cast, java string }{
		{"BOOLEAN", "true", "TRUE", "true"},
		{"INT", "NULL", "NULL", "null"},
		{"BIGINT", "-9223372036854775808", "-9223372036854775808", "-9223372036854775808"},
		{"DOUBLE", "1", "1.0", "1.0"},
		{"DOUBLE", "12345678", "1.2345678E7", "1.2345678E7"},
		{"DOUBLE", "1e-4", "1.0E-4", "1.0E-4"},
		{"FLOAT", "0.1", "0.1", "0.1"},
		{"DOUBLE", "NaN", "NaN", "NaN"},
		{"DECIMAL(10, 2)", "-0.05", "-0.05", "-0.05"},
		{"DECIMAL(38, 3)", "-12345678901234567890.125", "-12345678901234567890.125", "-12345678901234567890.125"},
		{"STRING", "'a, b'", "a, b", "a, b"},
		{"DATE", "1969-12-31", "1969-12-31", "1969-12-31"},
		{"DATE", "0001-01-01", "0001-01-01", "0001-01-01"},
		{"DATE", "9999-12-31", "9999-12-31", "9999-12-31"},
		{"TIME", "10:11:12", "10:11:12", "10:11:12"},
		{"TIMESTAMP(3)", "2024-02-29 10:11:12.5", "2024-02-29 10:11:12.500", "2024-02-29T10:11:12.500"},
		{"TIMESTAMP(0)", "2024-02-29 10:11:00", "2024-02-29 10:11:00", "2024-02-29T10:11"},
		{"TIMESTAMP(9)", "2024-02-29 10:11:12.000000005", "2024-02-29 10:11:12.000000005", "2024-02-29T10:11:12.000000005"},
		{"TIMESTAMP(3)", "1900-01-01 00:00:00.001", "1900-01-01 00:00:00.001", "1900-01-01T00:00:00.001"},
		{"TIMESTAMP_LTZ(3)", "2024-02-29 10:11:00", "2024-02-29 10:11:00.000", "2024-02-29T10:11:00Z"},
		{"INTERVAL_MONTH", "-14", "-1-02", "-1-02"},
		{"INTERVAL_SECOND", "93784005", "+1 02:03:04.005", "+1 02:03:04.005"},
		{"ARRAY<INT>", "[1, NULL]", "[1, NULL]", "[1, null]"},
		{"MAP<STRING, INT>", "{a=1, b=2}", "{a=1, b=2}", "{a=1, b=2}"},
		{"ROW<a INT, b STRING>", "(1, x)", "(1, x)", "+I[1, x]"},
	} {
		typ := exectest.Type(c.typ)
		x, err := exectest.ParseValue(c.in, typ)
		if err != nil {
			t.Fatal(err)
		}
		v := vec.New(typ)
		v.AppendValue(x)
		if got := string(vec.AppendText(nil, v, 0, typ)); got != c.cast {
			t.Errorf("CAST(%s %s AS STRING) = %q, expected %q", c.typ, c.in, got, c.cast)
		}
		if got := string(vec.Text{Java: true}.Append(nil, v, 0, typ)); got != c.java {
			t.Errorf("print of %s %s = %q, expected %q", c.typ, c.in, got, c.java)
		}
	}
}

func TestTextZone(t *testing.T) {
	typ := types.LTZOf(0)
	v := vec.New(typ)
	v.I64 = append(v.I64, 0)
	zone := time.FixedZone("east", 3600)
	if got := string(vec.Text{Zone: zone}.Append(nil, v, 0, typ)); got != "1970-01-01 01:00:00" {
		t.Errorf("got %s", got)
	}
}

func TestCloneIsDeep(t *testing.T) {
	b := exectest.MustRows(exectest.Columns("a INT, b STRING, c ARRAY<STRING>"), "1, x, [p, q]\n-U 2, NULL, NULL")
	c := b.Clone()
	b.Poison()
	got := exectest.Format(exectest.Columns("a INT, b STRING, c ARRAY<STRING>"), c)
	if len(got) != 2 || got[0] != "+I 1, x, [p, q]" || got[1] != "-U 2, NULL, NULL" {
		t.Errorf("got %q", got)
	}
}
