package exec

import (
	"sync/atomic"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec/types"
)

// splitRun is one split of a source subtask, with its event-time progress.
// The atomic fields are read by Job.Status.
type splitRun struct {
	id     string
	gen    WatermarkGenerator // nil: the source has no event time
	mark   atomic.Int64       // ms; MinTime: none yet
	idle   atomic.Bool
	ended  atomic.Bool
	rows   atomic.Int64
	active time.Time // when rows came last, by the injected clock
}

func (s *splitRun) raise(t types.Time) bool {
	if int64(t) <= s.mark.Load() {
		return false
	}
	s.mark.Store(int64(t))
	return true
}

// progress is what the splits of a subtask amount to. Pure.
type progress struct {
	mark types.Time // minimum over the splits that are neither idle nor ended; MinTime if one has none
	idle bool       // all that have not ended are idle
	done bool       // all have ended
}

func progressOf(splits []*splitRun) progress {
	p := progress{mark: types.MaxTime, idle: true, done: true}
	for _, s := range splits {
		if s.ended.Load() {
			continue
		}
		p.done = false
		if s.idle.Load() {
			continue
		}
		p.idle = false
		p.mark = min(p.mark, types.Time(s.mark.Load()))
	}
	return p
}

// dealSplits gives the listed and restored splits to n subtasks. A restored
// split keeps its position, its watermark and, at the same parallelism, its
// subtask; a new one goes to the subtask that has fewest. Pure.
func dealSplits(listed []Split, restored []checkpoint.SourceState, n int) [][]checkpoint.SplitState {
	dealt := make([][]checkpoint.SplitState, n)
	known := map[string]bool{}
	turn := 0
	for _, s := range restored {
		for _, split := range s.Splits {
			known[split.ID] = true
			i := s.Subtask.Index
			if len(restored) != n {
				i = turn % n
				turn++
			}
			dealt[i] = append(dealt[i], split)
		}
	}
	for _, s := range listed {
		if known[s.ID] {
			continue
		}
		i := 0
		for k := range dealt {
			if len(dealt[k]) < len(dealt[i]) {
				i = k
			}
		}
		dealt[i] = append(dealt[i], checkpoint.SplitState{Split: s, Watermark: int64(types.MinTime)})
	}
	return dealt
}
