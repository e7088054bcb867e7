package render

import (
	"bufio"
	"encoding/csv"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/session"
)

// separated is csv or tsv with a header line; NULL is an empty field.
type separated struct {
	comma     rune
	columns   []types.Field
	changelog bool
	out       *csv.Writer
}

func (s *separated) header(w *bufio.Writer, columns []types.Field, changelog bool) {
	s.columns, s.changelog = columns, changelog
	s.out = csv.NewWriter(w)
	s.out.Comma = s.comma
	var names []string
	if changelog {
		names = append(names, "op")
	}
	for _, c := range columns {
		names = append(names, c.Name)
	}
	s.write(names)
}

// write leaves the error to the bufio.Writer below, which keeps it.
func (s *separated) write(record []string) {
	_ = s.out.Write(record)
	s.out.Flush()
}

func (s *separated) rows(_ *bufio.Writer, b *vec.Batch) {
	for _, r := range b.Rows() {
		var record []string
		if s.changelog {
			record = append(record, b.Op(int(r)).String())
		}
		for i, c := range s.columns {
			if b.Cols[i].IsNull(int(r)) {
				record = append(record, "")
				continue
			}
			record = append(record, string(vec.AppendText(nil, b.Cols[i], int(r), c.Type)))
		}
		_ = s.out.Write(record)
	}
	s.out.Flush()
}

func (s *separated) footer(*bufio.Writer, session.Summary, bool) {}

// vertical writes a line a column.
type vertical struct {
	columns   []types.Field
	changelog bool
	width     int
	n         int
}

func (v *vertical) header(_ *bufio.Writer, columns []types.Field, changelog bool) {
	v.columns, v.changelog, v.width, v.n = columns, changelog, 0, 0
	for _, c := range columns {
		v.width = max(v.width, len(c.Name))
	}
}

func (v *vertical) rows(w *bufio.Writer, b *vec.Batch) {
	for _, r := range b.Rows() {
		v.n++
		fmt.Fprintf(w, "-[ row %d ]", v.n)
		if v.changelog {
			fmt.Fprintf(w, " %s", b.Op(int(r)))
		}
		w.WriteByte('\n')
		for i, c := range v.columns {
			value := null
			if !b.Cols[i].IsNull(int(r)) {
				value = string(vec.AppendText(nil, b.Cols[i], int(r), c.Type))
			}
			fmt.Fprintf(w, "%-*s | %s\n", v.width, c.Name, value)
		}
	}
}

func (v *vertical) footer(w *bufio.Writer, s session.Summary, timing bool) {
	fmt.Fprintln(w, received(s, timing))
}
