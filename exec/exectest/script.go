package exectest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// step is a command of a script: rows of one input, or a time.
type step struct {
	command string // rows, watermark, now, flush
	in      int
	rows    *vec.Batch
	at      types.Time
}

func parseScript(c Case, script string) ([]step, error) {
	var steps []step
	in := 0
	for n, line := range strings.Split(script, "\n") {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		var err error
		switch {
		case line == "" || line[0] == '#':
			continue
		case word == "in":
			in, err = strconv.Atoi(rest)
			if err == nil && in >= len(c.Inputs) {
				err = fmt.Errorf("there is no input %d", in)
			}
		case word == "watermark" || word == "now":
			var at types.Time
			at, err = ParseTime(rest)
			steps = append(steps, step{command: word, at: at})
		case word == "flush":
			steps = append(steps, step{command: word})
		default:
			steps, err = addRow(c, steps, in, line)
		}
		if err != nil {
			return nil, fmt.Errorf("script line %d: %w", n+1, err)
		}
	}
	return steps, nil
}

// addRow adds to the rows of the step before, if they are of the same input.
func addRow(c Case, steps []step, in int, line string) ([]step, error) {
	n := len(steps)
	if n == 0 || steps[n-1].command != "rows" || steps[n-1].in != in {
		steps = append(steps, step{command: "rows", in: in, rows: vec.NewBatch(Types(c.Inputs[in].Fields)...)})
		n++
	}
	return steps, appendLine(steps[n-1].rows, c.Inputs[in].Fields, line)
}

// ParseTime reads "2024-01-01 00:00:05", milliseconds, "max" or "min".
func ParseTime(text string) (types.Time, error) {
	switch text = strings.TrimSpace(text); text {
	case "max":
		return types.MaxTime, nil
	case "min":
		return types.MinTime, nil
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		return types.Time(ms), nil
	}
	d, err := parseTime(text)
	return types.TimeOf(d), err
}

// cut splits rows into batches of a size; 0: one batch.
func cut(b *vec.Batch, size int) []*vec.Batch {
	if size == 0 || size >= b.N {
		return []*vec.Batch{b}
	}
	var parts []*vec.Batch
	for from := 0; from < b.N; from += size {
		part := emptyLike(b)
		part.AppendRows(b, vec.Identity(b.N)[from:min(from+size, b.N)])
		parts = append(parts, part)
	}
	return parts
}

func emptyLike(b *vec.Batch) *vec.Batch {
	e := b.Clone()
	e.Reset()
	return e
}

// spread copies rows to a batch in which every second row is another one that
// is not selected.
func spread(b *vec.Batch) *vec.Batch {
	wide := emptyLike(b)
	var sel []int32
	for i := range b.N {
		other := (i + 1) % b.N
		wide.AppendRows(b, []int32{int32(other), int32(i)})
		sel = append(sel, int32(2*i+1))
	}
	wide.Sel = sel
	return wide
}
