package ast

// reserved are the words that structure a statement. Flink reserves many more;
// those are names here where nothing else could be meant.
var reserved = makeSet(
	"ALL", "ALTER", "AND", "ANY", "AS", "ASC", "BEGIN", "BETWEEN", "BY", "CASE", "CAST", "CREATE", "CROSS",
	"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "DESC", "DISTINCT", "DROP", "ELSE", "END", "ESCAPE", "EXCEPT",
	"EXECUTE", "EXISTS", "EXPLAIN", "FALSE", "FETCH", "FOR", "FROM", "FULL", "GROUP", "HAVING", "IN", "INNER",
	"INSERT", "INTERSECT", "INTERVAL", "INTO", "IS", "JOIN", "LATERAL", "LEFT", "LIKE", "LIMIT", "LOCALTIME",
	"LOCALTIMESTAMP", "MATCH_RECOGNIZE", "MINUS", "NATURAL", "NOT", "NULL", "OFFSET", "ON", "OR", "ORDER",
	"OUTER", "OVER", "OVERLAPS", "PARTITION", "QUALIFY", "RIGHT", "SELECT", "SET", "SIMILAR", "SOME", "TABLE", "THEN",
	"TRUE", "TRY_CAST", "UNION", "UNKNOWN", "UNNEST", "USING", "VALUES", "WHEN", "WHERE", "WINDOW", "WITH", "WITHIN",
)

// notBareAlias are words that may be names, but never an alias without AS.
var notBareAlias = makeSet(
	"ADD", "CLEAR", "DESCRIBE", "EMIT", "ENFORCED", "EXIT", "FILTER", "IGNORE", "MODIFY", "PRINT", "QUIT", "RENAME", "RESET",
	"RESPECT", "SHOW", "STOP", "USE", "UPDATE", "DELETE", "MERGE", "TABLESAMPLE", "PIVOT", "UNPIVOT", "STRAIGHT_JOIN", "DIV", "XOR",
	"SEMI", "ANTI", "ASOF", "REGEXP", "RLIKE", "ILIKE", "COLLATE", "CONTAINS", "WATERMARK",
)

func makeSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// Reserved tells whether word, in upper case, needs quotes to be a name.
func Reserved(word string) bool { return reserved[word] }

// BareAlias tells whether word, in upper case, may follow an expression or a table as its alias without AS.
func BareAlias(word string) bool { return !reserved[word] && !notBareAlias[word] }
