package main

import "testing"

// TestRulesHold explores the smallest scenarios; `make model` does all.
func TestRulesHold(t *testing.T) {
	names := map[string]bool{}
	for _, o := range scenarios() {
		names[o.Name] = true
		if !small(o.Name) {
			continue
		}
		opt = o
		r := explore(60_000, true)
		if len(r.found) > 0 && !o.Bad {
			t.Errorf("%s: %v", o.Name, violations(r))
		}
		if r.full && len(r.found) == 0 && o.Bad {
			t.Errorf("%s: nothing is seen", o.Name)
		}
	}
	for n := range smallOnes {
		if !names[n] {
			t.Errorf("there is no scenario %q", n)
		}
	}
}
