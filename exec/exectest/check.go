package exectest

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// checked refuses batches that break the rules of vec.Batch.
type checked struct {
	*Changelog
	width int
}

func (c checked) Emit(b *vec.Batch) error {
	if err := Check(b, c.width); err != nil {
		return err
	}
	return c.Changelog.Emit(b)
}

// rowsOnly is checked, without the watermarks of several subtasks, which
// rise apart from each other.
type rowsOnly struct {
	*Changelog
	width int
}

func (c rowsOnly) Emit(b *vec.Batch) error { return checked(c).Emit(b) }

func (c rowsOnly) Watermark(types.Time) error { return nil }

// Check tells what is wrong with a batch of the given number of columns.
func Check(b *vec.Batch, width int) error { return b.Check(width) }
