package state

import (
	"fmt"
	"slices"
	"strings"
)

// Layout declares what an operator keeps for each key. It is stored with the state; a restore into another layout goes
// through Migrate or is refused by name.
type Layout struct {
	Name    string // unique within the operator
	Version uint16 // raised by the operator when the meaning of a column changes
	Keys    []Class
	Values  []Class
	Lists   []ListLayout // an ordered list of rows for each slot
	Sorted  []ListLayout // a map of rows for each slot, ordered by key bytes
	Timers  []string     // sets of timers, e.g. "event", "proc"
	TTL     bool         // keep a time for each slot: Stamp, Renew, Expire

	// Migrate fills rows of a table restored from another layout with the same Keys. It is called with batches of rows whose
	// keys, times and timers of the same name are already in place: new.Values, Lists and Sorted of newSlots are zero or empty.
	// nil: another layout is refused.
	Migrate func(old, new *Table, oldSlots, newSlots []int32) error
}

// ListLayout is the rows of a list or a sorted map.
type ListLayout struct {
	Name   string
	Values []Class
}

// equal compares what is stored; Migrate is not.
func (l Layout) equal(o Layout) bool {
	same := func(a, b ListLayout) bool { return a.Name == b.Name && slices.Equal(a.Values, b.Values) }
	return l.Name == o.Name && l.Version == o.Version && l.TTL == o.TTL &&
		slices.Equal(l.Keys, o.Keys) && slices.Equal(l.Values, o.Values) && slices.Equal(l.Timers, o.Timers) &&
		slices.EqualFunc(l.Lists, o.Lists, same) && slices.EqualFunc(l.Sorted, o.Sorted, same)
}

func (l Layout) String() string {
	s := fmt.Sprintf("version %d, keys %v, values %v", l.Version, l.Keys, l.Values)
	for _, x := range l.Lists {
		s += fmt.Sprintf(", list %s %v", x.Name, x.Values)
	}
	for _, x := range l.Sorted {
		s += fmt.Sprintf(", sorted %s %v", x.Name, x.Values)
	}
	if len(l.Timers) > 0 {
		s += fmt.Sprintf(", timers %v", l.Timers)
	}
	if l.TTL {
		s += ", ttl"
	}
	return s
}

// check reports a layout that no table can be made of.
func (l Layout) check() error {
	if l.Name == "" || strings.Contains(l.Name, "/") {
		return fmt.Errorf("state layout name %q is empty or has a /", l.Name)
	}
	classes := slices.Concat(l.Keys, l.Values)
	names := append([]string{}, l.Timers...)
	for _, x := range slices.Concat(l.Lists, l.Sorted) {
		classes = append(classes, x.Values...)
		names = append(names, x.Name)
	}
	for i, n := range names {
		if n == "" || strings.Contains(n, "/") || slices.Contains(names[:i], n) {
			return fmt.Errorf("state %s: list or timer name %q is empty, used twice, or has a /", l.Name, n)
		}
	}
	for _, c := range classes {
		if !c.valid() {
			return fmt.Errorf("state %s: unknown storage class %d", l.Name, uint8(c))
		}
	}
	return nil
}
