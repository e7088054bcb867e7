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

// forgive does not count the time that the consumers took as silence of the
// splits.
func (s *sourceRun) forgive() {
	if s.spec.IdleTimeout <= 0 {
		return
	}
	for _, sp := range s.splits {
		sp.active = sp.active.Add(s.task.watch.waited)
	}
}

// emit sends the rows and moves the split's watermark over all of them,
// selected or not.
func (s *sourceRun) emit(sp *splitRun, b *vec.Batch) error {
	if sp.gen == nil {
		return s.out.Emit(b)
	}
	marks, err := sp.gen.Eval(b)
	if err != nil {
		return err
	}
	if s.perRow {
		return s.emitByRow(sp, b, marks)
	}
	if most, any := greatest(marks, b.N); any {
		sp.raise(types.FromMicros(most))
	}
	return s.out.Emit(b)
}

func greatest(marks *vec.Vector, n int) (most int64, any bool) {
	for i := range n {
		if marks.IsNull(i) {
			continue
		}
		if m := marks.I64[i]; !any || m > most {
			most, any = m, true
		}
	}
	return most, any
}

// emitByRow cuts the batch after each row that raises the watermark of the
// whole source.
func (s *sourceRun) emitByRow(sp *splitRun, b *vec.Batch, marks *vec.Vector) error {
	from := 0
	rows := b.Rows()
	for i := range b.N {
		if marks.IsNull(i) || !sp.raise(types.FromMicros(marks.I64[i])) {
			continue
		}
		mark := progressOf(s.splits).mark
		if mark <= s.out.last {
			continue
		}
		n := from
		for n < len(rows) && int(rows[n]) <= i {
			n++
		}
		if err := s.emitRows(b, rows[from:n:n]); err != nil {
			return err
		}
		from = n
		if err := s.watermark(mark); err != nil {
			return err
		}
	}
	return s.emitRows(b, rows[from:])
}

func (s *sourceRun) emitRows(b *vec.Batch, rows []int32) error {
	if len(rows) == 0 {
		return nil
	}
	return s.out.Emit(s.some.take(b, rows))
}

// settleProgress brings idle flags, watermark and end of the subtask up to
// date. Periodic watermarks wait for their interval unless now is set.
func (s *sourceRun) settleProgress(now bool) error {
	s.markIdle()
	p := progressOf(s.splits)
	if p.done && (len(s.splits) > 0 || s.spec.Bounded) {
		return s.end()
	}
	if p.idle {
		if len(s.splits) == 0 {
			s.task.run.input(checkpoint.Ended{Source: s.task.subtask})
		}
		return s.task.setIdle(true)
	}
	if p.mark <= s.out.last || p.mark == types.MinTime {
		return nil
	}
	if !now && !s.perRow {
		at := s.task.run.clock.Now()
		if at.Sub(s.emitted) < s.task.run.cfg.WatermarkInterval {
			return nil
		}
		s.emitted = at
	}
	return s.watermark(p.mark)
}

func (s *sourceRun) watermark(t types.Time) error {
	s.task.metrics.Watermark.Store(int64(t))
	return s.out.Watermark(t)
}

// markIdle takes silent splits out of the minimum.
func (s *sourceRun) markIdle() {
	var at time.Time
	if s.spec.IdleTimeout > 0 {
		at = s.task.run.clock.Now()
	}
	for k, i := range s.live {
		sp := s.splits[i]
		if sp.idle.Load() || sp.ended.Load() {
			continue
		}
		silent := s.spec.IdleTimeout > 0 && at.Sub(sp.active) >= s.spec.IdleTimeout
		if silent || s.asked && s.idler != nil && sp.rows.Load() == 0 && s.idler.Idle(k) {
			sp.idle.Store(true)
		}
	}
}

// end sends the last watermark. The subtask stays for barriers.
func (s *sourceRun) end() error {
	if err := s.lastWatermark(); err != nil {
		return err
	}
	s.task.run.input(checkpoint.Ended{Source: s.task.subtask})
	return s.task.flushExchanges()
}

func (s *sourceRun) lastWatermark() error {
	if s.ended {
		return nil
	}
	s.ended = true
	if err := s.task.setIdle(false); err != nil {
		return err
	}
	return s.watermark(types.MaxTime)
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
