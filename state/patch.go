package state

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// A page that lies in a chunk already, and of which few rows have changed, is not stored again: the changed rows are, as a
// patch. A page is read by taking the whole one and laying its patches over it, in their order.
const (
	// maxPatchRows is how many rows the patches of a page may have together: then it is stored as a whole. What has to be
	// read back is so at most about 1.4 times the state.
	maxPatchRows = PageRows / 4
	// maxPatches bounds the number of them: then they become one.
	maxPatches = 16
)

// rowBits is a set of rows of a page.
type rowBits [nullWords]uint64

func (b *rowBits) count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

func (b *rowBits) add(rows []uint16) {
	for _, r := range rows {
		b[r>>6] |= 1 << (r & 63)
	}
}

func (b *rowBits) list() []uint16 {
	rows := make([]uint16, 0, b.count())
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			rows = append(rows, uint16(i*64+bits.TrailingZeros64(w)))
		}
	}
	return rows
}

// changes are rows that were made writable: for each freeze that is later than the base, those since the freeze before.
// They do not change once they are here.
type changes struct {
	epoch uint64
	rows  []uint64 // a bit a slot
}

// maxChanges is how many are told apart; they pile up while checkpoints are aborted.
const maxChanges = 4

// takeChanges ends an epoch: what was changed in it belongs to its snapshot, and to later ones until base is the epoch of a
// completed one.
func (f *family) takeChanges(epoch, base uint64) []changes {
	f.past = slices.DeleteFunc(slices.Clone(f.past), func(c changes) bool { return c.epoch <= base })
	if len(f.past) == maxChanges {
		f.past = append([]changes{merged(f.past[0], f.past[1])}, f.past[2:]...)
	}
	f.past = append(f.past, changes{epoch, f.changed})
	f.changed = make([]uint64, len(f.changed))
	return f.past
}

// merged are the changes of two freezes, as those of the later one: too many for what builds between them, never too few.
func merged(a, b changes) changes {
	rows := slices.Clone(b.rows) // pages are never given back: b has at least those of a
	for i, w := range a.rows {
		rows[i] |= w
	}
	return changes{b.epoch, rows}
}

// changedRows are the rows of a page that changed after the epoch.
func (f *familyImage) changedRows(page int, after uint64) (b rowBits) {
	if f.epochs[page] <= after {
		return b
	}
	for _, c := range f.changes {
		if at := page * nullWords; c.epoch > after && at < len(c.rows) {
			for i, w := range c.rows[at : at+nullWords] {
				b[i] |= w
			}
		}
	}
	return b
}

// fate is what becomes of a page in a snapshot.
type fate struct {
	whole bool       // it is stored as a whole; else it stays where it lies,
	kept  []patchLoc // with these patches,
	rows  rowBits    // and a new one for these rows, if there are any
}

// fateOf decides. keeps says of each place whether what lies there may stay.
func fateOf(old pageLoc, changed rowBits, keeps func(loc) bool) fate {
	f := fate{rows: changed}
	if old.size == 0 || !keeps(old.loc) {
		return fate{whole: true}
	}
	sum := 0
	for _, p := range old.patches {
		if !keeps(p.loc) {
			f.rows.add(p.rows)
			continue
		}
		f.kept = append(f.kept, p)
		sum += len(p.rows)
	}
	n := f.rows.count()
	if n == 0 {
		return f
	}
	if len(f.kept) >= maxPatches {
		for _, p := range f.kept {
			f.rows.add(p.rows)
		}
		n, sum, f.kept = f.rows.count(), 0, nil
	}
	f.whole = n+sum > maxPatchRows
	return f
}

// appendPatch writes rows of page p of a family: their number, the distance of each from the one before, and column by column.
func (s *setImage) appendPatch(dst []byte, fam, p int, rows []uint16) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(rows)))
	last := -1
	for _, r := range rows {
		dst = binary.AppendUvarint(dst, uint64(int(r)-last))
		last = int(r)
	}
	for _, c := range s.fams[fam].cols {
		dst = c.appendRows(dst, p, rows)
	}
	return dst
}

// loadPatch lays a patch over page p of a family and returns its rows.
func (r *rowset) loadPatch(fam, p int, d *decoder) []uint16 {
	rows := make([]uint16, 0, min(d.count(1), PageRows))
	last := -1
	for range cap(rows) {
		gap := d.uint()
		if d.err == nil && (gap == 0 || gap > uint64(PageRows-1-last)) {
			d.err = fmt.Errorf("a patch of a row that is not in its page")
		}
		if d.err != nil {
			return nil
		}
		last += int(gap)
		rows = append(rows, uint16(last))
	}
	for _, c := range r.fams[fam].cols {
		c.loadRows(p, rows, d)
	}
	return rows
}
