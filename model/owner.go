// The owner id: whose process the sink is. It never opens a transaction, so
// its time-out is free to carry a nonce of the process; the broker shows it.
package main

// takeOwner is InitProducerId for the owner id; its epoch is the start number.
func (s *State) takeOwner(i int) {
	p := &s.p[i]
	s.own++
	p.own, s.ownBy = s.own, p.nonce
	if opt.Halves {
		p.half = p.own & 1
	}
}

// ownerInit takes the owner id where the answer may be missing.
func (s *State) ownerInit(i int, out emit) {
	p := &s.p[i]
	n := *s
	n.takeOwner(i)
	n.p[i].ph = pTake1
	out(L("%stakes the owner id: epoch %d, nonce %d", who(i), n.own, p.nonce), &n)
	m := *s
	if m.send(Msg{mInitOwner, p.nonce, 0}) {
		m.p[i].owed++
		out(L("%stakes the owner id: no answer, the request (nonce %d) stays under way", who(i), p.nonce), &m)
	}
}

// lateOwner is such a request, carried out.
func (s *State) lateOwner(nonce uint8) {
	s.own++
	s.ownBy = nonce
	s.late = opt.Zomb > 0
}

// drawNonce is done once a process.
func (s *State) drawNonce(i int) {
	p := &s.p[i]
	if !opt.DelayOwn || p.nonce != 0 {
		return
	}
	if s.nonces == 0 || !opt.MCollide {
		s.nonces++
	}
	p.nonce = s.nonces
}

// foreign: the owner id was answered with 90. Only who has a request of its
// own under way has reason to ask whose it was.
func (s *State) foreign(i int) {
	p := &s.p[i]
	p.ph, p.byOther = pFenced, s.ownBy != p.nonce
	if opt.Nonce && p.owed > 0 {
		p.ph = pWhose
	}
}

// whose reads the time-out of the owner id's last InitProducerId. Its own
// nonce: as at a process start, inside the process.
func (s *State) whose(i int, out emit) {
	p := &s.p[i]
	n := *s
	q := &n.p[i]
	switch {
	case s.ownBy == p.nonce, opt.MNonce:
		if s.ownBy != p.nonce {
			n.fail(vBack)
		}
		*q = Proc{ph: pStart, dir: p.dir, half: p.half, par: p.par, know: p.know, parked: p.parked, nonce: p.nonce, owed: p.owed - 1}
		out(L("%sit was its own late request: starts anew inside the process", who(i)), &n)
	default:
		q.ph, q.byOther = pFenced, true
		out(L("%sthe nonce is another one's: stops", who(i)), &n)
	}
}
