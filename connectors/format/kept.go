package format

import "github.com/sqlstream/sqlstream/exec/vec"

// keptRows numbers the rows of a batch when messages are left out: a message
// that is skipped gives no row at all, so that it moves no watermark.
type keptRows struct{ origin []int32 }

func (k *keptRows) begin() { k.origin = k.origin[:0] }

// add notes what became of message i, which was decoded into a row, and
// returns the row of the next message.
func (k *keptRows) add(keep bool, i, row int, cols []*vec.Vector) int {
	if keep {
		k.origin = append(k.origin, int32(i))
		return row + 1
	}
	for _, c := range cols {
		clearNulls(c, row)
	}
	return row
}

// clearNulls makes a row ready to be written anew.
func clearNulls(c *vec.Vector, row int) {
	c.ClearNull(row)
	if c.Kind == vec.Row {
		for _, kid := range c.Kids {
			clearNulls(kid, row)
		}
	}
}

// end sets the number of rows; the result is the message of each row, nil if
// none of the n messages was left out.
func (k *keptRows) end(rows, n int, b *vec.Batch) []int32 {
	b.N = rows
	if rows == n {
		return nil
	}
	for _, c := range b.Cols {
		c.Truncate(rows)
	}
	return k.origin
}

func setNulls(cols []*vec.Vector, row int) {
	for _, c := range cols {
		c.SetNull(row)
	}
}
