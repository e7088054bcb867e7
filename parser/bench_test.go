package parser

import (
	"os"
	"testing"
)

// BenchmarkConformance parses every case of the conformance suite; ns/statement is the figure to watch.
func BenchmarkConformance(b *testing.B) {
	var texts []string
	statements := 0
	for _, file := range conformanceFiles(b) {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		if stmts, err := Parse(string(text)); err == nil {
			texts, statements = append(texts, string(text)), statements+len(stmts)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			if _, err := Parse(text); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*statements), "µs/statement")
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
