package session

import (
	"fmt"
	"strconv"
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// showJobs answers SHOW JOBS.
func (s *Session) showJobs() error {
	columns := []string{"job id", "job name", "status", "running for", "records in", "records out", "late", "skipped", "checkpoint", "restarts"}
	var rows [][]vec.Value
	for _, j := range s.jobs {
		st := j.Status()
		in, out, late, skipped := Counts(st)
		rows = append(rows, row(j.ID, j.Name, j.state(st), round(j.Elapsed()), text(in), text(out), text(late), text(skipped), lastCheckpoint(st), text(int64(max(st.Attempt-1, 0)))))
	}
	return s.texts(columns, rows)
}

func text(n int64) string { return strconv.FormatInt(n, 10) }

func round(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }

func (j *Job) state(st exec.Status) string {
	if j.Over() && j.Err() != nil {
		return "FAILED: " + j.Err().Error()
	}
	if lost := Losses(st); lost != "" {
		return st.State.String() + ", " + lost
	}
	return st.State.String()
}

// Losses says what the job went on without, ever; "" if there is nothing.
func Losses(st exec.Status) string {
	if st.Lost == 0 {
		return ""
	}
	return fmt.Sprintf("%d rows lost with %d transactions", st.LostRecords, st.Lost)
}

func lastCheckpoint(st exec.Status) string {
	if st.Progress.LastCompleted == 0 {
		return "-"
	}
	return fmt.Sprint(st.Progress.LastCompleted)
}

// Counts are the rows read by the sources, handed to the sinks, dropped as
// late, and left out because they could not be read.
func Counts(st exec.Status) (in, out, late, skipped int64) {
	for _, n := range st.Nodes {
		for _, t := range n.Subtasks {
			late += t.Late
			skipped += t.Skipped
			switch n.Kind {
			case "source":
				in += t.RowsIn
			case "sink":
				out += t.RowsIn
			}
		}
	}
	return in, out, late, skipped
}

// Watermark is the least watermark of the sources that are not idle or
// ended; MinTime if there is none.
func Watermark(st exec.Status) types.Time {
	least := types.MaxTime
	for _, sp := range st.Splits {
		if !sp.Idle && !sp.Ended {
			least = min(least, sp.Watermark)
		}
	}
	if least == types.MaxTime {
		return types.MinTime
	}
	return least
}

// Lag is the number of records that the sources have not read yet.
func Lag(st exec.Status) int64 {
	var lag int64
	for _, n := range st.Nodes {
		if n.Kind == "source" {
			for _, t := range n.Subtasks {
				lag += t.Lag
			}
		}
	}
	return lag
}

// showWatermarks answers SHOW WATERMARKS: where each split stands.
func (s *Session) showWatermarks() error {
	var rows [][]vec.Value
	for _, j := range s.Running() {
		for _, sp := range j.Status().Splits {
			state := "active"
			switch {
			case sp.Ended:
				state = "ended"
			case sp.Idle:
				state = "idle"
			}
			rows = append(rows, row(j.ID, sp.Source, sp.ID, sp.Watermark.String(), state, text(sp.Rows)))
		}
	}
	return s.texts([]string{"job id", "source", "split", "watermark", "state", "rows read"}, rows)
}

// describeJob answers DESCRIBE JOB: a row an operator.
func (s *Session) describeJob(id string) error {
	j := s.job(id)
	if j == nil {
		return userError("there is no job '%s'; SHOW JOBS lists them", id)
	}
	var rows [][]vec.Value
	for _, n := range j.Status().Nodes {
		var sum exec.SubtaskStatus
		mark := types.MaxTime
		for _, t := range n.Subtasks {
			sum.RowsIn += t.RowsIn
			sum.RowsOut += t.RowsOut
			sum.Late += t.Late
			sum.StateRows += t.StateRows
			sum.StateBytes += t.StateBytes
			sum.BusyNanos += t.BusyNanos
			mark = min(mark, t.Watermark)
		}
		rows = append(rows, row(n.Name, text(int64(len(n.Subtasks))), text(sum.RowsIn), text(sum.RowsOut), text(sum.Late), mark.String(),
			text(sum.StateRows), text(sum.StateBytes), round(time.Duration(sum.BusyNanos))))
	}
	return s.texts([]string{"operator", "subtasks", "rows in", "rows out", "late", "watermark", "state rows", "state bytes", "busy"}, rows)
}
