package session

import (
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
)

// Transaction is a committable of a job as its state directory knows it.
type Transaction struct {
	Writer     string        `json:"writer"`
	Checkpoint checkpoint.ID `json:"checkpoint"`
	Time       time.Time     `json:"time"` // of the checkpoint that holds it
	State      string        `json:"state"`
	Detail     string        `json:"detail,omitempty"`
	// Payload is the sink's own record; package connectors can describe it.
	Payload []byte `json:"payload"`
	Version uint16 `json:"version"`
	UID     string `json:"uid"` // of the sink
	Index   int    `json:"index"`
}

// Committable is what the sink handed over.
func (t Transaction) Committable() checkpoint.Committable {
	return checkpoint.Committable{Writer: checkpoint.Subtask{UID: t.UID, Index: t.Index}, Checkpoint: t.Checkpoint, Version: t.Version, Payload: t.Payload}
}

// Pending tells whether no outcome is known.
func (t Transaction) Pending() bool { return t.State == pending }

const pending = "pending"

// transactions lists the committables of the kept checkpoints with what is
// known of them, oldest first.
func transactions(s checkpoint.Store) ([]Transaction, error) {
	outcomes, err := s.Outcomes()
	if err != nil {
		return nil, err
	}
	known := map[string]checkpoint.Outcome{}
	for _, o := range outcomes {
		known[o.Committable.Key()] = o
	}
	infos, err := s.List()
	if err != nil {
		return nil, err
	}
	var all []Transaction
	seen := map[string]bool{}
	for _, info := range infos {
		m, err := s.Load(info.ID)
		if err != nil {
			return nil, err
		}
		list := m.Pending
		for i := 0; i < len(list); i++ {
			c := list[i]
			if seen[c.Key()] {
				continue
			}
			if o, ok := known[c.Key()]; ok && o.Replacement != nil {
				list = append(list, *o.Replacement) // written anew; it may be pending
			}
			seen[c.Key()] = true
			t := Transaction{Writer: c.Writer.String(), Checkpoint: c.Checkpoint, Time: info.Time,
				State: pending, Payload: c.Payload, Version: c.Version, UID: c.Writer.UID, Index: c.Writer.Index}
			if o, ok := known[c.Key()]; ok {
				t.State, t.Detail = o.Status.String(), o.Detail
			}
			all = append(all, t)
		}
	}
	return all, nil
}

// Transactions lists those of a stopped job's store.
func Transactions(s checkpoint.Store) ([]Transaction, error) { return transactions(s) }
