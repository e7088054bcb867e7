package exec

import (
	"fmt"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// stage is one node (but a source) in one subtask: its operator or writer,
// with what the runtime knows of it.
type stage struct {
	task    *task
	node    *Node
	subtask checkpoint.Subtask // of the node itself
	op      Operator           // for a sink, a *sinkOperator
	sink    *sinkOperator      // nil: no sink
	ctx     *Context
	out     *output
	marks   []types.Time // per port
	idle    []bool       // per port: does not hold up the others
	waker   Waker
	next    types.Time // when waker is due
	flusher Flusher
}

// open makes the operator, with its state, and opens it.
func (s *stage) open() error {
	if s.node.Sink != nil {
		return s.openSink()
	}
	op, err := s.node.New()
	if err != nil {
		return s.errorf(err)
	}
	s.op = op
	s.waker, _ = op.(Waker)
	s.flusher, _ = op.(Flusher)
	if err := op.Open(s.ctx); err != nil {
		return s.errorf(err)
	}
	if err := s.ctx.State.CheckClaimed(); err != nil {
		return s.errorf(Fatal(err))
	}
	return nil
}
func (s *stage) errorf(err error) error {
	if err == nil || isStop(err) {
		return err
	}
	return &StageError{Node: s.node.Name, Subtask: s.subtask.Index, Err: err}
}

// StageError tells which operator failed.
type StageError struct {
	Node    string
	Subtask int
	Err     error
}

func (e *StageError) Error() string { return fmt.Sprintf("%s: %v", e.Node, e.Err) }
func (e *StageError) Unwrap() error { return e.Err }

// enter is called before each call of the operator: a barrier may have come
// since the one before, and the time from now on is the operator's.
func (s *stage) enter() *Metrics {
	if invariants && s.ctx.State != nil {
		s.ctx.State.Tick()
	}
	return s.task.watch.enter(s.ctx.Metrics)
}

func (s *stage) process(port int, b *vec.Batch) error {
	s.ctx.Metrics.RowsIn.Add(int64(b.Len()))
	before := s.enter()
	err := s.op.Process(port, b, s.out)
	s.task.watch.enter(before)
	return s.located(err)
}

// located names the operator unless one behind it has been named already.
func (s *stage) located(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := err.(*StageError); ok {
		return err
	}
	return s.errorf(err)
}

// advance notes a port's watermark and advances the operator if the minimum
// over the ports rises.
func (s *stage) advance(port int, t types.Time) error {
	s.marks[port] = max(s.marks[port], t)
	return s.combine()
}
func (s *stage) combine() error {
	least, any := types.MaxTime, false
	for p, t := range s.marks {
		if !s.idle[p] {
			least, any = min(least, t), true
		}
	}
	if !any || least <= s.ctx.Watermark {
		return nil
	}
	s.ctx.Watermark = least
	s.ctx.Metrics.Watermark.Store(int64(least))
	before := s.enter()
	err := s.op.Advance(least, s.out)
	s.task.watch.enter(before)
	return s.located(err)
}

// wake calls the operator's Waker, if it has one.
func (s *stage) wake() error {
	if s.waker == nil {
		return nil
	}
	before := s.enter()
	next, err := s.waker.Wake(s.ctx.Now, s.out)
	s.task.watch.enter(before)
	s.next = next
	return s.located(err)
}
func (s *stage) flush() error {
	if s.flusher == nil {
		return nil
	}
	before := s.enter()
	err := s.flusher.Flush(s.out)
	s.task.watch.enter(before)
	return s.located(err)
}
func (s *stage) close() error {
	if s.op == nil {
		return nil
	}
	return s.errorf(s.op.Close())
}
