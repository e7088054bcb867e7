package state

// index maps hashes to slots: open addressing with linear probing, at most 3/4 full. It is not part of a snapshot:
// a restore builds it from the rows' hashes.
//
// An entry is the hash's high 32 bits (the tag) above slot+1; 0 is empty. The home of an entry is the top bits of its tag,
// so the index grows and shrinks back without looking at a row.
type index struct {
	entries []uint64
	shift   uint // home = tag >> shift
	count   int
}

const minIndexBits = 6

func newIndex() index { return sizedIndex(minIndexBits) }

func sizedIndex(bits uint) index {
	return index{entries: make([]uint64, 1<<bits), shift: 32 - bits}
}

// tagOf spreads the hash once more: key groups use its low bits, and a poor hash must not make runs.
func tagOf(hash uint64) uint32 { return uint32(hash * 0x9E3779B97F4A7C15 >> 32) }

func (x *index) home(tag uint32) int { return int(tag >> x.shift) }

func entry(tag uint32, slot int32) uint64 { return uint64(tag)<<32 | uint64(uint32(slot+1)) }

func (x *index) insert(tag uint32, slot int32) {
	mask := len(x.entries) - 1
	i := x.home(tag)
	for x.entries[i] != 0 {
		i = (i + 1) & mask
	}
	x.entries[i] = entry(tag, slot)
	x.count++
}

const fetchRows = 256

// fetch stores for each of at most fetchRows rows the slot of the first entry with its tag, -1 if there is none. Home entries
// are all loaded before the first is looked at: a branch that waits for memory would let only few loads be under way.
func (x *index) fetch(hashes []uint64, rows, slots []int32) {
	var homes [fetchRows]uint64
	entries, shift := x.entries, x.shift
	mask := len(entries) - 1
	for i, r := range rows {
		homes[i&(fetchRows-1)] = entries[int(tagOf(hashes[r])>>shift)&mask]
	}
	for i, r := range rows {
		e, tag := homes[i&(fetchRows-1)], tagOf(hashes[r])
		if e != 0 && uint32(e>>32) != tag {
			at := int(tag >> shift)
			for e != 0 && uint32(e>>32) != tag {
				at++
				e = entries[at&mask]
			}
		}
		slots[i] = int32(uint32(e)) - 1
	}
}

// remove takes out the entry of a slot and closes the gap: no tombstones.
func (x *index) remove(tag uint32, slot int32) {
	mask := len(x.entries) - 1
	want := entry(tag, slot)
	i := x.home(tag)
	for x.entries[i] != want {
		if invariants && x.entries[i] == 0 {
			panic("state: deleted slot is not in the index")
		}
		i = (i + 1) & mask
	}
	for j := i; ; {
		j = (j + 1) & mask
		e := x.entries[j]
		if e == 0 {
			break
		}
		h := x.home(uint32(e >> 32))
		if (j-h)&mask >= (j-i)&mask {
			x.entries[i] = e
			i = j
		}
	}
	x.entries[i] = 0
	x.count--
}

// reserve makes room for n more entries.
func (x *index) reserve(n int) {
	size := len(x.entries)
	for (x.count+n)*4 > size*3 {
		size *= 2
	}
	if size != len(x.entries) {
		x.resize(size)
	}
}

func (x *index) resize(size int) {
	bits := uint(0)
	for 1<<bits < size {
		bits++
	}
	old := x.entries
	*x = sizedIndex(bits)
	for _, e := range old {
		if e != 0 {
			x.insert(uint32(e>>32), int32(uint32(e))-1)
		}
	}
}

func (x *index) bytes() int { return 8 * len(x.entries) }
