package parser

// foreignOperator refuses operators of other dialects.
func (n *norm) foreignOperator(t *token) {
	if t.kind != tokOp {
		return
	}
	switch t.text {
	case "&&":
		n.failAt(t, "&& is not an operator of Flink SQL", "write AND")
	case "!":
		n.failAt(t, "! is not an operator of Flink SQL", "write NOT, or <> for unequal")
	case ":=":
		n.failAt(t, ":= is not an operator of Flink SQL", "write = to compare")
	case "::":
		n.failAt(t, ":: is not an operator of Flink SQL", "write CAST(x AS type)")
	case "->":
		n.failAt(t, "-> is not an operator of Flink SQL", "write JSON_VALUE(x, '$.field') or a field path")
	case "&", "|", "^", "~", "<<", ">>":
		n.failAt(t, "bit operators ("+t.text+") are not part of Flink SQL", "")
	}
	if t.text == "=" && n.peek(1).op("=") {
		n.failAt(t, "== is not an operator of Flink SQL", "write = to compare")
	}
}

// foreignWords are operators of other dialects that are words, and what Flink has instead.
var foreignWords = map[string]string{
	"DIV":     "write / between integers",
	"XOR":     "write (a OR b) AND NOT (a AND b)",
	"REGEXP":  "write REGEXP(text, pattern)",
	"RLIKE":   "write REGEXP(text, pattern)",
	"ILIKE":   "write LOWER(text) LIKE pattern",
	"COLLATE": "strings are compared by their characters' codes",
}

// foreignWord refuses word operators of other dialects.
func (n *norm) foreignWord(t *token) {
	if hint, ok := foreignWords[t.val]; ok {
		n.failAt(t, t.val+" is not an operator of Flink SQL", hint)
	}
}
