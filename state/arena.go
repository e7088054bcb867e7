package state

// Bytes values lie in blocks of an arena, named by cells. Cell offsets count units of 8 bytes, so an arena holds up to 32 GB.
const (
	unitShift  = 3
	blockShift = 13 // a block is 8,192 units = 64 KB; a longer value has a block of its own
	blockBytes = 1 << (blockShift + unitShift)
	maxBlocks  = 1 << (32 - blockShift)
)

// cell locates a Bytes value: Off in units, Len in bytes. The zero cell is the empty value.
type cell struct{ Off, Len uint32 }

func (c cell) block() int { return int(c.Off >> blockShift) }
func (c cell) start() int { return int(c.Off&(1<<blockShift-1)) << unitShift }

// room is what a value takes of its block.
func room(length uint32) int { return (int(length) + 1<<unitShift - 1) &^ (1<<unitShift - 1) }

// arena holds the Bytes values of one rowset. Values are appended to the current block; a value is overwritten in place
// only if it fits and its block is writable anyway. What is freed becomes garbage: a block without live values is reused,
// and compaction (rowset.compact) moves values out of sparse blocks when garbage exceeds what lives.
//
// Invariants: live[b] is the sum of room() over the cells that point into block b; used and size are the sums of len(blocks[b]) and cap(blocks[b]);
// a block's bytes are only written while epoch[b] == clk.cur.
type arena struct {
	clk    *clock
	blocks [][]byte // len: filled, cap: size
	live   []int
	epoch  []uint64
	free   []int32 // empty blocks
	cur    int     // block that values are appended to; -1: none
	used   int
	alive  int
	size   int // sum of cap(blocks[b])
}

func newArena(clk *clock) *arena { return &arena{clk: clk, cur: -1} }

func (a *arena) get(c cell) []byte {
	if c.Len == 0 {
		return nil
	}
	at := c.start()
	return a.blocks[c.block()][at : at+int(c.Len) : at+int(c.Len)]
}

// put stores a copy of v.
func (a *arena) put(v []byte) cell {
	if len(v) == 0 {
		return cell{}
	}
	need := room(uint32(len(v)))
	b := a.blockFor(need)
	at := len(a.blocks[b])
	a.blocks[b] = a.blocks[b][:at+need]
	copy(a.blocks[b][at:], v)
	clear(a.blocks[b][at+len(v):])
	a.live[b] += need
	a.used += need
	a.alive += need
	return cell{uint32(b)<<blockShift | uint32(at>>unitShift), uint32(len(v))}
}

// replace stores v instead of the value of old.
func (a *arena) replace(old cell, v []byte) cell {
	if len(v) > 0 && old.Len > 0 && room(uint32(len(v))) == room(old.Len) && a.epoch[old.block()] == a.clk.cur {
		copy(a.blocks[old.block()][old.start():], v)
		return cell{old.Off, uint32(len(v))}
	}
	c := a.put(v)
	a.drop(old)
	return c
}

// drop makes the value garbage.
func (a *arena) drop(c cell) {
	if c.Len == 0 {
		return
	}
	b := c.block()
	a.live[b] -= room(c.Len)
	a.alive -= room(c.Len)
	if a.live[b] == 0 {
		a.recycle(b)
	}
}

// recycle empties a block that holds only garbage.
func (a *arena) recycle(b int) {
	a.used -= len(a.blocks[b])
	if a.clk.shared(a.epoch[b]) || cap(a.blocks[b]) != blockBytes {
		a.setBlock(b, nil) // still read by a snapshot, or of an odd size
	} else {
		a.blocks[b] = a.blocks[b][:0]
	}
	a.epoch[b] = a.clk.cur
	if b != a.cur {
		a.free = append(a.free, int32(b))
	}
}

// blockFor finds a writable block with room for need bytes.
func (a *arena) blockFor(need int) int {
	if a.cur >= 0 && len(a.blocks[a.cur])+need <= cap(a.blocks[a.cur]) {
		a.own(a.cur)
		return a.cur
	}
	if need > blockBytes/2 {
		return a.newBlock(need) // alone, so that the rest of cur is not wasted
	}
	if a.cur >= 0 && a.live[a.cur] == 0 {
		a.free = append(a.free, int32(a.cur))
	}
	a.cur = a.newBlock(blockBytes)
	return a.cur
}

func (a *arena) newBlock(size int) int {
	b := len(a.blocks)
	if n := len(a.free); n > 0 {
		b = int(a.free[n-1])
		a.free = a.free[:n-1]
	} else {
		if b >= maxBlocks {
			panic("state: an arena is over 32 GB; the memory limit must stop the job before")
		}
		a.blocks = append(a.blocks, nil)
		a.live = append(a.live, 0)
		a.epoch = append(a.epoch, 0)
	}
	if cap(a.blocks[b]) != size {
		a.setBlock(b, make([]byte, 0, size))
	}
	a.epoch[b] = a.clk.cur
	return b
}

// own makes a block writable.
func (a *arena) own(b int) {
	if a.epoch[b] == a.clk.cur {
		return
	}
	if a.clk.shared(a.epoch[b]) {
		fresh := make([]byte, len(a.blocks[b]), cap(a.blocks[b]))
		copy(fresh, a.blocks[b])
		a.blocks[b] = fresh
	}
	a.epoch[b] = a.clk.cur
}

// reset forgets every value.
func (a *arena) reset() {
	a.cur = -1
	a.free = a.free[:0]
	a.used, a.alive = 0, 0
	for b := len(a.blocks) - 1; b >= 0; b-- {
		a.live[b] = 0
		if a.epoch[b] != a.clk.cur && a.clk.shared(a.epoch[b]) || cap(a.blocks[b]) != blockBytes {
			a.setBlock(b, nil)
		}
		a.blocks[b] = a.blocks[b][:0]
		a.epoch[b] = a.clk.cur
		a.free = append(a.free, int32(b))
	}
}

// sparse says whether it is time to compact.
func (a *arena) sparse() bool { return a.used > 8*blockBytes && a.used > 2*a.alive }

func (a *arena) setBlock(b int, buf []byte) {
	a.size += cap(buf) - cap(a.blocks[b])
	a.blocks[b] = buf
}

// bytesColumn is a column of cells and the arena that they point into.
type bytesColumn struct {
	column[cell]
	arena *arena
}

func (c *bytesColumn) set(slot int32, v []byte) {
	p := c.ref(slot)
	*p = c.arena.replace(*p, v)
}

func (c *bytesColumn) copyCells(slots []int32, from pager, fromSlots []int32) {
	f := from.(*bytesColumn)
	for i, s := range slots {
		c.set(s, f.arena.get(f.at(fromSlots[i])))
		c.setNull(s, f.isNull(fromSlots[i]))
	}
}

// move stores the value anew, out of a block that is to be emptied.
func (c *bytesColumn) move(slot int32) {
	p := c.ref(slot)
	old := *p
	*p = c.arena.put(c.arena.get(old))
	c.arena.drop(old)
}
