package bind

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser"
)

// TestSinkTakes holds what the reference system said to INSERT INTO dst SELECT
// x FROM src, for a column x of the first type and dst of the second.
func TestSinkTakes(t *testing.T) {
	const taken = `
		TIMESTAMP(3) > DATE; TIMESTAMP(3) > TIME; TIMESTAMP(3) > TIMESTAMP_LTZ(3); TIMESTAMP_LTZ(3) > TIMESTAMP(3)
		TIMESTAMP(9) > TIMESTAMP(3); FLOAT > DECIMAL(10, 2); DOUBLE > DECIMAL(10, 2); DECIMAL(10, 2) > FLOAT
		DECIMAL(10, 2) > DOUBLE; DECIMAL(10, 2) > DECIMAL(5, 1); BIGINT > FLOAT; BIGINT > DOUBLE; BIGINT > DECIMAL(3, 0)
		FLOAT > DOUBLE; CHAR(3) > STRING; STRING > VARCHAR(5); CHAR(3) > CHAR(5); CHAR(3) > VARCHAR(2); CHAR(3) > CHAR(2)
		BINARY(3) > BYTES; BYTES > VARBINARY(2); ARRAY<INT> > ARRAY<BIGINT>; MAP<STRING, INT> > MAP<STRING, BIGINT>
		ROW<a INT, b STRING> > ROW<x BIGINT, y STRING>; TIME > TIME(3)`
	const refused = `
		TIMESTAMP_LTZ(3) > DATE; DATE > TIMESTAMP(3); DATE > STRING; BOOLEAN > STRING; DECIMAL(10, 2) > BIGINT
		DOUBLE > FLOAT; FLOAT > BIGINT; STRING > CHAR(5); BYTES > BINARY(3); ARRAY<INT> > ARRAY<TINYINT>; BIGINT > INT
		ARRAY<INT> > ARRAY<STRING>; ROW<a INT, b STRING> > ROW<x STRING, y STRING>; INT > BOOLEAN; BOOLEAN > INT
		STRING > BYTES; TIME > TIMESTAMP(3); STRING > DATE; INT > DATE`
	for list, want := range map[string]bool{taken: true, refused: false} {
		for _, pair := range strings.FieldsFunc(list, func(r rune) bool { return r == ';' || r == '\n' }) {
			if strings.TrimSpace(pair) == "" {
				continue
			}
			from, to, _ := strings.Cut(pair, " > ")
			f, err := parser.ParseType(strings.TrimSpace(from))
			if err != nil {
				t.Fatal(err)
			}
			g, err := parser.ParseType(strings.TrimSpace(to))
			if err != nil {
				t.Fatal(err)
			}
			if got := sinkTakes(typeOf(f), typeOf(g)); got != want {
				t.Errorf("%s: %t", strings.TrimSpace(pair), got)
			}
		}
	}
}
