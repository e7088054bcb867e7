package render

import (
	"bufio"
	"bytes"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/session"
)

// tableau is a table that grows downwards: widths come from the first rows;
// when a later value is wider, the header is written again.
type tableau struct {
	terminal, markdown bool
	height             int
	columns            []types.Field
	changelog          bool
	widths             []int
	right              []bool
	lines              int // since the header
	begun              bool
	plain              bool // the result was one value of several lines
}

const (
	null = "<NULL>"
	// maxCell bounds a cell on a terminal.
	maxCell = 64
)

func (t *tableau) header(_ *bufio.Writer, columns []types.Field, changelog bool) {
	t.columns, t.changelog, t.begun, t.plain, t.lines = columns, changelog, false, false, 0
	t.widths, t.right = t.widths[:0], t.right[:0]
	if changelog {
		t.widths, t.right = append(t.widths, 2), append(t.right, false)
	}
	for _, c := range columns {
		t.widths = append(t.widths, text.StringWidthWithoutEscSequences(c.Name))
		t.right = append(t.right, c.Type.IsNumeric())
	}
}

func (t *tableau) names() []string {
	var names []string
	if t.changelog {
		names = append(names, "op")
	}
	for _, c := range t.columns {
		names = append(names, c.Name)
	}
	return names
}

func (t *tableau) rows(w *bufio.Writer, b *vec.Batch) {
	if t.spills(b) {
		t.begun, t.plain = true, true
		w.WriteString(strings.TrimSuffix(t.cell(b.Cols[0], 0, t.columns[0].Type), "\n") + "\n")
		return
	}
	var cells [][]string
	wider := false
	for _, r := range b.Rows() {
		row := t.cells(b, int(r))
		for i, c := range row {
			if n := text.StringWidthWithoutEscSequences(c); n > t.widths[i] {
				t.widths[i], wider = n, true
			}
		}
		cells = append(cells, row)
	}
	if !t.begun || wider {
		t.head(w)
	}
	for _, row := range cells {
		if t.terminal && t.height > 10 && t.lines >= t.height-6 {
			t.head(w)
		}
		t.line(w, row, t.right)
		t.lines++
	}
}

func (t *tableau) cells(b *vec.Batch, r int) []string {
	var row []string
	if t.changelog {
		row = append(row, b.Op(r).String())
	}
	for i, c := range t.columns {
		row = append(row, t.cell(b.Cols[i], r, c.Type))
	}
	return row
}

func (t *tableau) cell(v *vec.Vector, r int, typ types.Type) string {
	if v.IsNull(r) {
		return null
	}
	s := string(vec.AppendText(nil, v, r, typ))
	if t.markdown {
		return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s)
	}
	if strings.Contains(s, "\n") && len(t.columns) == 1 {
		return s
	}
	s = strings.NewReplacer("\n", `\n`, "\t", `\t`, "\x1b", `\e`).Replace(s)
	if t.terminal && text.StringWidthWithoutEscSequences(s) > maxCell {
		s = text.Trim(s, maxCell-1) + "…"
	}
	return s
}

func (t *tableau) head(w *bufio.Writer) {
	if t.markdown {
		if !t.begun {
			t.line(w, t.names(), make([]bool, len(t.widths)))
			t.rule(w, "|", "|")
		}
		t.begun = true
		return
	}
	t.rule(w, "+", "+")
	t.line(w, t.names(), t.right)
	t.rule(w, "+", "+")
	t.begun, t.lines = true, 0
}

func (t *tableau) rule(w *bufio.Writer, edge, between string) {
	for i, n := range t.widths {
		if i == 0 {
			w.WriteString(edge)
		} else {
			w.WriteString(between)
		}
		w.WriteString(strings.Repeat("-", n+2))
	}
	w.WriteString(edge + "\n")
}

func (t *tableau) line(w *bufio.Writer, row []string, right []bool) {
	for i, c := range row {
		w.WriteString("| ")
		pad := strings.Repeat(" ", max(0, t.widths[i]-text.StringWidthWithoutEscSequences(c)))
		if right[i] {
			w.WriteString(pad + c)
		} else {
			w.WriteString(c + pad)
		}
		w.WriteByte(' ')
	}
	w.WriteString("|\n")
}

// spills: one value of several lines (a plan, a CREATE TABLE) is written as
// it is, without a frame.
func (t *tableau) spills(b *vec.Batch) bool {
	return len(t.columns) == 1 && b.N == 1 && b.Cols[0].Kind == vec.Bytes && bytes.IndexByte(b.Cols[0].BytesAt(0), '\n') >= 0
}

func (t *tableau) footer(w *bufio.Writer, s session.Summary, timing bool) {
	if t.markdown || t.plain {
		return
	}
	if !t.begun {
		t.head(w)
	} else {
		t.rule(w, "+", "+")
	}
	w.WriteString(received(s, timing) + "\n")
}
