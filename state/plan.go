package state

// plan decides which pages a snapshot writes and which stay in chunks of its base.
//
// A page is kept if it has not changed since the base and its chunk is worth keeping: at least half of it is kept pages.
// Small chunks are rewritten too when something is written anyway, so that they do not pile up.
type plan struct {
	base *base
	keep []bool // by chunk of the base: worth keeping
	used []bool // by chunk of the base: has a page that was kept
}

func (s *Snapshot) plan() *plan {
	p := &plan{base: s.base, keep: make([]bool, len(s.base.chunks)), used: make([]bool, len(s.base.chunks))}
	live := make([]uint32, len(s.base.chunks))
	changed := false
	s.eachPage(func(l loc, known bool) {
		if !known {
			changed = true
			return
		}
		p.base.eachPiece(l, func(chunk, _, size uint32) { live[chunk] += size })
	})
	for i, c := range s.base.chunks {
		small := changed && c.size < chunkSmall
		p.keep[i] = live[i] > 0 && 2*live[i] >= c.size-chunkHead-chunkTail && !small
	}
	return p
}

// keeps says whether all chunks of a page are kept.
func (p *plan) keeps(l loc) bool {
	whole := true
	p.base.eachPiece(l, func(chunk, _, _ uint32) { whole = whole && p.keep[chunk] })
	return whole
}

// eachPage calls f with what the base knows of each page and block.
func (s *Snapshot) eachPage(f func(l loc, known bool)) {
	for _, t := range s.tables {
		for _, set := range t.sets {
			old := s.base.set(set.name)
			for i := range set.fams {
				for page, epoch := range set.fams[i].epochs {
					f(s.base.known(old.fam(i), page, epoch))
				}
			}
			for b, epoch := range set.epochs {
				f(s.base.known(old.blocks, b, epoch))
			}
		}
	}
}

func (b *base) set(name string) *setLocs {
	if l := b.sets[name]; l != nil {
		return l
	}
	return &setLocs{}
}

func (l *setLocs) fam(i int) []loc {
	if i < len(l.fams) {
		return l.fams[i]
	}
	return nil
}

// write stores the pages of a rowset that are not kept. (A page over several chunks is kept if all of them are.)
// The chunk indexes in the result are those of the base for kept
// pages, and len(base.chunks) and up for new ones, until remap.
func (p *plan) write(set *setImage, out *packer, page *[]byte, abandoned func() bool) (*setLocs, error) {
	old := p.base.set(set.name)
	locs := &setLocs{high: set.high}
	put := func(known []loc, i int, epoch uint64, encode func([]byte) []byte) (loc, error) {
		if l, ok := p.base.known(known, i, epoch); ok && p.keeps(l) {
			p.base.eachPiece(l, func(chunk, _, _ uint32) { p.used[chunk] = true })
			return l, nil
		}
		if abandoned() {
			return loc{}, ErrAbandoned
		}
		*page = encode((*page)[:0])
		if len(*page) == 0 {
			return loc{}, nil
		}
		l, err := out.add(*page)
		l.chunk += uint32(len(p.base.chunks))
		return l, err
	}
	for f := range set.fams {
		fam := make([]loc, len(set.fams[f].epochs))
		for i, epoch := range set.fams[f].epochs {
			l, err := put(old.fam(f), i, epoch, func(dst []byte) []byte { return set.appendPage(dst, f, i) })
			if err != nil {
				return nil, err
			}
			fam[i] = l
		}
		locs.fams = append(locs.fams, fam)
	}
	for b, epoch := range set.epochs {
		l, err := put(old.blocks, b, epoch, func(dst []byte) []byte { return append(dst, set.blocks[b]...) })
		if err != nil {
			return nil, err
		}
		locs.blocks = append(locs.blocks, l)
	}
	return locs, nil
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
	move := func(locs []loc) {
		for i := range locs {
			l := &locs[i]
			switch {
			case l.size == 0:
				*l = loc{}
			case int(l.chunk) < len(to):
				l.chunk = to[l.chunk]
			default:
				l.chunk += kept - uint32(len(to))
			}
		}
	}
	for _, s := range next.sets {
		for _, fam := range s.fams {
			move(fam)
		}
		move(s.blocks)
	}
}
