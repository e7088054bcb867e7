package state

import "runtime"

// plan decides what a snapshot writes and what stays in chunks of its base.
//
// What has not changed since the base is kept if its chunk is worth keeping: at least half of it is kept. Small chunks are
// rewritten too when something is written anyway, so that they do not pile up.
type plan struct {
	base *base
	keep []bool // by chunk of the base: worth keeping
	used []bool // by chunk of the base: has something that was kept
}

func (s *Snapshot) plan() *plan {
	p := &plan{base: s.base, keep: make([]bool, len(s.base.chunks)), used: make([]bool, len(s.base.chunks))}
	live := make([]uint32, len(s.base.chunks))
	count := func(l loc) { p.base.eachPiece(l, func(chunk, _, size uint32) { live[chunk] += size }) }
	changed := false
	for _, t := range s.tables {
		for _, set := range t.sets {
			changed = p.count(set, count) || changed
		}
	}
	for i, c := range s.base.chunks {
		small := changed && c.size < chunkSmall
		p.keep[i] = live[i] > 0 && 2*live[i] >= c.size-chunkHead-chunkTail && !small
	}
	return p
}

// count calls live for each place that could stay as it is; true if something must be written.
func (p *plan) count(set *setImage, live func(loc)) (changed bool) {
	old := p.base.set(set.name)
	for i := range set.fams {
		for page := range set.fams[i].epochs {
			f := fateOf(old.page(i, page), set.fams[i].changedRows(page, p.base.epoch), func(loc) bool { return true })
			if f.whole {
				changed = true
				continue
			}
			live(old.page(i, page).loc)
			for _, k := range f.kept {
				live(k.loc)
			}
			changed = changed || f.rows != rowBits{}
		}
	}
	for b, epoch := range set.epochs {
		if l, known := p.base.known(old.blocks, b, epoch); known {
			live(l)
		} else {
			changed = true
		}
	}
	return changed
}

// keeps says whether all chunks of a place are kept.
func (p *plan) keeps(l loc) bool {
	whole := true
	p.base.eachPiece(l, func(chunk, _, _ uint32) { whole = whole && p.keep[chunk] })
	return whole
}

func (p *plan) use(l loc) { p.base.eachPiece(l, func(chunk, _, _ uint32) { p.used[chunk] = true }) }

func (b *base) set(name string) *setLocs {
	if l := b.sets[name]; l != nil {
		return l
	}
	return &setLocs{}
}

// page is where a page lies in the base; size 0: nowhere.
func (l *setLocs) page(fam, i int) pageLoc {
	if fam < len(l.fams) && i < len(l.fams[fam]) {
		return l.fams[fam][i]
	}
	return pageLoc{}
}

// setWriter writes what is not kept of a rowset. Chunk indexes in its result are those of the base for what is kept, and
// len(base.chunks) and up for what is new, until remap.
type setWriter struct {
	*plan
	set       *setImage
	old       *setLocs
	out       *packer
	buf       *[]byte
	abandoned func() bool
}

func (p *plan) write(set *setImage, out *packer, buf *[]byte, abandoned func() bool) (*setLocs, error) {
	w := &setWriter{p, set, p.base.set(set.name), out, buf, abandoned}
	locs := &setLocs{high: set.high}
	for f := range set.fams {
		fam := make([]pageLoc, len(set.fams[f].epochs))
		for i := range fam {
			var err error
			if fam[i], err = w.page(f, i); err != nil {
				return nil, err
			}
		}
		locs.fams = append(locs.fams, fam)
	}
	for b, epoch := range set.epochs {
		l, err := w.block(b, epoch)
		if err != nil {
			return nil, err
		}
		locs.blocks = append(locs.blocks, l)
	}
	return locs, nil
}

func (w *setWriter) page(fam, i int) (pageLoc, error) {
	old := w.old.page(fam, i)
	f := fateOf(old, w.set.fams[fam].changedRows(i, w.base.epoch), w.keeps)
	changed := f.rows != rowBits{}
	if f.whole || changed && w.set.dead(i) {
		*w.buf = w.set.appendPage((*w.buf)[:0], fam, i)
		l, err := w.put(*w.buf)
		return pageLoc{loc: l}, err
	}
	w.use(old.loc)
	for _, k := range f.kept {
		w.use(k.loc)
	}
	if !changed {
		return pageLoc{old.loc, f.kept}, nil
	}
	rows := f.rows.list()
	*w.buf = w.set.appendPatch((*w.buf)[:0], fam, i, rows)
	l, err := w.put(*w.buf)
	return pageLoc{old.loc, append(f.kept, patchLoc{l, rows})}, err
}

func (w *setWriter) block(b int, epoch uint64) (loc, error) {
	if l, ok := w.base.known(w.old.blocks, b, epoch); ok && w.keeps(l) {
		w.use(l)
		return l, nil
	}
	if len(w.set.blocks[b]) == 0 {
		return loc{}, nil
	}
	return w.put(w.set.blocks[b])
}

// put stores a page, patch or block. It lets others run first: writing is work of half a second in one piece, and rows that
// wait for a core meanwhile would wait for the scheduler's whole time slice.
func (w *setWriter) put(data []byte) (loc, error) {
	runtime.Gosched()
	if w.abandoned() {
		return loc{}, ErrAbandoned
	}
	l, err := w.out.add(data)
	l.chunk += uint32(len(w.base.chunks))
	return l, err
}

func (p *plan) keptChunks() []chunkUse {
	var kept []chunkUse
	for i, c := range p.base.chunks {
		if p.used[i] {
			kept = append(kept, c)
		}
	}
	return kept
}

func (p *plan) droppedRefs() []uint64 {
	var refs []uint64
	for i, c := range p.base.chunks {
		if !p.used[i] {
			refs = append(refs, c.ref)
		}
	}
	return refs
}

// remap turns chunk indexes into those of next.chunks: the kept ones move up, the new ones follow.
func (p *plan) remap(next *base) {
	to := make([]uint32, len(p.base.chunks))
	kept := uint32(0)
	for i, k := range p.used {
		to[i] = kept
		if k {
			kept++
		}
	}
	move := func(l *loc) {
		switch {
		case l.size == 0:
			*l = loc{}
		case int(l.chunk) < len(to):
			l.chunk = to[l.chunk]
		default:
			l.chunk += kept - uint32(len(to))
		}
	}
	for _, s := range next.sets {
		s.each(move)
	}
}

// each calls f for every place.
func (l *setLocs) each(f func(*loc)) {
	for _, fam := range l.fams {
		for i := range fam {
			f(&fam[i].loc)
			for k := range fam[i].patches {
				f(&fam[i].patches[k].loc)
			}
		}
	}
	for i := range l.blocks {
		f(&l.blocks[i])
	}
}
