package session

import (
	"fmt"
	"sort"
	"strings"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
)

// WhySilent looks for the reason that a job puts nothing out.
func WhySilent(st exec.Status) string {
	in, _, late, skipped := Counts(st)
	var reasons []string
	if in == 0 {
		reasons = append(reasons, "no record has been read; is the topic empty, or does scan.startup.mode begin at its end?")
	} else {
		reasons = append(reasons, fmt.Sprintf("%d records read", in))
	}
	if held := holders(st); held != "" {
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

// holders names the splits that hold the watermark back.
func holders(st exec.Status) string {
	var silent, named []string
	least := Watermark(st)
	for _, sp := range st.Splits {
		if sp.Idle || sp.Ended {
			continue
		}
		if sp.Watermark == types.MinTime && sp.Rows == 0 {
			silent = append(silent, sp.ID)
		} else if sp.Watermark == least && least != types.MinTime {
			named = append(named, sp.ID)
		}
	}
	sort.Strings(silent)
	sort.Strings(named)
	switch {
	case len(silent) > 0:
		return fmt.Sprintf("split %s has no record and holds windows back; 'table.exec.source.idle-timeout' = '5 s' would let the others go on", strings.Join(silent, ", "))
	case len(named) > 0:
		return fmt.Sprintf("the watermark is %s, held by split %s; a window fires when it passes the window's end", least, strings.Join(named, ", "))
	}
	return ""
}
