package state

import (
	"encoding/binary"
	"slices"
)

// tableImage is a table as it was at a freeze: its own rowset first, then those of lists, sorted maps and timers in the
// order of the layout.
type tableImage struct {
	layout Layout
	sets   []*setImage
}

// setImage is a rowset as it was at a freeze. It shares pages and blocks with the live one, which copies them before it
// writes, so it can be read from another goroutine.
type setImage struct {
	name   string
	high   int32
	live   *columnCopy[uint8]
	fams   []familyImage
	blocks [][]byte
	epochs []uint64 // of blocks
}

type familyImage struct {
	cols   []columnImage
	epochs []uint64
}

func (t *Table) freeze() *tableImage {
	i := &tableImage{layout: t.layout}
	for _, r := range t.sets() {
		i.sets = append(i.sets, r.freeze())
	}
	return i
}

// sets is all rowsets, in the order of the manifest.
func (t *Table) sets() []*rowset {
	sets := []*rowset{t.rowset}
	for _, l := range t.lists {
		sets = append(sets, l.rowset)
	}
	for _, m := range t.sorted {
		sets = append(sets, m.rowset)
	}
	for _, m := range t.timers {
		sets = append(sets, m.list.rowset)
	}
	return sets
}

func (r *rowset) freeze() *setImage {
	pages := pagesOf(r.high)
	i := &setImage{name: r.name, high: r.high, blocks: slices.Clone(r.arena.blocks), epochs: slices.Clone(r.arena.epoch)}
	for _, f := range r.fams {
		fi := familyImage{epochs: slices.Clone(f.epoch[:pages])}
		for _, c := range f.cols {
			fi.cols = append(fi.cols, c.freeze())
		}
		i.fams = append(i.fams, fi)
	}
	i.live = i.fams[0].cols[0].(*columnCopy[uint8])
	return i
}

// pagesOf is the number of pages that hold slots below high.
func pagesOf(high int32) int { return int((high + PageMask) >> PageShift) }

// appendPage writes page p of a family: the number of rows, then column by column. A page without live rows is 0 rows.
func (s *setImage) appendPage(dst []byte, fam, p int) []byte {
	rows := min(int(s.high)-p<<PageShift, PageRows)
	if !slices.Contains(s.live.pages[p][:rows], 1) || len(s.fams[fam].cols) == 0 {
		rows = 0
	}
	dst = binary.AppendUvarint(dst, uint64(rows))
	if rows == 0 {
		return dst
	}
	for _, c := range s.fams[fam].cols {
		dst = c.append(dst, p, rows)
	}
	return dst
}

// loadPage reads page p of a family into the empty page of a rowset.
func (r *rowset) loadPage(fam, p int, d *decoder) {
	rows := d.uint()
	if d.err == nil && rows > PageRows {
		d.err = errTruncated
	}
	if d.err != nil || rows == 0 {
		return
	}
	for _, c := range r.fams[fam].cols {
		c.load(p, int(rows), d)
	}
}
