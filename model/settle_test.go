package main

import (
	"errors"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors/kafka/txn"
	"github.com/sqlstream/sqlstream/exec"
)

// byHand is a person who settles one pending transaction of the stopped job,
// in the order in which connectors/kafka/settle.go does it. The command may
// die at any request.
func (s *sim) byHand(dir *checkpoint.MemDir) {
	p := s.process(dir)
	defer dir.Crash()
	defer p.kill()
	m, err := p.store.Latest()
	if err != nil {
		s.t.Fatal(err)
	}
	if m == nil || len(m.Pending) == 0 {
		return
	}
	ts := p.decode(m.Pending)
	i := s.rnd.IntN(len(ts))
	for j := range ts {
		if m.Pending[j].Writer == m.Pending[i].Writer && ts[j].Checkpoint < ts[i].Checkpoint {
			i = j
		}
	}
	t, id := ts[i], s.b.id(ts[i].ID)
	if s.tooLong > 0 && id.state == sOngoing && s.fault(50) { // it waited too long for the person
		s.tooLong--
		s.trace("time-out of %s", t.ID)
		s.b.timeOut(t.ID)
	}
	resolve, what := p.session.CommitByHand, "commit"
	if open := id.state == sOngoing && id.epoch == t.Producer.Epoch; t.Log == "" && !open && s.rnd.IntN(2) == 0 {
		resolve, what = p.session.AbortByHand, "abort"
	}
	s.trace("a person: %s %s", what, t.Describe())
	if err := p.session.Start(p.ctx, ts); err != nil {
		s.handFailed(p, err)
		return
	}
	v, err := resolve(p.ctx, t, false)
	if err != nil || p.dead {
		s.handFailed(p, err)
		return
	}
	s.trace("by hand: %v %s", v.Status, v.Detail)
	s.settled(t, v.Status)
	s.hands[v.Status]++
	o := checkpoint.Outcome{Committable: m.Pending[i], Status: v.Status, Detail: v.Detail, Records: t.Records, Journal: v.MarkerEntry(t)}
	if err := p.store.SaveOutcomes([]checkpoint.Outcome{o}); err != nil {
		s.t.Fatal(err)
	}
}

// handFailed: no answer, or the transaction turns out to be lost; nothing was
// stored. Anything else is a command that was refused.
func (s *sim) handFailed(p *simProc, err error) {
	s.trace("the command ends: %v", err)
	var lost *txn.LostError
	var undecided *txn.Undecided
	var fatal *exec.FatalError
	if !p.dead && !errors.As(err, &lost) && (errors.As(err, &undecided) || errors.As(err, &fatal)) {
		s.t.Errorf("S5: settling by hand is refused: %v", err)
	}
}
