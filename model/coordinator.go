// The coordinator: barriers, aborted checkpoints, the durable metadata.
package main

func (p *Proc) drop(k int) {
	if k == 0 {
		p.cks[0] = p.cks[1]
	}
	p.cks[1] = Ck{}
}

func (s *State) coordinator(i int, out emit) {
	p := &s.p[i]
	s.inject(i, out)
	for k := range p.cks {
		c := &p.cks[k]
		if c.n == 0 || c.aborted {
			continue
		}
		all := c.acked == 1<<p.par-1
		if s.ckab > 0 {
			s.abortCheckpoint(i, k, all, out)
		}
		if !all {
			continue
		}
		if opt.MCommitEarly {
			s.commitEarly(i, c, out)
		}
		s.storeCheckpoint(i, c, out)
	}
}

// inject begins a checkpoint, if one is due and may.
func (s *State) inject(i int, out emit) {
	p := &s.p[i]
	d := &s.d[p.dir]
	live, high, final := 0, d.pos, d.final
	for _, c := range p.cks {
		if c.n != 0 && !c.aborted {
			live++
			high = max(high, c.bpos)
			final = final || c.final
		}
	}
	top := uint8(0)
	for w := 0; w < int(p.par); w++ {
		top = max(top, p.w[w].pos)
	}
	fin := int(top) == opt.K && !opt.Endless
	if live >= opt.MaxConc || p.cks[1].n != 0 || final || p.next > 7 || !fin && (int(p.next) > opt.C && !opt.Endless || top <= high) {
		return
	}
	n := *s
	q := &n.p[i]
	k := 0
	if q.cks[0].n != 0 {
		k = 1
	}
	q.cks[k] = Ck{n: p.next, bpos: top, final: fin}
	q.next++
	n.skip(i)
	out(L("%sinjects barrier %d at position %d (final %v)", who(i), p.next, top, fin), &n)
}

func (s *State) abortCheckpoint(i, k int, all bool, out emit) {
	c := s.p[i].cks[k]
	n := *s
	n.ckab--
	q := &n.p[i]
	if opt.MDropAborted {
		for id := range q.mem {
			if q.mem[id].ck == c.n {
				q.mem[id] = Com{}
			}
		}
	}
	m := n
	q.drop(k)
	n.skip(i)
	out(L("%scheckpoint %d is aborted; barriers not yet met are cancelled", who(i), c.n), &n)
	if !all {
		m.p[i].cks[k].aborted = true
		m.p[i].cks[k].com = [maxID]Com{}
		out(L("%scheckpoint %d is aborted; its barrier still travels, acks will be late", who(i), c.n), &m)
	}
}

func (s *State) commitEarly(i int, c *Ck, out emit) {
	for id := uint8(0); id < nIDs(); id++ {
		if o := c.com[id]; o.ck != 0 && s.t[id].st == sOngoing && s.t[id].ep == o.ep {
			n := *s
			n.endTxn(id, o.ep)
			out(L("%sEndTxn(commit) of id %d before checkpoint %d is stored", who(i), id, c.n), &n)
		}
	}
}

// storeCheckpoint makes the metadata durable: from now on it is decided.
func (s *State) storeCheckpoint(i int, c *Ck, out emit) {
	n := *s
	q := &n.p[i]
	e := &n.d[q.dir]
	if opt.MSkipSync && i == 0 {
		n.bak, n.hasBak = s.d[q.dir], true
	}
	e.ck, e.pos, e.final = c.n, c.bpos, c.final
	for id := uint8(0); id < nIDs(); id++ {
		o := c.com[id]
		if o.ck == 0 || opt.Subtract && (q.mem[id].ck == 0 || q.mem[id].ep != o.ep) {
			continue
		}
		if e.pend[id].ck != 0 && e.pend[id].ep != o.ep {
			n.fail(vConflict)
		}
		e.pend[id] = o
	}
	for k := 1; k >= 0; k-- {
		if q.cks[k].n != 0 && q.cks[k].n <= c.n {
			q.drop(k)
		}
	}
	if e.final && none(e.pend) {
		n.finish(i)
	}
	n.skip(i)
	out(L("%sstores checkpoint %d: position %d, pending %s", who(i), c.n, c.bpos, coms(e.pend)), &n)
}

func (s *State) finish(i int) {
	p := &s.p[i]
	d := &s.d[p.dir]
	d.fin = true
	p.ph = pDone
	want := [2]uint8{}
	for r := 0; r < opt.K; r++ {
		if opt.Sinks == 2 {
			want[0] |= 1 << r
			want[1] |= 1 << r
		} else {
			want[r%opt.Keys] |= 1 << r
		}
	}
	for q := range want {
		if want[q]&^(s.committed(uint8(q))|d.lost|s.gone[q]) != 0 {
			s.fail(vMiss)
		}
	}
}
