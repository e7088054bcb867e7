package parser

import (
	"os"
	"testing"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// BenchmarkConformance parses the queries of the conformance suite; the target is 80 µs each.
func BenchmarkConformance(b *testing.B) {
	var texts []string
	for _, file := range conformanceFiles(b) {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		stmts, _ := Parse(string(text))
		for _, s := range stmts {
			if q, ok := s.(*ast.QueryStmt); ok {
				texts = append(texts, q.Text)
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			if _, err := ParseQuery(text); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(texts)), "µs/query")
}

// BenchmarkQuery parses one query of a usual size.
func BenchmarkQuery(b *testing.B) {
	const query = `
SELECT o.id, c.name, TUMBLE_START(o.ts, INTERVAL '1' HOUR) AS h,
       SUM(o.price * o.qty) AS total, COUNT(DISTINCT o.item) FILTER (WHERE o.qty > 1) AS items,
       CASE WHEN SUM(o.qty) > 100 THEN 'large' WHEN SUM(o.qty) > 10 THEN 'medium' ELSE 'small' END AS size
FROM orders AS o LEFT JOIN customers AS c ON o.customer = c.id AND c.active
WHERE o.state IN ('NEW', 'PAID') AND o.name LIKE 'A%' AND o.ts BETWEEN TIMESTAMP '2024-01-01 00:00:00' AND CURRENT_TIMESTAMP
GROUP BY o.id, c.name, TUMBLE(o.ts, INTERVAL '1' HOUR)
HAVING COUNT(*) > 2`
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseQuery(query); err != nil {
			b.Fatal(err)
		}
	}
}
