// A person settles one pending transaction while the job is stopped: a start
// of the sink that ends after it.
package main

// byHand: `txn commit` in checkpoint order, `txn abort` of what is not open
// (or whose topic is gone).
func (s *State) byHand(out emit) {
	p := &s.p[0]
	d := &s.d[0]
	if s.hand == 0 || p.ph != pDown && p.ph != pStop {
		return
	}
	for id := uint8(0); id < nIDs(); id++ {
		c := d.pend[id]
		if c.ck == 0 {
			continue
		}
		n := *s
		n.hand--
		n.p[0] = Proc{ph: pStart, par: uint8(opt.Pars[0]), hand: id + 1}
		if !s.earlier(d, id) {
			out(L("a person commits id %d epoch %d (checkpoint %d)", id, c.ep, c.ck), &n)
		}
		if t := &s.t[id]; !opt.Log && (t.st != sOngoing || t.ep != c.ep || s.remade(c)) {
			n.p[0].giveUp = true
			out(L("a person gives id %d epoch %d (checkpoint %d) up", id, c.ep, c.ck), &n)
		}
	}
}

// causeOf a fence: what lay in a topic that is gone is aborted on purpose.
func (s *State) causeOf(c Com) int {
	if s.remade(c) {
		return byDesign
	}
	return byFence
}

// settleOne takes the place of the whole pending list.
func (s *State) settleOne(i int, out emit) {
	p := &s.p[i]
	id := p.hand - 1
	c := s.d[p.dir].pend[id]
	n := *s
	q := &n.p[i]
	switch {
	case p.cur == 0 && p.giveUp:
		q.cur = id + 1
		n.fence(i, id, s.causeOf(c))
		out(L("fences id %d", id), &n)
	case p.cur == 0:
		s.endOne(i, id, out)
	case p.step == cLost && p.giveUp:
		n.lostReported(i, id, c)
		n.d[p.dir].pend[id] = Com{}
		*q = Proc{}
		out(L("stores outcome Lost of id %d; the command ends", id), &n)
	case p.step == cLost:
		*q = Proc{}
		out(L("id %d is Lost: says so; the command ends", id), &n)
	case p.step == cStore && opt.MHandOutcome:
		*q = Proc{}
		out("ends without storing the outcome", &n)
	default:
		s.resolve(i, func(l string, n *State) {
			if n.p[i].cur == 0 {
				n.p[i] = Proc{}
			}
			out(l, n)
		})
	}
}

// handEnds: a command that was refused or stopped leaves the job as it is.
func (s *State) handEnds(i int, out emit) {
	if s.p[i].hand == 0 {
		return
	}
	n := *s
	n.p[i] = Proc{}
	out("the command has ended", &n)
}
