package exec

import (
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// sourceRun is the head of a chain that begins with a source.
type sourceRun struct {
	task   *task
	node   *Node
	spec   *SourceNode
	starts []checkpoint.SplitState // of this subtask
	reader Reader
	idler  Idler
	batch  *vec.Batch
	out    *output

	splits []*splitRun // all; those that had ended before are not the reader's
	live   []int       // reader's index → index in splits

	emitted  time.Time // the last periodic watermark
	perRow   bool
	asked    bool // Next has been called
	ended    bool // Watermark(max) was sent
	finished bool // the Final barrier was sent: nothing is read any more
	some     compactor
}

// open makes the reader. Ended splits are kept in the state only.
func (s *sourceRun) open() error {
	var mine []Split
	for i, st := range s.starts {
		if !st.Ended {
			mine = append(mine, st.Split)
			s.live = append(s.live, i)
		}
	}
	s.perRow = s.spec.OnEvent || s.task.run.cfg.WatermarkInterval == 0
	r, err := s.spec.Source.Reader(s.task.run.sourceContext(s.node, s.task), mine)
	if err != nil {
		return s.errorf(err)
	}
	s.reader = r
	s.idler, _ = r.(Idler)
	s.some.types = fieldTypes(s.node.Output)
	s.batch = vec.NewBatch(s.some.types...)
	s.emitted = s.task.run.clock.Now()
	return s.makeGenerators()
}

// makeSplits prepares what Job.Status reads; before the subtask runs.
func (s *sourceRun) makeSplits(now time.Time) {
	for _, st := range s.starts {
		sp := &splitRun{id: st.ID, active: now}
		sp.mark.Store(st.Watermark)
		sp.idle.Store(st.Idle)
		sp.ended.Store(st.Ended)
		s.splits = append(s.splits, sp)
	}
}
func (s *sourceRun) makeGenerators() error {
	if s.spec.Watermark == nil {
		return nil
	}
	for _, i := range s.live {
		g, err := s.spec.Watermark()
		if err != nil {
			return s.errorf(err)
		}
		s.splits[i].gen = g
	}
	return nil
}
func fieldTypes(fields []types.Field) []types.Type {
	ts := make([]types.Type, len(fields))
	for i, f := range fields {
		ts[i] = f.Type
	}
	return ts
}
func (s *sourceRun) errorf(err error) error {
	if err == nil || isStop(err) {
		return err
	}
	if _, ok := err.(*StageError); ok {
		return err
	}
	return &StageError{Node: s.node.Name, Subtask: s.task.subtask.Index, Err: err}
}
func (s *sourceRun) close() error {
	if s.reader == nil {
		return nil
	}
	return s.errorf(s.reader.Close())
}

// loop reads until the job is over. A source whose splits have all ended
// stays to answer barriers.
func (s *sourceRun) loop() error {
	t := s.task
	if err := t.timed(s.begin); err != nil {
		return err
	}
	for {
		if err := t.readMail(); err != nil {
			return err
		}
		if s.ended || s.finished || len(s.live) == 0 {
			if err := t.wait(); err != nil {
				return err
			}
			continue
		}
		if err := s.read(); err != nil {
			return s.errorf(err)
		}
	}
}

// begin tells the consumers where the restored splits stand.
func (s *sourceRun) begin() error {
	if err := s.task.resume(); err != nil {
		return err
	}
	return s.settleProgress(true)
}

// read takes one batch of the reader.
func (s *sourceRun) read() error {
	i, ended, err := s.reader.Next(s.task.ctx, s.batch)
	s.asked = true
	if err != nil {
		return err
	}
	if i < 0 || i >= len(s.live) {
		return Fatal(fmt.Errorf("the reader returned rows of split %d of %d", i, len(s.live)))
	}
	sp := s.splits[s.live[i]]
	if s.batch.N == 0 && !ended {
		return s.quiet()
	}
	return s.task.timed(func() error { return s.take(sp, ended) })
}

// quiet is a call of Next without rows: what is held back goes out, and time
// passes.
func (s *sourceRun) quiet() error {
	t := s.task
	t.setNow()
	if err := t.flushExchanges(); err != nil {
		return err
	}
	return t.timed(func() error { return s.settleProgress(false) })
}
func (s *sourceRun) take(sp *splitRun, ended bool) error {
	if s.batch.N > 0 {
		sp.rows.Add(int64(s.batch.N))
		sp.active = s.task.run.clock.Now()
		s.task.metrics.RowsIn.Add(int64(s.batch.N))
		if sp.idle.Swap(false) {
			if err := s.task.setIdle(false); err != nil {
				return err
			}
		}
		if err := s.emit(sp, s.batch); err != nil {
			return err
		}
		s.forgive()
	}
	if ended {
		sp.ended.Store(true)
	}
	return s.settleProgress(ended)
}

// inject answers the driver's wish for a barrier.
func (s *sourceRun) inject(m injectMessage) error {
	if m.drain {
		if err := s.lastWatermark(); err != nil {
			return err
		}
	}
	if m.barrier.kind == checkpoint.Final {
		s.finished = true
	}
	return s.task.checkpoint(m.barrier)
}

// state is what the source must resume from.
func (s *sourceRun) state() checkpoint.SourceState {
	st := checkpoint.SourceState{Subtask: s.task.subtask, Splits: make([]checkpoint.SplitState, len(s.splits))}
	for i, sp := range s.splits {
		st.Splits[i] = checkpoint.SplitState{
			Split: s.starts[i].Split, Watermark: sp.mark.Load(), Idle: sp.idle.Load(), Ended: sp.ended.Load(),
		}
	}
	for k, p := range s.reader.Positions() {
		st.Splits[s.live[k]].Split = p
	}
	return st
}

// completed hands the positions of a durable checkpoint to the reader.
func (s *sourceRun) completed(m *checkpoint.Metadata) error {
	for _, st := range m.Sources {
		if st.Subtask != s.task.subtask {
			continue
		}
		positions := make([]Split, 0, len(s.live))
		for _, i := range s.live {
			if i < len(st.Splits) {
				positions = append(positions, st.Splits[i].Split)
			}
		}
		if err := s.reader.Completed(s.task.ctx, positions); err != nil {
			s.task.run.log.Warn("positions were not reported", "source", s.node.Name, "error", err)
		}
	}
	return nil
}
