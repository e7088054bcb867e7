package session

import (
	"fmt"
	"sort"
	"strings"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/build"
)

// WhySilent looks for the reason that a job which reads sources puts nothing
// out.
func WhySilent(st exec.Status, sources []build.Source) string {
	in, _, late, skipped := Counts(st)
	var reasons []string
	if in == 0 {
		reasons = append(reasons, "no record has been read; is the topic empty, or does scan.startup.mode begin at its end?")
	} else {
		reasons = append(reasons, fmt.Sprintf("%d records read", in))
	}
	if held := holders(st, sources); held != "" && in > 0 {
		reasons = append(reasons, held)
	} else if in > 0 {
		reasons = append(reasons, "none of the last ones makes a row of the result")
	}
	if late > 0 {
		reasons = append(reasons, fmt.Sprintf("%d rows dropped as late: raise the delay in WATERMARK FOR", late))
	}
	if skipped > 0 {
		reasons = append(reasons, fmt.Sprintf("%d bad records skipped by on-error", skipped))
	}
	return strings.Join(reasons, "; ")
}

// holders names the splits that hold event time back; "" where nothing waits
// for event time.
func holders(st exec.Status, sources []build.Source) string {
	h := hold{least: types.MaxTime}
	for _, src := range sources {
		if src.Watermark != "" {
			h.add(st, src)
		}
	}
	return h.String()
}

// hold is what is known of the splits with event time.
type hold struct {
	silent     []string // without a record
	behind     []string // at the least watermark
	least      types.Time
	idle, open int
	source     build.Source // of the last silent or behind split
}

func (h *hold) add(st exec.Status, src build.Source) {
	for _, sp := range st.Splits {
		switch {
		case sp.UID != src.UID || sp.Ended:
		case sp.Idle:
			h.idle++
		case sp.Watermark == types.MinTime:
			h.open++
			h.silent = append(h.silent, sp.ID)
			h.source = src
		default:
			h.open++
			h.take(sp, src)
		}
	}
}

func (h *hold) take(sp exec.SplitStatus, src build.Source) {
	if sp.Watermark < h.least {
		h.least, h.behind = sp.Watermark, nil
	}
	if sp.Watermark == h.least {
		h.behind = append(h.behind, sp.ID)
		if len(h.silent) == 0 {
			h.source = src
		}
	}
}

func (h *hold) String() string {
	sort.Strings(h.silent)
	sort.Strings(h.behind)
	switch {
	case len(h.silent) > 0:
		return fmt.Sprintf("split %s of %s has no record and holds windows back; %s", strings.Join(h.silent, ", "), h.source.Table, h.remedy())
	case len(h.behind) > 0 && h.open > len(h.behind):
		return fmt.Sprintf("the watermark is %s, held by split %s of %s; a window fires when it passes the window's end; %s",
			h.least, strings.Join(h.behind, ", "), h.source.Table, h.remedy())
	case len(h.behind) > 0:
		return fmt.Sprintf("the watermark of %s is %s; a window fires when it passes the window's end", h.source.Table, h.least)
	case h.idle > 0:
		return "all splits are idle, so event time stands still until records come"
	}
	return ""
}

// remedy is what lets the other splits go on.
func (h *hold) remedy() string {
	if h.source.IdleTimeout > 0 {
		return fmt.Sprintf("it counts as idle after %s without a record", h.source.IdleTimeout)
	}
	return "with 'table.exec.source.idle-timeout' = '5 s' a split without new records would let the others go on"
}
