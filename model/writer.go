// Writers: records, barriers, pre-commit.
package main

// skip lets writers pass records that are routed elsewhere.
func (s *State) skip(i int) {
	p := &s.p[i]
	if p.ph != pRun {
		return
	}
	for w := 0; w < int(p.par); w++ {
		x := &p.w[w]
		for int(x.pos) < opt.K && !routed(w, int(x.pos), int(p.par)) && s.due(i, w) < 0 {
			x.pos++
		}
	}
}

// due is the checkpoint whose barrier stands before writer w now, -1 if none.
func (s *State) due(i, w int) int {
	p := &s.p[i]
	for k := range p.cks {
		if c := &p.cks[k]; c.n != 0 && c.acked>>w&1 == 0 && c.bpos == p.w[w].pos {
			return k
		}
	}
	return -1
}

func (p *Proc) free(w int, but uint8) int {
	for sl := 0; sl < opt.P; sl++ {
		id := idOf(w, int(p.half), sl)
		if p.mem[id].ck == 0 && id+1 != but && p.parked>>id&1 == 0 {
			return int(id)
		}
	}
	return -1
}

func (s *State) writer(i, w int, out emit) {
	p := &s.p[i]
	x := p.w[w]
	if k := s.due(i, w); k >= 0 {
		s.barrier(i, w, k, out)
		return
	}
	switch {
	case int(x.pos) >= opt.K:
	case x.open == 0:
		if id := p.free(w, 0); id >= 0 { // else blocked until an id is free
			s.open(i, w, uint8(id), out)
		}
	default:
		s.write(i, w, out)
	}
}

// write appends the writer's next record to its transaction.
func (s *State) write(i, w int, out emit) {
	p := &s.p[i]
	x := p.w[w]
	id := x.open - 1
	n := *s
	if n.produce(id, p.know[id], stream(w, int(x.pos)), x.pos) {
		y := &n.p[i].w[w]
		y.recs |= 1 << x.pos
		y.pos++
		n.skip(i)
		out(L("%swriter %d writes record %d to id %d epoch %d", who(i), w, x.pos, id, p.know[id]), &n)
	} else {
		n.restart(i)
		out(L("%swriter %d: Produce refused (47): restart inside the process", who(i), w), &n)
	}
}

// open begins a transaction: InitProducerId and the question to the owner id.
func (s *State) open(i, w int, id uint8, out emit) {
	p := &s.p[i]
	switch {
	case opt.Plain && p.probed == id+1:
		s.openAsked(i, w, id, out)
	case opt.Plain:
		s.openPlain(i, w, id, out)
	case opt.Probe && p.probed != id+1:
		n := *s
		n.p[i].probed = id + 1
		if s.own != p.own {
			n.p[i].ph = pFenced
		}
		out(L("%swriter %d asks the owner id whether it is still ours: %v", who(i), w, s.own == p.own), &n)
	default:
		s.open360(i, w, id, out)
	}
}

// openAsked: the answer of the owner id, after InitProducerId.
func (s *State) openAsked(i, w int, id uint8, out emit) {
	n := *s
	q := &n.p[i]
	q.probed = 0
	q.w[w].open, q.w[w].gen = id+1, s.gen
	if s.own != q.own {
		n.foreign(i)
	}
	out(L("%swriter %d asks the owner id: still ours=%v", who(i), w, s.own == s.p[i].own), &n)
}

func (s *State) openPlain(i, w int, id uint8, out emit) {
	n := *s
	q := &n.p[i]
	if !opt.MReuseEpoch {
		q.know[id] = n.initPlain(id, byFence)
	}
	if alone() {
		q.w[w].open, q.w[w].gen = id+1, s.gen
	} else {
		q.probed = id + 1
	}
	out(L("%swriter %d begins on id %d, plain InitProducerId: epoch %d", who(i), w, id, q.know[id]), &n)
	s.openLate(i, w, Msg{mInitPlain, id, 0}, out)
}

func (s *State) open360(i, w int, id uint8, out emit) {
	p := &s.p[i]
	n := *s
	q := &n.p[i]
	q.probed = 0
	ok := true
	if !opt.MReuseEpoch {
		q.know[id], ok = n.init360(id, p.know[id], byFence)
	}
	if ok {
		q.w[w].open, q.w[w].gen = id+1, s.gen
	} else {
		q.know[id] = p.know[id]
		q.ph = pFenced
	}
	out(L("%swriter %d begins on id %d, InitProducerId(own epoch %d): ok=%v epoch %d", who(i), w, id, p.know[id], ok, q.know[id]), &n)
	s.openLate(i, w, Msg{mInit360, id, p.know[id]}, out)
}

// openLate: the InitProducerId gets no answer, and its id is parked.
func (s *State) openLate(i, w int, m Msg, out emit) {
	if opt.DelayInit&1 == 0 {
		return
	}
	n := *s
	if opt.Park {
		n.p[i].parked |= 1 << m.id
	}
	if n.send(m) {
		out(L("%swriter %d begins on id %d: no answer, the InitProducerId (own epoch %d) stays under way", who(i), w, m.id, m.ep), &n)
	}
}

func (s *State) barrier(i, w, k int, out emit) {
	p := &s.p[i]
	c := &p.cks[k]
	x := p.w[w]
	n := *s
	q := &n.p[i]
	if x.open != 0 && x.recs != 0 {
		id := x.open - 1
		if p.free(w, x.open) < 0 && !(c.final && opt.FinalFree) {
			if c.acked == 0 && p.next == c.n+1 {
				q.next--
			}
			q.drop(k)
			if opt.PoolRestart && none(s.d[p.dir].pend) && q.cks[0].n == 0 {
				n.restart(i)
			}
			n.skip(i)
			out(L("%swriter %d declines checkpoint %d: no id is free", who(i), w, c.n), &n)
			return
		}
		if s.t[id].ep != p.know[id] || s.t[id].st != sOngoing {
			n.restart(i)
			out(L("%swriter %d: flush or marker of id %d refused: restart inside the process", who(i), w, id), &n)
			return
		}
		if opt.Gen && x.gen != s.gen {
			n.restart(i)
			out(L("%swriter %d: the topic is another one than before the first write of id %d: restart inside the process", who(i), w, id), &n)
			return
		}
		n.t[id].mk = mark(p.run, c.n, p.know[id])
		q.mem[id] = Com{p.know[id], c.n, x.recs, p.run, s.gen}
		q.w[w].open, q.w[w].recs, q.w[w].gen = 0, 0, 0
	}
	z := &q.cks[k]
	z.acked |= 1 << w
	if !c.aborted {
		for id := uint8(0); id < nIDs(); id++ {
			if writerOf(id) == w {
				z.com[id] = q.mem[id]
			}
		}
	} else if z.acked == 1<<p.par-1 {
		q.drop(k)
	}
	n.skip(i)
	out(L("%swriter %d meets barrier %d: pre-commits, acks with %s", who(i), w, c.n, coms(q.mem)), &n)
}

// drop forgets a checkpoint in flight.
