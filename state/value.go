package state

// Rescale says what a Value is after a restore from several old subtasks.
type Rescale uint8

const (
	// First: the record of the first old subtask that had one. For what is equal in all of them.
	First Rescale = iota
	// Union: Restored has the records of all old subtasks, and the operator makes one of them; Get has the first.
	Union
)

// Value is one small record of the subtask, not of a key: a watermark, a counter. It is written whole in every snapshot.
type Value struct {
	name     string
	rule     Rescale
	data     []byte
	set      bool
	restored [][]byte
}

// Get is the current record, nil if none was set. The caller does not write to it.
func (v *Value) Get() []byte { return v.data }

// Set stores a copy of the record.
func (v *Value) Set(data []byte) {
	v.data = append(make([]byte, 0, len(data)), data...) // never in place: snapshots share it
	v.set = true
}

// Restored is the records that the restored subtasks had, in the order of their manifests: at most one with First.
func (v *Value) Restored() [][]byte { return v.restored }
