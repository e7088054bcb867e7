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
	cols    []columnImage
	epochs  []uint64
	changes []changes
}

// freeze ends the clock's epoch for the table; base is that of the last completed snapshot.
func (t *Table) freeze(base uint64) *tableImage {
	i := &tableImage{layout: t.layout}
	for _, r := range t.sets() {
		i.sets = append(i.sets, r.freeze(base))
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

func (r *rowset) freeze(base uint64) *setImage {
	pages := pagesOf(r.high)
	i := &setImage{name: r.name, high: r.high, blocks: slices.Clone(r.arena.blocks), epochs: slices.Clone(r.arena.epoch)}
	for _, f := range r.fams {
		fi := familyImage{epochs: slices.Clone(f.epoch[:pages]), changes: f.takeChanges(r.clk.cur, base)}
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
	rows := s.rows(p)
	if s.dead(p) || len(s.fams[fam].cols) == 0 {
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

// rows is how many slots of page p are in use, or were.
func (s *setImage) rows(p int) int { return min(int(s.high)-p<<PageShift, PageRows) }

// dead says that no row of page p is live.
func (s *setImage) dead(p int) bool { return !slices.Contains(s.live.pages[p][:s.rows(p)], 1) }

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
