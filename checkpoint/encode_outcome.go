package checkpoint

// OutcomeVersion is the format of a stored outcome. Version 2 added Records
// and Replacement.
const OutcomeVersion = 2

const magicOutcome = "sqOC"

// EncodeOutcome returns an outcome, without its Journal, as a record.
func EncodeOutcome(o Outcome) []byte {
	e := newEncoder(magicOutcome, OutcomeVersion)
	e.committable(&o.Committable)
	e.uint(uint64(o.Status))
	e.string(o.Detail)
	e.int(o.Records)
	if o.Status == Replaced {
		e.committable(o.Replacement)
	}
	return e.seal()
}

// DecodeOutcome reads what EncodeOutcome wrote.
func DecodeOutcome(rec []byte) (Outcome, error) {
	d, v, err := openRecord("transaction outcome", magicOutcome, OutcomeVersion, rec)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Committable: d.committable()}
	status := d.uint()
	if status != uint64(Committed) && status != uint64(Lost) && (status != uint64(Replaced) || v < 2) {
		d.fail("unknown status")
	}
	o.Status = Status(status)
	o.Detail = d.string()
	if v >= 2 {
		o.Records = d.int()
	}
	if o.Status == Replaced {
		r := d.committable()
		o.Replacement = &r
	}
	return o, d.done()
}
