package torture

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Step is one thing that a process does to the outside: a request to the
// broker ("EndTxn commit", "InitProducerId", …), a durable write ("metadata",
// "LATEST", "outcomes", "journal", "begin", "chunks"), or a call of a sink
// ("write", "precommit", "commit", …).
type Step struct {
	Name  string
	ID    string // transactional.id, group, or key; "" if there is none
	After bool   // it was carried out; its caller does not know yet
}

func (s Step) String() string {
	when := "before"
	if s.After {
		when = "after"
	}
	return fmt.Sprintf("%s %s %s", when, s.Name, s.ID)
}

// Action is what becomes of a Step.
type Action uint8

const (
	Go    Action = iota
	Kill         // the process dies here
	Drop         // the request, the answer, or the write is lost
	Late         // the request gets no answer, and is carried out later
	Wait         // for a moment
	Stall        // for longer than a checkpoint with a time-out of stalledBy waits

	refused // + an error code: see Refuse
)

// Refuse answers a request in the broker's place, by an error code below 100.
func Refuse(code int16) Action { return refused + Action(code) }

// Hook decides. It is called for one step at a time.
type Hook func(Step) Action

// errKilled is what a dead process's own code sees.
var errKilled = errors.New("the process is dead")

// errBroken is a durable write that a test lets fail.
var errBroken = errors.New("input/output error")

// How long the actions take.
const (
	lateBy    = 20 * time.Millisecond
	waitFor   = 2 * time.Millisecond
	stalledBy = 30 * time.Millisecond
)

// stepper is the part of a Process that counts and judges its steps.
type stepper struct {
	mu   sync.Mutex
	hook Hook
	dead atomic.Bool
	kill func() // set by Start; called once
	log  []Step

	answers map[int16]int // error codes of the broker's own answers
}

// step asks the hook. A dead process does nothing any more.
func (s *stepper) step(st Step) Action {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead.Load() {
		return Kill
	}
	s.log = append(s.log, st)
	if s.hook == nil {
		return Go
	}
	a := s.hook(st)
	if a == Kill {
		s.dead.Store(true)
		s.kill()
	}
	return a
}

// do runs f as one step of the process's own.
func (s *stepper) do(name, id string, f func() error) error {
	switch s.step(Step{Name: name, ID: id}) {
	case Kill:
		return errKilled
	case Drop:
		return errBroken
	case Wait:
		time.Sleep(waitFor)
	case Stall:
		time.Sleep(2 * stalledBy)
	}
	if err := f(); err != nil {
		return err
	}
	switch s.step(Step{Name: name, ID: id, After: true}) {
	case Kill:
		return errKilled
	case Drop:
		return errBroken
	}
	return nil
}

// Kill ends the process from outside, as kill -9 does.
func (s *stepper) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dead.Swap(true) {
		s.kill()
	}
}

// answered counts an answer of the broker.
func (s *stepper) answered(code int16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answers == nil {
		s.answers = map[int16]int{}
	}
	s.answers[code]++
}

// Answers is how many requests the broker itself answered by an error code.
func (s *stepper) Answers(code int16) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answers[code]
}

// Killed tells whether the process was.
func (s *stepper) Killed() bool { return s.dead.Load() }

// Steps are those taken so far.
func (s *stepper) Steps() []Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Step(nil), s.log...)
}

// At makes a Hook that does a at the nth step (from 1) of that name, before
// or after it, and lets all others go.
func At(name string, nth int, after bool, a Action) Hook {
	n := 0
	return func(s Step) Action {
		if s.Name != name || s.After != after {
			return Go
		}
		if n++; n == nth {
			return a
		}
		return Go
	}
}
