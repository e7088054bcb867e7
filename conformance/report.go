package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strings"
)

// report prints the counts, per area and in all.
func report(results []result, verbose bool) {
	type counts struct{ passed, weak, failed, unsupported int }
	areas := map[string]*counts{}
	var total counts
	for _, r := range results {
		area, _, _ := strings.Cut(r.name, "/")
		if areas[area] == nil {
			areas[area] = &counts{}
		}
		for _, c := range []*counts{areas[area], &total} {
			switch r.status {
			case passed:
				c.passed++
			case weak:
				c.passed++
				c.weak++
			case unsupported:
				c.unsupported++
			default:
				c.failed++
			}
		}
		if verbose && r.status != passed {
			fmt.Printf("%-12s %s: %s\n", [...]string{"FAIL", "", "weak", "unsupported"}[r.status], r.name, r.reason)
		}
	}
	names := make([]string, 0, len(areas))
	for a := range areas {
		names = append(names, a)
	}
	sort.Strings(names)
	for _, a := range names {
		c := areas[a]
		fmt.Printf("%-11s %3d passed, %3d failed, %3d not supported yet\n", a, c.passed, c.failed, c.unsupported)
	}
	fmt.Printf("%d of the passed differ from the reference only in the order or kind of changes\n", total.weak)
	fmt.Printf("%d passed, %d failed\n", total.passed, total.failed+total.unsupported)
}

// readList reads the names of cases that are not expected to pass; '#'
// begins a comment.
func readList(path string) (map[string]bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w; --no-list runs without", err)
	}
	defer f.Close()
	names := map[string]bool{}
	s := bufio.NewScanner(f)
	for s.Scan() {
		line, _, _ := strings.Cut(s.Text(), "#")
		if line = strings.TrimSpace(line); line != "" {
			names[line] = true
		}
	}
	return names, s.Err()
}

func (r result) ok() bool { return r.status == passed || r.status == weak }

// compareList checks the list in both directions, so that it only shrinks.
func compareList(results []result, expected map[string]bool, part bool) int {
	code := 0
	seen := map[string]bool{}
	for _, r := range results {
		seen[r.name] = true
		switch {
		case r.ok() && expected[r.name]:
			fmt.Printf("%s passes: take it off the list\n", r.name)
			code = 5
		case !r.ok() && !expected[r.name]:
			fmt.Printf("%s does not pass: %s\n", r.name, r.reason)
			code = 5
		}
	}
	for name := range expected {
		if !seen[name] && !part {
			fmt.Printf("%s is on the list, but there is no such case\n", name)
			code = 5
		}
	}
	return code
}

const listHead = `# Cases that are not expected to pass yet. A case that passes must leave the
# list; no case may join it. 'go run ./conformance --write-list' shortens it.
`

// writeList writes the cases that do not pass, unless one would join.
func writeList(path string, before map[string]bool, results []result) int {
	var names []string
	for _, r := range results {
		if r.ok() {
			continue
		}
		if len(before) > 0 && !before[r.name] {
			fmt.Printf("%s does not pass and was not on the list: %s\n", r.name, r.reason)
			return 5
		}
		names = append(names, r.name)
	}
	text := listHead + strings.Join(names, "\n") + "\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return 0
}
