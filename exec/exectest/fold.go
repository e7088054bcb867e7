package exectest

import (
	"fmt"
	"sort"
	"strings"
)

// Fold applies a changelog to an empty table and returns its rows, sorted,
// without "+I". Key are the columns of an upsert stream's key; nil: rows are
// taken back by their whole text. A retraction of a row that is not there is
// an error, but for an upsert stream.
func Fold(lines []string, key []int) ([]string, error) {
	if key != nil {
		return foldUpsert(lines, key), nil
	}
	count := map[string]int{}
	for _, l := range lines {
		op, row, ok := cutOp(l)
		switch {
		case !ok:
		case op[0] == '+':
			count[row]++
		case count[row] == 0:
			return nil, fmt.Errorf("%s takes back a row that is not there", l)
		default:
			count[row]--
		}
	}
	var rows []string
	for row, n := range count {
		for range n {
			rows = append(rows, row)
		}
	}
	sort.Strings(rows)
	return rows, nil
}

// cutOp splits "+I row"; other lines are no rows.
func cutOp(line string) (op, row string, ok bool) {
	if len(line) < 2 {
		return "", "", false
	}
	if _, ok := ops[line[:2]]; !ok {
		return "", "", false
	}
	return line[:2], strings.TrimPrefix(line[2:], " "), true
}

func foldUpsert(lines []string, key []int) []string {
	table := map[string]string{}
	for _, l := range lines {
		op, row, ok := cutOp(l)
		if !ok || op == "-U" {
			continue
		}
		cols := strings.Split(row, ", ")
		var k []string
		for _, c := range key {
			k = append(k, cols[c])
		}
		id := strings.Join(k, "\x00")
		if op == "-D" {
			delete(table, id)
			continue
		}
		table[id] = row
	}
	var rows []string
	for _, row := range table {
		rows = append(rows, row)
	}
	sort.Strings(rows)
	return rows
}
