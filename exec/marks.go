package exec

import (
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

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
