// Faults: crashes, copies of the directory, time-outs, requests that come late.
package main

func (s *State) faults(out emit) {
	s.crashes(out)
	s.starts(out)
	s.seconds(out)
	s.byHand(out)
	s.copies(out)
	s.brokers(out)
	s.topicMade(out)
	s.arrivals(out)
}

func (p *Proc) alive() bool { return p.ph >= pStart && p.ph <= pRun }

func (s *State) crashes(out emit) {
	p0 := &s.p[0]
	if s.crash == 0 || !p0.alive() && p0.ph != pStop {
		return
	}
	n := *s
	n.crash--
	n.p[0] = Proc{}
	if opt.MSkipSync && s.hasBak {
		m := n
		m.d[0], m.hasBak = s.bak, false
		out("kill -9; the unsynced store is lost", &m)
	}
	out("kill -9", &n)
}

// starts: the job is down, and somebody starts it.
func (s *State) starts(out emit) {
	if s.p[0].ph != pDown {
		return
	}
	n := *s
	n.start("start", out)
	if s.lostd > 0 {
		n := *s
		n.lostd--
		n.d[0] = Dir{}
		n.start("the state directory is lost; start", out)
	}
	if s.hasBak && !opt.MSkipSync {
		n := *s
		n.d[0], n.hasBak = s.bak, false
		n.start("the older copy of the directory is put back; start", out)
	}
}

// seconds: a second process starts while the first lives on.
func (s *State) seconds(out emit) {
	p0 := &s.p[0]
	if s.zomb == 0 || !p0.alive() || p0.ph != pRun && !(opt.AtOnce && p0.ph > pStart) {
		return
	}
	z := *s
	z.zomb--
	z.p[1], z.d[1] = s.p[0], s.d[0]
	z.p[1].dir = 1
	z.p[0] = Proc{}
	n := z
	n.start("a second process starts on a copy of the directory made now (the first lives on)", out)
	if s.hasBak {
		n := z
		n.d[0], n.hasBak = s.bak, false
		n.start("a second process starts on the older copy (the first lives on)", out)
	}
	if s.lostd > 0 {
		n := z
		n.lostd--
		n.d[0] = Dir{}
		n.start("a second process starts on an empty directory (the first lives on)", out)
	}
}

func (s *State) copies(out emit) {
	if s.stale > 0 && s.d[0].exists {
		n := *s
		n.stale--
		n.bak, n.hasBak = s.d[0], true
		out(L("the directory is copied (checkpoint %d)", s.d[0].ck), &n)
	}
}

// brokers: what the broker does by itself.
func (s *State) brokers(out emit) {
	if s.tout > 0 {
		for id := uint8(0); id < nIDs(); id++ {
			if s.t[id].st == sOngoing {
				n := *s
				n.tout--
				n.timeout(id)
				out(L("the broker times out the transaction of id %d (epoch %d)", id, s.t[id].ep), &n)
			}
		}
	}
	if s.reload > 0 {
		n := *s
		n.reload--
		for id := range n.t {
			n.t[id].last = 255
		}
		out("the transaction coordinator restarts (MEASURED: it forgets which epoch came before)", &n)
	}
}

// arrivals: a request without answer is carried out now.
func (s *State) arrivals(out emit) {
	for k, m := range s.fl {
		if m.kind == 0 || k == 1 && m == s.fl[0] {
			continue
		}
		n := *s
		n.fl[k] = Msg{}
		n.sortMsgs()
		switch m.kind {
		case mEnd:
			c := n.endTxn(m.id, m.ep)
			out(L("the delayed EndTxn(commit) id %d epoch %d arrives: %d", m.id, m.ep, c), &n)
		case mInit360:
			_, ok := n.init360(m.id, m.ep, byFence)
			out(L("the delayed InitProducerId(own epoch %d) of id %d arrives: ok=%v", m.ep, m.id, ok), &n)
		case mInitPlain:
			n.initPlain(m.id, byFence)
			out(L("the delayed plain InitProducerId of id %d arrives", m.id), &n)
		case mInitOwner:
			n.lateOwner(m.id)
			out(L("the delayed InitProducerId of the owner id arrives (nonce %d)", m.id), &n)
		}
	}
}

func (s *State) sortMsgs() {
	a, b := s.fl[0], s.fl[1]
	if a.kind == 0 || b.kind != 0 && (b.kind < a.kind || b.kind == a.kind && (b.id < a.id || b.id == a.id && b.ep < a.ep)) {
		s.fl[0], s.fl[1] = b, a
	}
}

func (s *State) send(m Msg) bool {
	if s.delay == 0 || s.fl[1].kind != 0 {
		return false
	}
	s.delay--
	s.fl[1] = m
	s.sortMsgs()
	return true
}

// alone: the question to the owner id needs no step of its own.
func alone() bool { return opt.Zomb == 0 && opt.DelayInit == 0 && !opt.DelayOwn }

// start makes process 0 begin, at any of the configured parallelisms.
func (s *State) start(label string, out emit) {
	for _, par := range opt.Pars {
		n := *s
		n.p[0] = Proc{ph: pStart, par: uint8(par)}
		out(L("%s (parallelism %d)", label, par), &n)
	}
}

// restart is the restart strategy: inside the process, through Recover.
func (s *State) restart(i int) {
	p := &s.p[i]
	if s.inproc == 0 {
		p.ph = pGaveUp
		return
	}
	s.inproc--
	q := Proc{ph: pStart, dir: p.dir, half: p.half, par: p.par, run: p.run, own: p.own, inproc: true, know: p.know, parked: p.parked, nonce: p.nonce, owed: p.owed}
	*p = q
}
