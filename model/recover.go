// Recovery: a process start and a restart inside, until the writers open.
package main

func (s *State) process(i int, out emit) {
	p := &s.p[i]
	d := &s.d[p.dir]
	switch p.ph {
	case pStart:
		n := *s
		n.begin(i)
		out(L("%sreads the directory: checkpoint %d, pending %s", who(i), d.ck, coms(d.pend)), &n)
	case pCheck0:
		s.earlyCheck(i, out)
	case pOwner:
		s.ownerInit(i, out)
	case pTake1, pTake2:
		s.take(i, out)
	case pCheck:
		n := *s
		n.check(i)
		out(L("%scompares markers with the expected ones: %s", who(i), phase(n.p[i].ph)), &n)
	case pCommit:
		s.settlePending(i, out)
	case pVerify:
		n := *s
		if opt.Owner && s.own != p.own {
			n.foreign(i)
		} else {
			n.run(i)
		}
		out(who(i)+"writers open", &n)
	case pWhose:
		s.whose(i, out)
	case pRun:
		s.resolve(i, out)
		for w := 0; w < int(p.par); w++ {
			s.writer(i, w, out)
		}
		s.coordinator(i, out)
	case pStop, pRefused, pFenced:
		s.handEnds(i, out)
	}
}

// earlyCheck reads all markers before anything is fenced.
func (s *State) earlyCheck(i int, out emit) {
	n := *s
	p := &n.p[i]
	d := &n.d[p.dir]
	p.ph = pCommit
	if opt.TakeFirst {
		p.ph = pTake1
		if opt.DelayOwn && !p.inproc {
			p.ph = pOwner
		}
	}
	if opt.Marker {
		for id := uint8(0); id < nIDs(); id++ {
			m := s.t[id].cm
			switch {
			case !opt.Exact && m.run() == d.run && m.ck() > d.ck,
				opt.Exact && !d.adopt && m != 0 && m != d.exp[id] && (d.pend[id].ck == 0 || m != d.pend[id].mark()),
				opt.Exact && d.adopt && opt.LostRefuse && m != 0:
				p.ph = pRefused
			}
		}
		if p.ph == pRefused && d.adopt {
			*d = Dir{}
		}
	}
	out(L("%sreads all markers (not stable): %s", who(i), phase(p.ph)), &n)
}

// settlePending resolves the pending list, then takes its ids over.
func (s *State) settlePending(i int, out emit) {
	p := &s.p[i]
	d := &s.d[p.dir]
	switch {
	case p.hand != 0:
		s.settleOne(i, out)
	case p.cur != 0 || !none(d.pend):
		s.resolve(i, out)
	case d.final:
		n := *s
		n.finish(i)
		out(who(i)+"the Final checkpoint is settled: finished", &n)
	default:
		n := *s
		n.p[i].ph, n.p[i].idx = pTake2, 0
		n.process(i, out)
	}
}

func (s *State) begin(i int) {
	p := &s.p[i]
	d := &s.d[p.dir]
	if d.fin {
		p.ph = pDone
		return
	}
	if !d.exists {
		s.runs++
		*d = Dir{exists: true, run: s.runs, adopt: true}
	} else if opt.RunPerStart && !p.inproc {
		s.runs++
		d.run = s.runs
	}
	s.drawNonce(i)
	if opt.Owner && !p.inproc && !opt.DelayOwn {
		s.takeOwner(i)
	}
	p.run = d.run
	p.idx, p.taken, p.checked = 0, 0, !opt.TakeFirst
	p.ph = pCheck0
	if opt.TakeFirst && !opt.Early {
		p.ph = pTake1
	}
}

// take is the loop of InitProducerId over ids; pending ones are left out.
func (s *State) take(i int, out emit) {
	p := &s.p[i]
	d := &s.d[p.dir]
	for id := p.idx; id < nIDs(); id++ {
		if p.taken>>id&1 != 0 || d.pend[id].ck != 0 ||
			!opt.TakeAll && writerOf(id) >= int(p.par) && !(opt.Sinks == 2) ||
			p.inproc && (opt.Only360 || opt.Plain) && halfOf(id) != int(p.half) {
			continue
		}
		n := *s
		q := &n.p[i]
		ok := true
		if p.inproc && opt.Only360 {
			q.know[id], ok = n.init360(id, p.know[id], byFence)
		} else {
			q.know[id] = n.initPlain(id, byFence)
		}
		if !ok {
			q.ph = pFenced
		}
		q.taken |= 1 << id
		q.idx = id + 1
		if alone() && ok {
			n.take(i, out) // nobody could come between: one step
			return
		}
		out(L("%sInitProducerId on id %d: epoch %d, ok=%v", who(i), id, q.know[id], ok), &n)
		if opt.DelayInit&2 != 0 && !(p.inproc && opt.Only360) {
			m := *s
			if m.send(Msg{mInitPlain, id, 0}) {
				out(L("%sInitProducerId on id %d: no answer, the request stays under way", who(i), id), &m)
			}
		}
		return
	}
	n := *s
	q := &n.p[i]
	q.idx = 0
	switch {
	case (opt.TakeFirst || opt.CheckLast) && opt.Marker && opt.Exact:
		q.ph = pCheck
	case p.ph == pTake1:
		q.ph = pCommit
	default:
		q.ph = pVerify
	}
	out(who(i)+"InitProducerId on all ids that are not pending: done", &n)
}

// check compares the marker of every id taken over with the one the directory expects.
func (s *State) check(i int) {
	p := &s.p[i]
	d := &s.d[p.dir]
	next := uint8(pCommit)
	left := false
	for id := uint8(0); id < nIDs(); id++ {
		left = left || d.pend[id].ck != 0
	}
	if p.checked && !left {
		next = pVerify
	}
	p.checked = true
	if opt.Marker && opt.Exact {
		for id := uint8(0); id < nIDs(); id++ {
			if p.taken>>id&1 == 0 {
				continue
			}
			if d.adopt {
				d.exp[id] = s.t[id].cm
				d.anew = d.anew || s.t[id].cm != 0
			} else if m := s.t[id].cm; m != 0 && m != d.exp[id] {
				next = pRefused
			}
		}
		if d.adopt && d.anew && opt.LostRefuse {
			next = pRefused
			d.exists = false
		}
		d.adopt = false
	}
	p.ph = next
}

func (s *State) run(i int) {
	p := &s.p[i]
	d := &s.d[p.dir]
	p.ph, p.next, p.redo, p.taken, p.idx, p.inproc, p.checked = pRun, d.ck+1, 0, 0, 0, false, false
	for w := range p.w {
		p.w[w] = Writer{pos: d.pos}
	}
	s.skip(i)
}
