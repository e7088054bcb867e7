package vec

import "fmt"

// Check tells what is wrong with a batch of the given number of columns, for
// tests and test builds.
func (b *Batch) Check(width int) error {
	if len(b.Cols) != width {
		return fmt.Errorf("batch of %d columns, expected %d", len(b.Cols), width)
	}
	for i, v := range b.Cols {
		if v.Len() < b.N {
			return fmt.Errorf("column %d has %d rows, the batch %d", i, v.Len(), b.N)
		}
		if v.Nulls != nil && len(v.Nulls) < (b.N+63)>>6 {
			return fmt.Errorf("column %d has nulls for %d rows, the batch %d", i, len(v.Nulls)<<6, b.N)
		}
	}
	if b.Ops != nil && len(b.Ops) < b.N {
		return fmt.Errorf("batch of %d rows with %d ops", b.N, len(b.Ops))
	}
	if b.Hash != nil && len(b.Hash) < b.N {
		return fmt.Errorf("batch of %d rows with %d hashes", b.N, len(b.Hash))
	}
	last := int32(-1)
	for _, r := range b.Sel {
		if r <= last || int(r) >= b.N {
			return fmt.Errorf("selection %v of a batch of %d rows", b.Sel, b.N)
		}
		last = r
	}
	return nil
}
