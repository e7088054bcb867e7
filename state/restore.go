package state

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// restored is the manifests a backend was opened with.
type restored struct {
	chunks   ChunkReader
	all      []*manifest // of every old subtask: values
	overlap  []*manifest // those with key groups of this subtask: tables
	adopting bool        // the only one in overlap has no other groups: its pages are taken as they are
	read     *chunkCursor
}

func openRestored(o Options) (*restored, error) {
	r := &restored{chunks: o.Chunks}
	for i, data := range o.Manifests {
		m, err := decodeManifest(data)
		if err != nil {
			return nil, fmt.Errorf("subtask %d: %w", i, err)
		}
		r.all = append(r.all, m)
		if m.owned.Overlaps(o.Range) {
			r.overlap = append(r.overlap, m)
		}
	}
	if len(r.all) > 0 {
		if err := r.checkGroups(); err != nil {
			return nil, err
		}
	}
	r.adopting = len(r.overlap) == 1 && o.Range.covers(r.overlap[0].owned)
	return r, nil
}

// checkGroups refuses manifests that leave out a key group or have one twice: a subtask's manifest is missing.
func (r *restored) checkGroups() error {
	var owner [MaxParallelism]int
	for _, m := range r.all {
		for g := int(m.owned.First); g <= int(m.owned.Last); g++ {
			owner[g]++
		}
	}
	for g, n := range owner {
		if n != 1 {
			return fmt.Errorf("key group %d is in %d of the checkpoint's %d manifests", g, n, len(r.all))
		}
	}
	return nil
}

// base is the ground for the first snapshot after the restore: what was adopted is not written again.
func (r *restored) base() *base {
	b := &base{sets: map[string]*setLocs{}}
	if r.adopting {
		b.chunks = r.overlap[0].chunks
	}
	return b
}

func (m *manifest) table(name string) *tableLocs {
	for i := range m.tables {
		if m.tables[i].layout.Name == name {
			return &m.tables[i]
		}
	}
	return nil
}

// fill loads into a new table what the manifests have for it.
func (r *restored) fill(b *Backend, t *Table) error {
	for _, m := range r.overlap {
		old := m.table(t.layout.Name)
		if old == nil {
			continue
		}
		same := old.layout.equal(t.layout)
		if !same && (t.layout.Migrate == nil || !slices.Equal(old.layout.Keys, t.layout.Keys)) {
			return fmt.Errorf("the checkpoint has another layout (%s) than this program (%s), and there is no way to convert it; "+
				"start from an empty state directory or with the version that wrote it", old.layout, t.layout)
		}
		if same && r.adopting {
			if err := r.load(m, old, t); err != nil {
				return err
			}
			for i, set := range t.sets() {
				b.base.sets[set.name] = &old.sets[i]
			}
			continue
		}
		from := newTable(&clock{cur: 1}, old.layout, m.owned)
		if err := r.load(m, old, from); err != nil {
			return err
		}
		if err := t.absorb(from, same); err != nil {
			return err
		}
	}
	return nil
}

func (r *restored) value(name string) (all [][]byte) {
	for _, m := range r.all {
		for _, v := range m.values {
			if v.name == name {
				all = append(all, v.data)
			}
		}
	}
	return all
}

// unclaimed names what the manifests have and the operator did not declare.
func (r *restored) unclaimed(b *Backend) (names []string) {
	for _, m := range r.all {
		for _, t := range m.tables {
			if !slices.ContainsFunc(b.tables, func(x *Table) bool { return x.layout.Name == t.layout.Name }) {
				names = append(names, "table "+t.layout.Name)
			}
		}
		for _, v := range m.values {
			if !slices.ContainsFunc(b.values, func(x *Value) bool { return x.name == v.name }) {
				names = append(names, "value "+v.name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// chunkCursor reads the chunks of one manifest and keeps the last one.
type chunkCursor struct {
	r    ChunkReader
	m    *manifest
	at   uint32
	data []byte
	page []byte
}

func (c *chunkCursor) chunk(i uint32) ([]byte, error) {
	if c.data != nil && c.at == i {
		return c.data, nil
	}
	use := c.m.chunks[i]
	data, err := c.r.Get(use.ref)
	if err != nil {
		return nil, fmt.Errorf("chunk %d: %w", use.ref, err)
	}
	if err := checkChunk(use, data); err != nil {
		return nil, err
	}
	c.at, c.data = i, data
	return data, nil
}

// get returns an encoded page, valid until the next call.
func (c *chunkCursor) get(l loc) ([]byte, error) {
	c.page = c.page[:0]
	for left := l.size; left > 0; l.chunk, l.off = l.chunk+1, chunkHead {
		data, err := c.chunk(l.chunk)
		if err != nil {
			return nil, err
		}
		n := min(left, uint32(len(data))-chunkTail-l.off)
		if n == l.size {
			return data[l.off : l.off+n], nil
		}
		c.page = append(c.page, data[l.off:l.off+n]...)
		left -= n
	}
	return c.page, nil
}

// pageJob is a page, patch or block to load; fam -1: block.
type pageJob struct {
	at      loc
	set     *rowset
	fam, no int
	patch   *patchLoc // its rows are noted
}

// load fills an empty table with pages as they are, reading each chunk about once. A patch lies in a later chunk than what
// it is laid over, so the order of chunks is right.
func (r *restored) load(m *manifest, from *tableLocs, t *Table) error {
	if r.chunks == nil {
		return errors.New("there is no reader of chunks to restore from")
	}
	if r.read == nil || r.read.m != m {
		r.read = &chunkCursor{r: r.chunks, m: m}
	}
	var jobs []pageJob
	for i, set := range t.sets() {
		jobs = set.prepare(&from.sets[i], jobs)
	}
	slices.SortFunc(jobs, func(a, b pageJob) int {
		return cmp.Or(cmp.Compare(a.at.chunk, b.at.chunk), cmp.Compare(a.at.off, b.at.off))
	})
	for _, j := range jobs {
		if err := r.loadOne(j); err != nil {
			return err
		}
	}
	for _, set := range t.sets() {
		if err := set.recount(); err != nil {
			return fmt.Errorf("%s is damaged: %w", set.name, err)
		}
	}
	t.rebuild()
	return nil
}

func (r *restored) loadOne(j pageJob) error {
	data, err := r.read.get(j.at)
	if err != nil {
		return err
	}
	if j.fam < 0 {
		j.set.arena.setBlock(j.no, append(make([]byte, 0, len(data)), data...))
		return nil
	}
	d := &decoder{data: data}
	if j.patch != nil {
		j.patch.rows = j.set.loadPatch(j.fam, j.no, d)
	} else {
		j.set.loadPage(j.fam, j.no, d)
	}
	if d.err == nil && len(d.data) > 0 {
		d.err = errors.New("it goes on after its end")
	}
	if d.err != nil {
		return fmt.Errorf("chunk %d is damaged: page %d of %s: %w", r.read.m.chunks[j.at.chunk].ref, j.no, j.set.name, d.err)
	}
	return nil
}

// prepare makes empty pages, which count as unchanged since the base, and lists what fills them.
func (r *rowset) prepare(from *setLocs, jobs []pageJob) []pageJob {
	r.high, r.clean = from.high, from.high
	for i, f := range r.fams {
		for p := range from.fams[i] {
			f.addPage()
			f.epoch[p] = 0
			at := &from.fams[i][p]
			jobs = append(jobs, pageJob{at: at.loc, set: r, fam: i, no: p})
			for k := range at.patches {
				jobs = append(jobs, pageJob{at.patches[k].loc, r, i, p, &at.patches[k]})
			}
		}
	}
	a := r.arena
	a.blocks = make([][]byte, len(from.blocks))
	a.live = make([]int, len(from.blocks))
	a.epoch = make([]uint64, len(from.blocks))
	for b, at := range from.blocks {
		if at.size > 0 {
			jobs = append(jobs, pageJob{at: at, set: r, fam: -1, no: b})
		}
	}
	return jobs
}

// recount finds live and free slots and what lives in the arena.
func (r *rowset) recount() error {
	a := r.arena
	for s := r.high - 1; s >= 0; s-- {
		if r.live.at(s) == 0 {
			r.free = append(r.free, s)
			continue
		}
		r.count++
		for _, c := range r.data {
			v := c.at(s)
			if v.Len == 0 {
				continue
			}
			if v.block() >= len(a.blocks) || v.start()+room(v.Len) > len(a.blocks[v.block()]) {
				return fmt.Errorf("slot %d has a value outside the arena", s)
			}
			a.live[v.block()] += room(v.Len)
			a.alive += room(v.Len)
		}
	}
	for b := len(a.blocks) - 1; b >= 0; b-- {
		a.used += len(a.blocks[b])
		switch {
		case len(a.blocks[b]) == 0:
			a.free = append(a.free, int32(b))
		case a.live[b] == 0:
			a.recycle(b)
		}
	}
	return nil
}

// rebuild makes what is not in snapshots: the index, and the order of timers.
func (t *Table) rebuild() {
	t.index.reserve(t.count)
	t.each(func(s int32) { t.index.insert(tagOf(t.Hash(s)), s) })
	for _, m := range t.timers {
		m.rebuild()
	}
}
