package checkpoint

// DecodeMetadata reads what Encode wrote. A damaged record is ErrCorrupt, one
// of a newer program ErrNewerFormat.
func DecodeMetadata(rec []byte) (*Metadata, error) {
	d, _, err := openRecord("checkpoint metadata", magicMetadata, MetadataVersion, rec)
	if err != nil {
		return nil, err
	}
	m := &Metadata{}
	m.RunID = d.string()
	m.JobHash = d.string()
	m.KeyHashVersion = d.uint16()
	m.MaxParallelism = d.small()
	m.ID = ID(d.int())
	m.Kind = d.kind()
	m.Finished = d.bool()
	m.TimeMillis = d.int()
	for n := d.count(); n > 0 && d.err == nil; n-- {
		m.Operators = append(m.Operators, d.operator())
	}
	for n := d.count(); n > 0 && d.err == nil; n-- {
		m.Sources = append(m.Sources, d.source())
	}
	for n := d.count(); n > 0 && d.err == nil; n-- {
		m.Pending = append(m.Pending, d.committable())
	}
	if err := d.done(); err != nil {
		return nil, err
	}
	return m, nil
}

func (d *decoder) uint16() uint16 {
	v := d.uint()
	if v > 1<<16-1 {
		d.fail("number out of range")
	}
	return uint16(v)
}

func (d *decoder) kind() Kind {
	v := d.uint()
	if v > uint64(Final) {
		d.fail("unknown kind of checkpoint")
	}
	return Kind(v)
}

func (d *decoder) operator() OperatorState {
	o := OperatorState{UID: d.string(), Index: d.small(), Parallelism: d.small()}
	for n := d.count(); n > 0 && d.err == nil; n-- {
		o.Watermarks = append(o.Watermarks, d.int())
	}
	o.Manifest = d.bytes()
	for n := d.count(); n > 0 && d.err == nil; n-- {
		o.Chunks = append(o.Chunks, d.uint())
	}
	for n := d.count(); n > 0 && d.err == nil; n-- {
		l := Layout{Name: d.string()}
		v := d.small()
		l.Version, l.Classes = uint32(v), d.bytes()
		o.Layouts = append(o.Layouts, l)
	}
	return o
}

func (d *decoder) subtask() Subtask { return Subtask{UID: d.string(), Index: d.small()} }

func (d *decoder) source() SourceState {
	s := SourceState{Subtask: d.subtask()}
	for n := d.count(); n > 0 && d.err == nil; n-- {
		p := SplitState{Split: Split{ID: d.string()}}
		set := d.bool()
		p.Position = d.bytes()
		if set && p.Position == nil {
			p.Position = []byte{}
		} else if !set && p.Position != nil {
			d.fail("position of a new split")
		}
		p.Watermark, p.Idle, p.Ended = d.int(), d.bool(), d.bool()
		s.Splits = append(s.Splits, p)
	}
	return s
}

func (d *decoder) committable() Committable {
	return Committable{Writer: d.subtask(), Checkpoint: ID(d.int()), Version: d.uint16(), Payload: d.bytes()}
}
