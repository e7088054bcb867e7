package exec

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// exchange is an edge between two chains, seen from one subtask of the
// producer. Rows are copied into batches of the consumers' queues. Batches
// that are not full are sent before any control element, before the subtask
// waits, and when they are lingerMillis old.
type exchange struct {
	task  *task
	kind  Exchange
	types []types.Type
	keys  hasher
	lanes []*lane
	turn  int // Rebalance: the next lane
}

// lane leads to one subtask of the consumer.
type lane struct {
	queue *queue
	batch *vec.Batch // being filled; nil: none
	since types.Time // when its first row came
	rows  []int32    // of the present batch
}

const lingerMillis = 20

func (x *exchange) rows(b *vec.Batch) error {
	h := *b
	if x.keys.on {
		h.Hash = x.keys.hash(b)
	}
	switch {
	case len(x.lanes) == 1:
		return x.add(x.lanes[0], &h, h.Rows())
	case x.kind == Rebalance:
		l := x.lanes[x.turn]
		x.turn = (x.turn + 1) % len(x.lanes)
		return x.add(l, &h, h.Rows())
	case x.kind == Hash:
		return x.deal(&h)
	default:
		panic("exec: " + "a forward or gather exchange with several lanes")
	}
}

// deal gives each row to the subtask that owns its key group.
func (x *exchange) deal(b *vec.Batch) error {
	n := len(x.lanes)
	for _, l := range x.lanes {
		l.rows = l.rows[:0]
	}
	for _, r := range b.Rows() {
		l := x.lanes[state.SubtaskOf(state.Group(b.Hash[r]), n)]
		l.rows = append(l.rows, r)
	}
	for _, l := range x.lanes {
		if err := x.add(l, b, l.rows); err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) add(l *lane, b *vec.Batch, rows []int32) error {
	if len(rows) == 0 {
		return nil
	}
	if l.batch == nil {
		if l.batch = l.queue.spare(); l.batch == nil {
			l.batch = vec.NewBatch(x.types...)
		}
		l.batch.Reset()
		l.since = x.task.now
	}
	l.batch.AppendRows(b, rows)
	if l.batch.N >= vec.MinRows {
		return x.send(l)
	}
	return nil
}

func (x *exchange) send(l *lane) error {
	if l.batch == nil {
		return nil
	}
	e := element{kind: rowsElement, batch: l.batch}
	l.batch = nil
	return x.put(l, e)
}

func (x *exchange) put(l *lane, e element) error {
	return x.task.watch.wait(x.task.metrics, func() error { return l.queue.put(x.task.ctx, e) })
}

// flush sends what lanes hold.
func (x *exchange) flush() error {
	for _, l := range x.lanes {
		if err := x.send(l); err != nil {
			return err
		}
	}
	return nil
}

// linger sends what lanes have held for too long.
func (x *exchange) linger(now types.Time) error {
	for _, l := range x.lanes {
		if l.batch != nil && now-l.since >= lingerMillis {
			if err := x.send(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// control sends an element to all consumers, behind all rows.
func (x *exchange) control(e element) error {
	if err := x.flush(); err != nil {
		return err
	}
	for _, l := range x.lanes {
		if err := x.put(l, e); err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) watermark(t types.Time) error {
	return x.control(element{kind: watermarkElement, time: t})
}
