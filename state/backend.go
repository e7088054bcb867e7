// Package state keeps the keyed state of one operator in one subtask: tables with lists, sorted maps and timers, and small
// values. It knows storage classes, no SQL types; times are int64 milliseconds. All of it is free of pointers per row, and
// can be frozen at a barrier and written beside further processing. See DESIGN.md.
package state

import (
	"fmt"
	"strings"
)

// Options opens a Backend.
type Options struct {
	Operator  string   // for messages
	Range     Range    // key groups of this subtask; the zero Range is group 0 only: use AllGroups or RangeOf
	Manifests [][]byte // of ALL subtasks of the operator in the checkpoint to restore, in order of their index; none: empty state
	Chunks    ChunkReader
}

// Backend is the state of one operator in one subtask. All methods are called from the subtask's goroutine.
// Tables and values are declared at the operator's Open, before the first Freeze.
type Backend struct {
	operator string
	owned    Range
	clk      *clock
	tables   []*Table
	values   []*Value
	restored *restored
	base     *base
}

// Open makes a backend, with the state that the manifests describe. A damaged manifest is reported here, a damaged chunk by
// Table.
func Open(o Options) (*Backend, error) {
	if !o.Range.valid() {
		return nil, fmt.Errorf("state of operator %s: key groups %s are not a range", o.Operator, o.Range)
	}
	b := &Backend{operator: o.Operator, owned: o.Range, clk: &clock{cur: 1}}
	r, err := openRestored(o)
	if err != nil {
		return nil, fmt.Errorf("state of operator %s: %w", o.Operator, err)
	}
	b.restored, b.base = r, r.base()
	return b, nil
}

// Tick stands for a Freeze that might have come here: rows that were touched before must be touched again before they are
// written. In builds without the tag invariants, whose checks find who does not, it does nothing. The runtime calls it
// before each call of the operator.
func (b *Backend) Tick() {
	if !invariants {
		return
	}
	for _, t := range b.tables {
		for _, set := range t.sets() {
			for _, f := range set.fams {
				f.takeChanges(b.clk.cur, b.base.epoch)
			}
		}
	}
	b.clk.cur++
}

// Range is the key groups of this subtask.
func (b *Backend) Range() Range { return b.owned }

// Table makes a table, restored if the backend was. It is called once a name.
func (b *Backend) Table(l Layout) (*Table, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	for _, t := range b.tables {
		if t.layout.Name == l.Name {
			return nil, fmt.Errorf("state table %s is declared twice in operator %s", l.Name, b.operator)
		}
	}
	t := newTable(b.clk, l, b.owned)
	if err := b.restored.fill(b, t); err != nil {
		return nil, fmt.Errorf("state table %s of operator %s: %w", l.Name, b.operator, err)
	}
	b.tables = append(b.tables, t)
	return t, nil
}

// Value makes a value, restored if the backend was. It is called once a name.
func (b *Backend) Value(name string, rule Rescale) (*Value, error) {
	for _, v := range b.values {
		if v.name == name {
			return nil, fmt.Errorf("state value %s is declared twice in operator %s", name, b.operator)
		}
	}
	v := &Value{name: name, rule: rule, restored: b.restored.value(name)}
	if len(v.restored) > 0 {
		v.data, v.set = v.restored[0], true
	}
	if rule == First && len(v.restored) > 1 {
		v.restored = v.restored[:1]
	}
	b.values = append(b.values, v)
	return v, nil
}

// CheckClaimed reports restored tables and values that the operator did not declare: its state would be lost. Call it after
// the operator's Open; Freeze does too.
func (b *Backend) CheckClaimed() error {
	if left := b.restored.unclaimed(b); len(left) > 0 {
		return fmt.Errorf("the checkpoint has state %s of operator %s, which the operator no longer declares; "+
			"start from the state directory with the version that wrote it, or with an empty one", strings.Join(left, ", "), b.operator)
	}
	return nil
}

// Rows and Bytes are the live rows and the memory of all tables, for metrics and the memory limit.
func (b *Backend) Rows() int {
	n := 0
	for _, t := range b.tables {
		n += t.Rows()
	}
	return n
}

func (b *Backend) Bytes() int {
	n := 0
	for _, t := range b.tables {
		n += t.Bytes()
	}
	return n
}

// Tables is the tables in the order they were declared, for messages that name the largest.
func (b *Backend) Tables() []*Table { return b.tables }
