package checkpoint

// OutcomeVersion is the format of a stored outcome.
const OutcomeVersion = 1

const magicOutcome = "sqOC"

// EncodeOutcome returns an outcome, without its Journal, as a record.
func EncodeOutcome(o Outcome) []byte {
	e := newEncoder(magicOutcome, OutcomeVersion)
	e.committable(&o.Committable)
	e.uint(uint64(o.Status))
	e.string(o.Detail)
	return e.seal()
}

// DecodeOutcome reads what EncodeOutcome wrote.
func DecodeOutcome(rec []byte) (Outcome, error) {
	d, _, err := openRecord("transaction outcome", magicOutcome, OutcomeVersion, rec)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Committable: d.committable()}
	status := d.uint()
	if status != uint64(Committed) && status != uint64(Lost) {
		d.fail("unknown status")
	}
	o.Status = Status(status)
	o.Detail = d.string()
	return o, d.done()
}
