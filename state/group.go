package state

import "fmt"

// MaxParallelism is the number of key groups of a job. It is on-disk format.
const MaxParallelism = 128

// Group is the key group of a row: of Batch.Hash, the hash of the exchange key.
func Group(hash uint64) uint8 { return uint8(hash % MaxParallelism) }

// Range is the key groups First..Last, both inclusive, that a subtask owns.
type Range struct{ First, Last uint8 }

// AllGroups is the range of an operator that runs with parallelism 1.
var AllGroups = Range{0, MaxParallelism - 1}

// RangeOf deals the key groups out to `parallelism` subtasks (1..MaxParallelism) in contiguous ranges.
func RangeOf(subtask, parallelism int) Range {
	first := (subtask*MaxParallelism + parallelism - 1) / parallelism
	end := ((subtask+1)*MaxParallelism + parallelism - 1) / parallelism
	return Range{uint8(first), uint8(end - 1)}
}

// SubtaskOf is the subtask that owns a group: the inverse of RangeOf.
func SubtaskOf(group uint8, parallelism int) int { return int(group) * parallelism / MaxParallelism }

func (r Range) Contains(group uint8) bool { return group >= r.First && group <= r.Last }
func (r Range) Overlaps(o Range) bool     { return r.First <= o.Last && o.First <= r.Last }
func (r Range) covers(o Range) bool       { return r.First <= o.First && o.Last <= r.Last }
func (r Range) valid() bool               { return r.First <= r.Last && r.Last < MaxParallelism }
func (r Range) String() string            { return fmt.Sprintf("%d..%d", r.First, r.Last) }
