package bind_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// TestRandomQueries binds queries put together at random, as deep as people
// nest them: each is bound to a well-formed plan or refused with a place.
func TestRandomQueries(t *testing.T) {
	tables, err := parser.Parse(fuzzTables)
	if err != nil {
		t.Fatal(err)
	}
	g := &generator{Rand: rand.New(rand.NewSource(1))}
	for range 3000 {
		text := g.query(3)
		stmts, err := parser.Parse(text)
		if err != nil {
			continue
		}
		b := bind.New(catalog.New(), bind.Options{})
		for _, s := range tables {
			if _, err := b.DDL(s); err != nil {
				t.Fatal(err)
			}
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%s\npanics: %v", text, r)
				}
			}()
			fuzzStatement(t, b, stmts[0])
		}()
	}
}

type generator struct{ *rand.Rand }

func (g *generator) one(texts ...string) string { return texts[g.Intn(len(texts))] }

func (g *generator) maybe(n int, text func() string) string {
	if g.Intn(n) == 0 {
		return text()
	}
	return ""
}

func (g *generator) query(depth int) string {
	switch g.Intn(12) {
	case 0:
		return g.selectBlock(depth) + g.one(" UNION ALL ", " UNION ", " EXCEPT ", " INTERSECT ") + g.selectBlock(depth)
	case 1:
		return "WITH c AS (" + g.selectBlock(depth-1) + ") SELECT * FROM c"
	}
	return g.selectBlock(depth) + g.maybe(5, func() string { return " ORDER BY " + g.one("1", "a", "v", "k") + g.one("", " DESC") + " LIMIT 3" })
}

func (g *generator) selectBlock(depth int) string {
	grouped := g.Intn(3) == 0
	s := "SELECT " + g.maybe(9, func() string { return "DISTINCT " }) + g.items(depth, grouped) + " FROM " + g.from(depth)
	s += g.maybe(2, func() string { return " WHERE " + g.condition(depth) })
	if grouped {
		s += " GROUP BY " + g.one("k", "k, v", "ROLLUP (k, v)", "v + 1, k", "GROUPING SETS ((k), (v), ())", "window_start, window_end, k", "TUMBLE(ts, INTERVAL '1' MINUTE), k", "()")
		s += g.maybe(3, func() string { return " HAVING " + g.one("COUNT(*) > 1", "k = 'a'", "SUM(v) > (SELECT MAX(x) FROM u)") })
	}
	return s + g.maybe(9, func() string { return " QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) < 3" })
}

func (g *generator) items(depth int, grouped bool) string {
	var items []string
	for i := range 1 + g.Intn(3) {
		x := g.scalar(depth)
		if grouped {
			x = g.one("k", "v", "v + 1", "COUNT(*)", "SUM(v) + 1", "MAX(ts)", "COUNT(DISTINCT v) FILTER (WHERE b)", "GROUPING(k)", "window_end", "TUMBLE_END(ts, INTERVAL '1' MINUTE)", "UPPER(k)", "SUM(COUNT(*)) OVER (ORDER BY k)")
		}
		items = append(items, x+g.one("", fmt.Sprintf(" AS a%d", i), " AS a"))
	}
	return strings.Join(items, ", ")
}

func (g *generator) scalar(depth int) string {
	if depth <= 0 {
		return g.one("k", "v", "1", "'a'", "t.k", "ts")
	}
	switch g.Intn(16) {
	case 0:
		return "(SELECT " + g.one("COUNT(*)", "MAX(x)", "x", "COUNT(*) + 1") + " FROM u WHERE u.k = " + g.one("t.k", "k", "'a'") + ")"
	case 1:
		return "CASE WHEN " + g.condition(depth-1) + " THEN " + g.scalar(depth-1) + " ELSE " + g.scalar(depth-1) + " END"
	case 2:
		return g.one("SUM(v)", "ROW_NUMBER()", "LAG(v)", "COUNT(DISTINCT v)") + " OVER (PARTITION BY k ORDER BY ts)"
	case 3:
		return "EXISTS (" + g.selectBlock(depth-2) + ")"
	case 4:
		return "COALESCE(" + g.scalar(depth-1) + ", " + g.scalar(depth-1) + ")"
	}
	return g.one("k", "v + 1", "t.r.s.x", "l[1]", "m['a']", "ts", "pt", "*", "t.*", "f(v)", "CAST(v AS STRING)", "k || 'x'", "x", "s", "window_time", "NULL", "v IN (SELECT x FROM u)")
}

func (g *generator) condition(depth int) string {
	if depth <= 0 {
		return g.one("v > 1", "b", "k = 'a'", "u.k = t.k", "t.k = k")
	}
	switch g.Intn(9) {
	case 0:
		return g.condition(depth-1) + " AND " + g.condition(depth-1)
	case 1:
		return "(" + g.condition(depth-1) + " OR " + g.condition(depth-1) + ")"
	case 2:
		return "NOT " + g.condition(depth-1)
	case 3:
		return g.one("k", "v", "v + 1") + g.one(" IN (", " NOT IN (") + "SELECT " + g.one("k", "x", "y", "u.x + t.v") + " FROM u" + g.one("", " WHERE u.k = t.k", " WHERE u.x > t.v", " GROUP BY k, x, y") + ")"
	case 4:
		return g.one("", "NOT ") + "EXISTS (SELECT 1 FROM u JOIN t AS t3 ON u.k = t3.k WHERE u.k = t.k)"
	case 5:
		return "v > (SELECT MAX(x) FROM u" + g.one("", " WHERE u.k = t.k", " WHERE t.k = u.k AND x > 3") + ")"
	}
	return g.one("v > 1", "k = 'a'", "b", "v BETWEEN 1 AND 3", "t.k = u.k", "ts > u.ts", "t.ts BETWEEN u.ts AND u.ts + INTERVAL '1' HOUR", "u.x = v")
}

func (g *generator) from(depth int) string {
	if depth <= 0 {
		return g.one("t", "u", "q", "t, u")
	}
	switch g.Intn(10) {
	case 0:
		return "(" + g.query(depth-1) + ") AS t"
	case 1:
		return "TABLE(" + g.one("TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)", "HOP(TABLE t, DESCRIPTOR(pt), INTERVAL '1' MINUTE, INTERVAL '2' MINUTE)", "SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '1' MINUTE)") + ") AS t"
	case 2:
		return "t " + g.one("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN") + " u " + g.one("USING (k)", "ON t.k = u.k", "ON t.k = u.k AND t.ts BETWEEN u.ts AND u.ts + INTERVAL '5' SECOND")
	case 3:
		return "t NATURAL JOIN u"
	case 4:
		return "t JOIN u FOR SYSTEM_TIME AS OF t.ts ON t.k = u.k"
	case 5:
		return "t CROSS JOIN UNNEST(" + g.one("l", "m", "t.l", "ARRAY[v, 1]") + ") AS e" + g.one("(x)", "(x, y)", "")
	case 6:
		return "t, LATERAL (SELECT x FROM u WHERE u.k = t.k ORDER BY y LIMIT 2) AS e"
	}
	return g.one("t", "t", "u", "t, u", "q AS t")
}
