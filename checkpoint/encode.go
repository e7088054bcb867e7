package checkpoint

// MetadataVersion is the format that Encode writes and the newest that
// DecodeMetadata reads. Add fields at the end of a list under a new version,
// read them under `if v >= N`.
const MetadataVersion = 1

const magicMetadata = "sqCK"

// Encode returns the metadata as a record of format MetadataVersion.
func (m *Metadata) Encode() []byte { return m.encode(MetadataVersion) }

func (m *Metadata) encode(version uint16) []byte {
	e := newEncoder(magicMetadata, version)
	e.string(m.RunID)
	e.string(m.JobHash)
	e.uint(uint64(m.KeyHashVersion))
	e.uint(uint64(m.MaxParallelism))
	e.int(int64(m.ID))
	e.uint(uint64(m.Kind))
	e.bool(m.Finished)
	e.int(m.TimeMillis)
	e.uint(uint64(len(m.Operators)))
	for i := range m.Operators {
		e.operator(&m.Operators[i])
	}
	e.uint(uint64(len(m.Sources)))
	for i := range m.Sources {
		e.source(&m.Sources[i])
	}
	e.uint(uint64(len(m.Pending)))
	for i := range m.Pending {
		e.committable(&m.Pending[i])
	}
	return e.seal()
}

func (e *encoder) operator(o *OperatorState) {
	e.string(o.UID)
	e.uint(uint64(o.Index))
	e.uint(uint64(o.Parallelism))
	e.uint(uint64(len(o.Watermarks)))
	for _, w := range o.Watermarks {
		e.int(w)
	}
	e.bytes(o.Manifest)
	e.uint(uint64(len(o.Chunks)))
	for _, ref := range o.Chunks {
		e.uint(ref)
	}
	e.uint(uint64(len(o.Layouts)))
	for _, l := range o.Layouts {
		e.string(l.Name)
		e.uint(uint64(l.Version))
		e.bytes(l.Classes)
	}
}

func (e *encoder) subtask(s Subtask) {
	e.string(s.UID)
	e.uint(uint64(s.Index))
}

func (e *encoder) source(s *SourceState) {
	e.subtask(s.Subtask)
	e.uint(uint64(len(s.Splits)))
	for i := range s.Splits {
		p := &s.Splits[i]
		e.string(p.ID)
		e.bool(p.Position != nil)
		e.bytes(p.Position)
		e.int(p.Watermark)
		e.bool(p.Idle)
		e.bool(p.Ended)
	}
}

func (e *encoder) committable(c *Committable) {
	e.subtask(c.Writer)
	e.int(int64(c.Checkpoint))
	e.uint(uint64(c.Version))
	e.bytes(c.Payload)
}
