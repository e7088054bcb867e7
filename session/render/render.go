// Package render writes results as text: tables for people, csv, tsv, jsonl
// and the like for programs.
package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/session"
)

// Options of a writer.
type Options struct {
	Out    io.Writer // results
	Notice io.Writer // lines for people; nil: dropped
	// Terminal: Out is one, so that long values may be cut and headers come
	// again; Height is its number of lines.
	Terminal bool
	Height   int
	Timing   bool // the footer names the time
}

// Formats are the names that New takes.
var Formats = []string{"tableau", "table", "changelog", "vertical", "csv", "tsv", "jsonl", "markdown"}

// New makes the writer of a format.
func New(format string, o Options) (session.Output, error) {
	w := &writer{opt: o, out: bufio.NewWriterSize(o.Out, 64<<10)}
	switch strings.ToLower(format) {
	case "", "tableau", "changelog", "table":
		w.body = &tableau{terminal: o.Terminal, height: o.Height}
	case "vertical":
		w.body = &vertical{}
	case "csv":
		w.body = &separated{comma: ','}
	case "tsv":
		w.body = &separated{comma: '\t'}
	case "jsonl":
		w.body = &jsonl{}
	case "markdown":
		w.body = &tableau{markdown: true}
	default:
		return nil, fmt.Errorf("unknown output format '%s'; known are %s", format, strings.Join(Formats, ", "))
	}
	return w, nil
}

// body writes the parts of a result.
type body interface {
	header(w *bufio.Writer, columns []types.Field, changelog bool)
	rows(w *bufio.Writer, b *vec.Batch)
	footer(w *bufio.Writer, s session.Summary, timing bool)
}

// writer is an Output in one format.
type writer struct {
	opt  Options
	out  *bufio.Writer
	body body
}

func (w *writer) Begin(columns []types.Field, changelog bool) error {
	w.body.header(w.out, columns, changelog)
	return w.out.Flush()
}

func (w *writer) Rows(b *vec.Batch) error {
	w.body.rows(w.out, b)
	return w.out.Flush()
}

func (w *writer) End(s session.Summary) error {
	w.body.footer(w.out, s, w.opt.Timing)
	return w.out.Flush()
}

func (w *writer) Notice(text string) {
	if w.opt.Notice != nil {
		fmt.Fprintln(w.opt.Notice, text)
	}
}

// received is the footer's text.
func received(s session.Summary, timing bool) string {
	noun := "rows"
	if s.Rows == 1 {
		noun = "row"
	}
	text := fmt.Sprintf("Received a total of %d %s", s.Rows, noun)
	if s.Cancelled {
		text = fmt.Sprintf("Query cancelled after %d %s", s.Rows, noun)
	} else if !s.Streamed {
		text = fmt.Sprintf("%d %s in set", s.Rows, noun)
	}
	if timing || s.Streamed {
		text += fmt.Sprintf(" (%.1f s)", s.Elapsed.Seconds())
	}
	return text
}
