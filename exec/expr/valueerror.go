package expr

// ValueError is an error that rows caused: a division by zero, a CAST of a
// text that is no number. The same rows cause it again, so no restart can
// mend it.
type ValueError struct{ Err error }

func (e *ValueError) Error() string { return e.Err.Error() }
func (e *ValueError) Unwrap() error { return e.Err }

// Fatal tells the runtime not to start again because of it.
func (e *ValueError) Fatal() bool { return true }
