// The committer: one pending transaction after the other. EndTxn, and on
// doubt fence, ask, decide.
package main

// resolve commits one pending transaction.
func (s *State) resolve(i int, out emit) {
	p := &s.p[i]
	if p.cur == 0 {
		s.pick(i, out)
		return
	}
	id := p.cur - 1
	c := s.d[p.dir].pend[id]
	switch p.step {
	case cSame:
		s.end(i, id, out)
	case cStore:
		s.storeCommitted(i, id, c, out)
	case cDoubt:
		s.doubt(i, id, c, out)
	case cGone:
		s.fenceGone(i, id, out)
	case cOwner:
		s.askOwner(i, c, out)
	case cAsk:
		s.ask(i, id, c, out)
	case cLost:
		s.lost(i, id, c, out)
	case cRewrite:
		s.rewrite(i, id, c, out)
	case cReplace:
		s.replace(i, id, c, out)
	}
}

// pick chooses what to commit next.
func (s *State) pick(i int, out emit) {
	p := &s.p[i]
	d := &s.d[p.dir]
	for id := uint8(0); id < nIDs(); id++ {
		c := d.pend[id]
		if c.ck == 0 || opt.InOrder && s.earlier(d, id) {
			continue
		}
		if opt.Log && !opt.AskLater && p.redo>>id&1 != 0 {
			n := *s
			n.p[i].cur, n.p[i].step = id+1, cRewrite
			out(L("%sid %d is to be written anew (without asking)", who(i), id), &n)
			continue
		}
		s.endOne(i, id, out)
	}
}

// endOne compares the topic's generation, then sends EndTxn.
func (s *State) endOne(i int, id uint8, out emit) {
	c := s.d[s.p[i].dir].pend[id]
	if opt.Made == 0 || !opt.GenBefore {
		s.end(i, id, out)
		return
	}
	n := *s
	q := &n.p[i]
	q.cur, q.step = id+1, cSame
	if s.remade(c) {
		m := n
		q.step = cGone
		if opt.Lag {
			out(L("%scompares the topic's generation with that of id %d: a broker that is behind says the same", who(i), id), &m)
		}
	}
	out(L("%scompares the topic's generation with that of id %d: the same=%v", who(i), id, c.gen == s.gen), &n)
}

func (s *State) end(i int, id uint8, out emit) {
	c := s.d[s.p[i].dir].pend[id]
	n := *s
	code := n.endTxn(id, c.ep)
	n.p[i].cur = id + 1
	n.p[i].step = cDoubt
	if code == 0 {
		n.p[i].step = cStore
		if opt.MReuseEarly {
			n.p[i].mem[id] = Com{}
		}
	}
	out(L("%sEndTxn(commit) id %d epoch %d (checkpoint %d): %d", who(i), id, c.ep, c.ck, code), &n)
	m := *s
	m.p[i].cur, m.p[i].step = 0, cNone
	if m.send(Msg{mEnd, id, c.ep}) {
		out(L("%sEndTxn(commit) id %d epoch %d: no answer, the request stays under way", who(i), id, c.ep), &m)
	}
}

// settle takes c off the pending list and frees its id.
func (s *State) settle(i int, id uint8, c Com) {
	p := &s.p[i]
	s.d[p.dir].pend[id] = Com{}
	if p.mem[id].ep == c.ep {
		p.mem[id] = Com{}
	}
	p.cur, p.step = 0, cNone
}

// maybeFinish: the Final checkpoint is settled while the job runs.
func (s *State) maybeFinish(i int) {
	p := &s.p[i]
	if d := &s.d[p.dir]; d.final && none(d.pend) && p.ph == pRun {
		s.finish(i)
	}
}

func (s *State) storeCommitted(i int, id uint8, c Com, out emit) {
	n := *s
	if opt.GenAfter && s.remade(c) {
		m := n
		m.p[i].step = cGone
		out(L("%scommitted, but the topic of id %d is another one now", who(i), id), &m)
		if !opt.Lag {
			return
		}
	}
	t := &n.t[id]
	if t.won>>c.ep&1 == 0 {
		n.fail(vClaim)
	}
	if t.hole>>c.ep&1 != 0 {
		n.fail(vHole)
	}
	d := &n.d[n.p[i].dir]
	if !(opt.MHandMarker && n.p[i].hand != 0) {
		d.exp[id], d.expGen[id] = c.mark(), c.gen
	}
	n.settle(i, id, c)
	n.maybeFinish(i)
	out(L("%sstores outcome Committed of id %d epoch %d (checkpoint %d); the id is free", who(i), id, c.ep, c.ck), &n)
}

// fence is InitProducerId after doubt: no late EndTxn can win any more.
func (s *State) fence(i int, id uint8, cause int) {
	p := &s.p[i]
	p.know[id], p.step = s.initPlain(id, cause), cAsk
	if opt.Plain && opt.Owner && !alone() {
		p.step = cOwner
	}
}

func (s *State) doubt(i int, id uint8, c Com, out emit) {
	p := &s.p[i]
	n := *s
	q := &n.p[i]
	switch {
	case opt.MAssume:
		q.step = cStore
	case opt.MRewrite:
		q.know[id] = n.initPlain(id, byFence)
		q.step = cLost
	case !opt.Marker:
		q.ph = pStop
	case opt.Only360 && (p.ph == pRun || p.inproc):
		ep, ok := n.init360(id, max(c.ep, p.know[id]), byFence)
		if !ok {
			q.ph = pFenced
			out(L("%sdoubt about id %d: own-epoch InitProducerId refused: another owner", who(i), id), &n)
			return
		}
		q.know[id], q.step = ep, cAsk
	default:
		n.fence(i, id, byFence)
	}
	out(L("%sdoubt about id %d: fence, epoch %d", who(i), id, q.know[id]), &n)
}

// fenceGone: what is open of the transaction holds none of its rows.
func (s *State) fenceGone(i int, id uint8, out emit) {
	n := *s
	n.fence(i, id, byDesign)
	if n.p[i].step == cAsk {
		n.p[i].step = cLost
	}
	out(L("%sthe topic of id %d was made again: fence, epoch %d", who(i), id, n.p[i].know[id]), &n)
}

func (s *State) askOwner(i int, c Com, out emit) {
	p := &s.p[i]
	n := *s
	n.p[i].step = cAsk
	if s.remade(c) {
		n.p[i].step = cLost
	}
	if s.own != p.own {
		n.foreign(i)
	}
	out(L("%sasks the owner id: still ours=%v", who(i), s.own == p.own), &n)
}

func (s *State) ask(i int, id uint8, c Com, out emit) {
	n := *s
	q := &n.p[i]
	d := &s.d[q.dir]
	m := s.t[id].cm
	switch {
	case m == c.mark() || opt.MByCk && m.ck() == c.ck:
		q.step = cStore
	case s.remade(c):
		q.step = cLost
	case m == 0 && (!opt.NoneIsLost || d.exp[id] != 0 && !s.markerVoid(d, id)):
		q.ph = pStop
	case opt.Exact && m != d.exp[id] && m != 0:
		q.ph = pRefused
	default:
		q.step = cLost
	}
	out(L("%sasks the marker of id %d: run %d checkpoint %d epoch %d -> %s", who(i), id, m.run(), m.ck(), m&255, map[uint8]string{cStore: "Committed", cLost: "Lost"}[q.step]), &n)
}

// lostReported counts a loss, as the user said or by hand.
func (s *State) lostReported(i int, id uint8, c Com) {
	s.d[s.p[i].dir].lost |= c.recs
	s.goneMarker(i, id, c)
}

func (s *State) lost(i int, id uint8, c Com, out emit) {
	p := &s.p[i]
	n := *s
	q := &n.p[i]
	if s.t[id].dead>>c.ep&1 == 0 && c.gen == s.gen && i == 0 && !opt.Tolerant {
		n.fail(vLostNoTimeout)
	}
	switch {
	case opt.Log && p.ph == pRun && !opt.RewriteInRun:
		n.restart(i)
		out(L("%sid %d is Lost while running: restart through Recover", who(i), id), &n)
	case opt.Log:
		n.prepareAnew(i, id, c, out)
	case opt.Continue:
		n.lostReported(i, id, c)
		n.settle(i, id, c)
		n.maybeFinish(i)
		out(L("%sid %d is Lost: said so, goes on", who(i), id), &n)
	default:
		q.ph = pStop
		if !opt.LostKept {
			n.d[q.dir].pend[id] = Com{} // the outcome Lost is stored like any other
		}
		out(L("%sid %d is Lost: said so, stops", who(i), id), &n)
	}
}

// prepareAnew aborts the later pending ones of the writer, one a step, then
// takes an id for the replacement. It changes s.
func (s *State) prepareAnew(i int, id uint8, c Com, out emit) {
	p := &s.p[i]
	d := &s.d[p.dir]
	for j := uint8(0); j < nIDs(); j++ {
		if o := d.pend[j]; o.ck > c.ck && writerOf(j) == writerOf(id) && p.redo>>j&1 == 0 {
			if opt.Only360 && (p.ph == pRun || p.inproc) {
				ep, ok := s.init360(j, max(o.ep, p.know[j]), byDesign)
				if !ok {
					p.ph = pFenced
				}
				p.know[j] = ep
			} else {
				p.know[j] = s.initPlain(j, byDesign)
			}
			p.redo |= 1 << j
			out(L("%sid %d is Lost: aborts the later pending id %d", who(i), id, j), s)
			return
		}
	}
	p.step, p.tgt = cRewrite, id+1
	if opt.Halves && halfOf(id) != int(p.half) && opt.OwnHalf {
		for sl := opt.P - 1; sl >= 0; sl-- {
			if j := idOf(writerOf(id), int(p.half), sl); d.pend[j].ck == 0 {
				p.tgt = j + 1
			}
		}
	}
	if j := p.tgt - 1; j != id { // InitProducerId before every transaction, replacements too
		p.know[j] = s.initPlain(j, byFence)
	}
	out(L("%sid %d is Lost: to be written anew from the log", who(i), id), s)
}

// target is the id that the replacement of id is written to.
func (p *Proc) target(id uint8) uint8 {
	if p.tgt == 0 {
		return id
	}
	return p.tgt - 1
}

func (s *State) rewrite(i int, id uint8, c Com, out emit) {
	p := &s.p[i]
	to := p.target(id)
	n := *s
	ok := true
	for r := 0; r < opt.K; r++ {
		if c.recs>>r&1 != 0 {
			ok = ok && n.produce(to, p.know[to], stream(writerOf(id), r), uint8(r))
		}
	}
	if !ok {
		n.restart(i)
	} else {
		n.t[to].mk = mark(s.d[p.dir].run, c.ck, p.know[to])
		n.p[i].step, n.p[i].rgen = cReplace, s.gen
	}
	out(L("%swrites the records of id %d anew to id %d, epoch %d, and pre-commits them", who(i), id, to, p.know[to]), &n)
}

func (s *State) replace(i int, id uint8, c Com, out emit) {
	n := *s
	p := &n.p[i]
	d := &n.d[p.dir]
	to := p.target(id)
	n.goneMarker(i, id, c)
	d.pend[id] = Com{}
	d.pend[to] = Com{p.know[to], c.ck, c.recs, d.run, p.rgen}
	if p.ph == pRun {
		p.mem[id] = Com{}
		p.mem[to] = d.pend[to]
	}
	p.redo &^= 1 << id
	p.cur, p.step, p.tgt, p.rgen = 0, cNone, 0, 0
	out(L("%sputs the replacement of id %d into the pending list (one synced write)", who(i), id), &n)
}

// earlier tells whether an earlier transaction of the same writer is pending.
func (s *State) earlier(d *Dir, id uint8) bool {
	for j := uint8(0); j < nIDs(); j++ {
		if o := d.pend[j]; o.ck != 0 && o.ck < d.pend[id].ck && writerOf(j) == writerOf(id) {
			return true
		}
	}
	return false
}
