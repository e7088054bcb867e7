package exec

import "sync/atomic"

// Metrics are the counters of one subtask's operator. Written by its
// goroutine, read by anyone.
type Metrics struct {
	RowsIn, RowsOut     atomic.Int64
	BytesIn, BytesOut   atomic.Int64
	Late                atomic.Int64 // rows dropped because their window had fired
	Skipped             atomic.Int64 // bad records skipped by on-error
	Watermark           atomic.Int64 // ms; MinTime before the first
	BusyNanos           atomic.Int64
	BlockedNanos        atomic.Int64 // waiting for room in an output queue
	StateRows           atomic.Int64
	StateBytes          atomic.Int64
	Lag                 atomic.Int64 // records between position and end of input, of a source
	PendingTransactions atomic.Int64
}
