package exec

import "fmt"

// measure brings the state metrics up to date, about once a second, and
// enforces the memory limit.
func (t *task) measure() error {
	if t.now-t.measured < 1000 && t.now >= t.measured {
		return nil
	}
	t.measured = t.now
	for _, s := range t.stages {
		if s.ctx.State != nil {
			s.ctx.Metrics.StateRows.Store(int64(s.ctx.State.Rows()))
			s.ctx.Metrics.StateBytes.Store(int64(s.ctx.State.Bytes()))
		}
	}
	if limit := t.run.cfg.MemoryLimit; limit > 0 {
		return t.run.checkMemory(limit)
	}
	return nil
}

func (a *attempt) checkMemory(limit int64) error {
	total, largest := int64(0), int64(-1)
	name := ""
	for _, t := range a.tasks {
		for _, s := range t.stages {
			n := s.ctx.Metrics.StateBytes.Load()
			total += n
			if n > largest {
				largest, name = n, s.node.Name
			}
		}
	}
	if total <= limit {
		return nil
	}
	return Fatal(fmt.Errorf("the state takes %s, over the limit of %s (--memory); the largest part, %s, is that of %s; "+
		"let old keys expire with table.exec.state.ttl, or raise the limit", megabytes(total), megabytes(limit), megabytes(largest), name))
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
