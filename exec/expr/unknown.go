package expr

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
)

// elsewhere names what to write instead of other dialects' functions.
var elsewhere = map[string]string{
	"NVL": "COALESCE(a, b)", "ISNULL": "x IS NULL", "LEN": "CHAR_LENGTH(x)", "LENGTH": "CHAR_LENGTH(x)",
	"DATE_TRUNC": "FLOOR(x TO DAY)", "DATETRUNC": "FLOOR(x TO DAY)", "DATEADD": "TIMESTAMPADD(DAY, n, x)",
	"DATE_ADD": "TIMESTAMPADD(DAY, n, x)", "DATE_SUB": "TIMESTAMPADD(DAY, -n, x)",
	"DATEDIFF": "TIMESTAMPDIFF(DAY, from, to)", "DATE_DIFF": "TIMESTAMPDIFF(DAY, from, to)",
	"GETDATE": "CURRENT_TIMESTAMP", "SYSDATE": "CURRENT_TIMESTAMP", "TO_CHAR": "DATE_FORMAT(x, 'yyyy-MM-dd')",
	"STRFTIME": "DATE_FORMAT(x, 'yyyy-MM-dd')", "STRING_AGG": "LISTAGG(x, ',')", "GROUP_CONCAT": "LISTAGG(x, ',')",
	"COLLECT_LIST": "ARRAY_AGG(x)", "DATE_PART": "EXTRACT(unit FROM x)", "STRPOS": "POSITION(part IN x)",
	"CHARINDEX": "POSITION(part IN x)", "SUBSTRING_INDEX": "SPLIT_INDEX(x, ',', 0)", "SPLIT_PART": "SPLIT_INDEX(x, ',', 0)",
	"GET_JSON_OBJECT": "JSON_VALUE(x, '$.path')", "JSON_EXTRACT": "JSON_VALUE(x, '$.path')",
	"JSON_EXTRACT_SCALAR": "JSON_VALUE(x, '$.path')", "IIF": "IF(condition, a, b)", "DECODE_ORACLE": "CASE",
	"TO_JSON": "JSON_STRING(x)", "FROM_UNIX": "FROM_UNIXTIME(x)", "ARRAY_LENGTH": "CARDINALITY(x)", "SIZE": "CARDINALITY(x)",
	"APPROX_DISTINCT": "COUNT(DISTINCT x)", "ANY_VALUE": "FIRST_VALUE(x)", "RLIKE": "REGEXP(x, pattern)",
	"TUMBLING_WINDOW": "TUMBLE(TABLE t, DESCRIPTOR(time), size)", "SAFE_CAST": "TRY_CAST(x AS type)", "TO_NUMBER": "CAST(x AS DECIMAL(p, s))",
}

func unknownFunction(name string) error {
	up := strings.ToUpper(name)
	if use, ok := elsewhere[up]; ok {
		return fmt.Errorf("function %s not found; use %s", up, use)
	}
	if _, ok := fn.LookupAggregate(up); ok {
		return fmt.Errorf("%s is an aggregate function and cannot stand here", up)
	}
	if near := nearest(up); near != "" {
		return fmt.Errorf("function %s not found; did you mean %s?", up, near)
	}
	return fmt.Errorf("function %s not found; SHOW FUNCTIONS lists them", up)
}

// nearest is the function whose name is at most two edits away.
func nearest(name string) string {
	best, at := "", 3
	for _, f := range fn.All() {
		if d := edits(name, f.Name); d < at && d < len(name)/2+1 {
			best, at = f.Name, d
		}
	}
	return best
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
