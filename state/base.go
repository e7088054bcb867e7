package state

// base is what a completed (or restored) snapshot stored where: the ground for the next, incremental one. It never changes
// once it is made, so a Write on another goroutine may read it.
type base struct {
	epoch  uint64 // pages with a later epoch have changed since
	chunks []chunkUse
	sets   map[string]*setLocs // by rowset name
}

// chunkUse is a chunk as the manifest lists it.
type chunkUse struct {
	ref  uint64
	size uint32 // the whole chunk, bytes
	crc  uint32 // of the whole chunk but its trailer, which repeats it
}

// setLocs is where the pages and blocks of a rowset lie.
type setLocs struct {
	high   int32
	fams   [][]pageLoc
	blocks []loc
}

// pageLoc is where a page lies, and the patches over it, the earliest first: each in a later chunk.
type pageLoc struct {
	loc
	patches []patchLoc
}

type patchLoc struct {
	loc
	rows []uint16 // ascending
}

// loc is where an encoded page lies: in the chunk with this index in the manifest's list, going on at the start of the
// following ones if it does not fit. A page is never empty; a block may be: size 0.
type loc struct{ chunk, off, size uint32 }

// known returns the place of a block in the base, if it has not changed since.
func (b *base) known(locs []loc, i int, epoch uint64) (loc, bool) {
	if epoch > b.epoch || i >= len(locs) {
		return loc{}, false
	}
	return locs[i], true
}

// eachPiece calls f for the parts of a page by chunk.
func (b *base) eachPiece(l loc, f func(chunk, off, size uint32)) {
	for left := l.size; left > 0; l.chunk, l.off = l.chunk+1, chunkHead {
		n := min(left, b.chunks[l.chunk].size-chunkTail-l.off)
		f(l.chunk, l.off, n)
		left -= n
	}
}
