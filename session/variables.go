package session

import (
	"sort"
	"strings"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
)

// Substitute replaces ${name} by its value. A name that is not defined is an
// error with its place; text without variables is returned as it is.
func Substitute(text string, values map[string]string) (string, error) {
	var out strings.Builder
	rest := text
	for {
		before, after, ok := strings.Cut(rest, "${")
		out.WriteString(before)
		if !ok {
			return out.String(), nil
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed || !isName(name) {
			out.WriteString("${")
			rest = after
			continue
		}
		value, known := values[name]
		if !known {
			at := len(text) - len(rest) + len(before)
			return "", &Error{Kind: User, Err: undefined(text, at, name, values), Source: text}
		}
		out.WriteString(value)
		rest = tail
	}
}

func isName(s string) bool {
	for _, c := range s {
		if c != '_' && c != '-' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != ""
}

func undefined(text string, at int, name string, values map[string]string) error {
	before := text[:at]
	line := strings.Count(before, "\n") + 1
	col := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
	hint := "--define " + name + "=VALUE gives it one"
	if len(values) > 0 {
		names := make([]string, 0, len(values))
		for k := range values {
			names = append(names, k)
		}
		sort.Strings(names)
		hint += "; defined are " + strings.Join(names, ", ")
	}
	return &parser.Error{Pos: ast.Pos{Line: line, Col: col}, Msg: "variable ${" + name + "} is not defined", Hint: hint}
}
