package session

import (
	"sort"
	"strings"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
)

// Complete tells whether text ends with a finished statement.
func Complete(text string) bool { return parser.Complete(text) }

// Functions are the names of all functions, lower case and sorted.
func Functions() []string { return functionNames() }

// Columns are the columns of a table or view as a query names it; nil if
// there is none.
func (s *Session) Columns(table string) []string {
	b, _, err := s.binder()
	if err != nil {
		return nil
	}
	cols, err := b.Describe(ast.Path{Parts: []ast.Ident{{Name: table}}})
	if err != nil {
		return nil
	}
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Name
	}
	return names
}

// OptionKeys are the keys of WITH (…): those of a connector and the formats
// that go with it, or of all where connector is "".
func OptionKeys(connector string) []string {
	keys := map[string]bool{"connector": true}
	for _, o := range options(connector) {
		if !o.Unsupported {
			keys[o.Key] = true
		}
	}
	return sortedKeys(keys)
}

// OptionValues are the values that an option of WITH (…) can have, where
// they are few.
func OptionValues(connector, key string) []string {
	values := map[string]bool{}
	switch key {
	case "connector":
		for _, c := range connectors.All() {
			values[c.Name] = true
		}
	case "format", "key.format", "value.format":
		for _, f := range format.All() {
			values[f.Name] = true
		}
	}
	for _, o := range options(connector) {
		if o.Key != key {
			continue
		}
		for _, v := range valuesOf(o) {
			values[v] = true
		}
	}
	return sortedKeys(values)
}

func valuesOf(o connectors.Option) []string {
	switch {
	case len(o.Values) > 0:
		return o.Values
	case o.Kind == connectors.Boolean:
		return []string{"true", "false"}
	case o.Default != "":
		return []string{o.Default}
	}
	return nil
}

// options are those of a connector and its formats.
func options(connector string) []connectors.Option {
	var all []connectors.Option
	formats := connector == ""
	for _, c := range connectors.All() {
		if connector == "" || c.Name == connector {
			all = append(all, c.Options...)
			formats = formats || c.Formats
		}
	}
	if formats {
		for _, f := range format.All() {
			all = append(all, f.Options...)
		}
	}
	return all
}

// SettingValues are the values that a setting can have, where they are few.
func SettingValues(key string) []string { return settingValues[key] }

const resultMode = "sql-client.execution.result-mode"

var settingValues = map[string][]string{
	resultMode:                      {"changelog", "csv", "jsonl", "markdown", "table", "tableau", "tsv", "vertical"},
	"table.dml-sync":                {"false", "true"},
	"execution.runtime-mode":        {"streaming"},
	"execution.checkpointing.mode":  {"AT_LEAST_ONCE", "EXACTLY_ONCE"},
	"restart-strategy.type":         {"exponential-delay", "failure-rate", "fixed-delay", "none"},
	"table.exec.mini-batch.enabled": {"false", "true"},
}

func sortedKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, strings.TrimSuffix(k, ".*"))
	}
	sort.Strings(keys)
	return keys
}
