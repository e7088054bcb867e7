package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/session/render"
)

var marks = regexp.MustCompile(` NOT NULL| \*(ROWTIME|PROCTIME)\*`)

// compareSchema compares names and types, without nullability and time
// attributes.
func compareSchema(want string, got []string) string {
	var w, g []string
	for _, line := range strings.Split(want, "\n") {
		if strings.TrimSpace(line) != "" {
			w = append(w, strings.TrimSpace(marks.ReplaceAllString(line, "")))
		}
	}
	for _, line := range got {
		g = append(g, strings.TrimSpace(marks.ReplaceAllString(line, "")))
	}
	if strings.Join(w, "\n") == strings.Join(g, "\n") {
		return ""
	}
	return fmt.Sprintf("schema %q, expected %q", g, w)
}

// change is one line of a changelog.
type change struct {
	op  string
	row any
}

// compareRows folds the changelog and compares it with the rows (weak rule),
// then, where the order is defined, change by change (strong rule).
func compareRows(base string, got *render.Recording) (status, string) {
	want, err := parseRows(read(base + ".rows"))
	if err != nil {
		return failed, err.Error()
	}
	changes, err := parseChanges(got.Changes())
	if err != nil {
		return failed, err.Error()
	}
	var rows []any
	if _, err := os.Stat(base + ".upsert"); err == nil {
		rows, err = foldUpsert(changes, read(base+".upsert"), read(base+".schema"))
		if err != nil {
			return failed, err.Error()
		}
	} else if rows, err = fold(changes); err != nil {
		return failed, err.Error()
	}
	if reason := sameBag(want, rows); reason != "" {
		return failed, reason
	}
	strong := read(base + ".changelog")
	if strong == "" {
		return passed, ""
	}
	expected, err := parseChanges(strings.Split(strings.TrimSuffix(strong, "\n"), "\n"))
	if err != nil {
		return failed, err.Error()
	}
	if reason := sameChanges(expected, changes); reason != "" {
		return weak, reason
	}
	return passed, ""
}

func sameChanges(want, got []change) string {
	for i := range min(len(want), len(got)) {
		if want[i].op != got[i].op || !equal(want[i].row, got[i].row) {
			return fmt.Sprintf("change %d is %s %s, expected %s %s", i+1, got[i].op, text(got[i].row), want[i].op, text(want[i].row))
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf("%d changes, expected %d", len(got), len(want))
	}
	return ""
}

func parse(line string) (any, error) {
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

func parseRows(s string) ([]any, error) {
	var rows []any
	for _, line := range strings.Split(s, "\n") {
		if line == "" {
			continue
		}
		v, err := parse(line)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		rows = append(rows, v)
	}
	return rows, nil
}

func parseChanges(lines []string) ([]change, error) {
	var changes []change
	for _, line := range lines {
		if line == "" {
			continue
		}
		op, row, _ := strings.Cut(line, "\t")
		v, err := parse(row)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		changes = append(changes, change{op, v})
	}
	return changes, nil
}

// fold applies the changes in order; a retraction must meet its row.
func fold(changes []change) ([]any, error) {
	bag := map[string][]any{}
	for _, c := range changes {
		k := key(c.row)
		if c.op == "+I" || c.op == "+U" {
			bag[k] = append(bag[k], c.row)
			continue
		}
		n := len(bag[k])
		if n == 0 {
			return nil, fmt.Errorf("%s %s retracts a row that is not there", c.op, text(c.row))
		}
		bag[k] = bag[k][:n-1]
	}
	var rows []any
	for _, l := range bag {
		rows = append(rows, l...)
	}
	return rows, nil
}

// foldUpsert keeps the last row of each key; the columns of the key are
// named in the file.
func foldUpsert(changes []change, names, schema string) ([]any, error) {
	var columns []string
	for _, line := range strings.Split(schema, "\n") {
		name, _, _ := strings.Cut(line, " ")
		columns = append(columns, name)
	}
	var at []int
	for _, n := range strings.FieldsFunc(names, func(r rune) bool { return r == '\n' || r == ',' || r == ' ' }) {
		for i, c := range columns {
			if c == n {
				at = append(at, i)
			}
		}
	}
	if len(at) == 0 {
		return nil, fmt.Errorf("no key column of %q in the schema", names)
	}
	last := map[string]any{}
	for _, c := range changes {
		row, _ := c.row.([]any)
		var k []any
		for _, i := range at {
			k = append(k, row[i])
		}
		if c.op == "-D" || c.op == "-U" {
			delete(last, key(k))
			continue
		}
		last[key(k)] = c.row
	}
	var rows []any
	for _, r := range last {
		rows = append(rows, r)
	}
	return rows, nil
}

// sameBag compares two multisets.
func sameBag(want, got []any) string {
	byKey := func(l []any) func(i, j int) bool { return func(i, j int) bool { return key(l[i]) < key(l[j]) } }
	sort.SliceStable(want, byKey(want))
	sort.SliceStable(got, byKey(got))
	rest := append([]any(nil), got...)
	var missing []string
	for _, w := range want {
		found := false
		for i, g := range rest {
			if equal(w, g) {
				rest = append(rest[:i], rest[i+1:]...)
				found = true
				break
			}
		}
		if !found {
			missing = append(missing, text(w))
		}
	}
	if len(missing) == 0 && len(rest) == 0 {
		return ""
	}
	var extra []string
	for _, g := range rest {
		extra = append(extra, text(g))
	}
	return fmt.Sprintf("missing %v, unexpected %v", first(missing), first(extra))
}

func first(s []string) []string { return s[:min(len(s), 3)] }

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// equal compares JSON values: integers exactly, other numbers to 1e-12.
func equal(a, b any) bool {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		return ok && sameNumber(x, y)
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equal(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k := range x {
			v, ok := y[k]
			if !ok || !equal(x[k], v) {
				return false
			}
		}
		return true
	}
	return a == b
}

var integer = regexp.MustCompile(`^-?\d+$`)

func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	if integer.MatchString(string(a)) && integer.MatchString(string(b)) {
		return strings.TrimPrefix(string(a), "-") == "0" && strings.TrimPrefix(string(b), "-") == "0"
	}
	x, errX := strconv.ParseFloat(string(a), 64)
	y, errY := strconv.ParseFloat(string(b), 64)
	if errX != nil || errY != nil {
		return false
	}
	return x == y || math.Abs(x-y) <= 1e-12*math.Max(math.Abs(x), math.Abs(y))
}

// key is a text under which equal values meet.
func key(v any) string {
	switch x := v.(type) {
	case json.Number:
		f, err := strconv.ParseFloat(string(x), 64)
		if err != nil {
			return "n" + string(x)
		}
		return fmt.Sprintf("n%.9e", f+0)
	case []any:
		parts := make([]string, len(x))
		for i := range x {
			parts[i] = key(x[i])
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		var parts []string
		for k := range x {
			parts = append(parts, k+":"+key(x[k]))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	return text(v)
}
