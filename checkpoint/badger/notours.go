package badger

import (
	"errors"
	"io/fs"
)

// notOurs: what stands where the directory should is something else. It lies
// outside the program, which ends with exit code 3.
type notOurs struct{ error }

func (e *notOurs) Unwrap() error  { return e.error }
func (e *notOurs) External() bool { return true }

// reason leaves the operation and the path out of err: the message names them.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
