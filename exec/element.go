package exec

import (
	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// elementKind is what travels through a queue, in order.
type elementKind uint8

const (
	rowsElement elementKind = iota
	watermarkElement
	barrierElement
	idleElement   // the channel's watermark no longer counts
	activeElement // it counts again
)

// element is one entry of a queue.
type element struct {
	kind    elementKind
	batch   *vec.Batch // rowsElement: the queue's, given back after use
	time    types.Time // watermarkElement
	barrier barrier    // barrierElement
}

// barrier separates the rows of a checkpoint from later ones.
type barrier struct {
	id   checkpoint.ID
	kind checkpoint.Kind
}
