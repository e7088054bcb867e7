// Package recordbatch reads and writes Kafka's record batches (message format
// 2) as bytes: no object per record. Reading yields columns of offsets,
// timestamps and spans into the fetched bytes; writing appends records to one
// buffer. The format: https://kafka.apache.org/documentation/#recordbatch
package recordbatch

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// The layout of a batch: fixed header, then the records, compressed as one.
const (
	posBaseOffset      = 0
	posLength          = 8 // of what follows the length itself
	posLeaderEpoch     = 12
	posMagic           = 16
	posCRC             = 17 // CRC32C of all that follows it
	posAttributes      = 21
	posLastOffsetDelta = 23
	posBaseTimestamp   = 27
	posMaxTimestamp    = 35
	posProducerID      = 43
	posProducerEpoch   = 51
	posBaseSequence    = 53
	posCount           = 57
	headerBytes        = 61
)

// Bits of the attributes.
const (
	attrCodec         = 0x07
	attrLogAppendTime = 0x08
	attrTransactional = 0x10
	attrControl       = 0x20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Batch is one record batch within fetched bytes.
type Batch struct {
	BaseOffset    int64
	LastOffset    int64 // of the last record, also if compaction removed it
	LeaderEpoch   int32
	BaseTimestamp int64 // ms
	MaxTimestamp  int64 // ms
	ProducerID    int64 // −1: none
	ProducerEpoch int16
	BaseSequence  int32
	Count         int // records, as the header says
	attributes    int16
	at            int    // where body begins in the fetched bytes
	body          []byte // the records
}

// Transactional tells whether the batch belongs to a transaction.
func (b *Batch) Transactional() bool { return b.attributes&attrTransactional != 0 }

// Control tells whether the batch is a transaction marker.
func (b *Batch) Control() bool { return b.attributes&attrControl != 0 }

// LogAppendTime tells whether MaxTimestamp, set by the broker, is the
// timestamp of every record.
func (b *Batch) LogAppendTime() bool { return b.attributes&attrLogAppendTime != 0 }

// Reader walks the batches in the bytes fetched of one partition.
type Reader struct {
	data []byte
	pos  int
}

// NewReader begins at the front of data, which every Records read from it
// refers to.
func NewReader(data []byte) Reader { return Reader{data: data} }

// Skip passes over the next batch, by its header alone, and returns the
// offset of its last record. ok is as of Next.
func (r *Reader) Skip() (last int64, ok bool, err error) {
	data, ok, err := r.whole()
	if !ok {
		return 0, false, err
	}
	r.pos += len(data)
	delta := int64(int32(binary.BigEndian.Uint32(data[posLastOffsetDelta:])))
	return int64(binary.BigEndian.Uint64(data)) + delta, true, nil
}

// Next returns the next batch. ok is false at the end, also if the last batch
// is not complete: a broker cuts it off where the fetch limit is.
func (r *Reader) Next() (b Batch, ok bool, err error) {
	data, ok, err := r.whole()
	if !ok {
		return b, false, err
	}
	b, err = parse(data)
	b.at = r.pos + headerBytes
	r.pos += len(data)
	return b, err == nil, err
}

// whole returns the bytes of the next batch, if all are there.
func (r *Reader) whole() (batch []byte, ok bool, err error) {
	data := r.data[r.pos:]
	if len(data) < posMagic+1 {
		return nil, false, nil
	}
	size := int(int32(binary.BigEndian.Uint32(data[posLength:])))
	if magic := data[posMagic]; magic != 2 {
		return nil, false, fmt.Errorf("record batch at offset %d has message format %d; only format 2 (Kafka 0.11 and later) can be read: let the broker rewrite the topic",
			int64(binary.BigEndian.Uint64(data)), magic)
	}
	if size < headerBytes-posLeaderEpoch {
		return nil, false, fmt.Errorf("corrupt record batch: length %d", size)
	}
	total := posLeaderEpoch + size
	if len(data) < total {
		return nil, false, nil
	}
	return data[:total:total], true, nil
}

func parse(d []byte) (Batch, error) {
	be := binary.BigEndian
	b := Batch{
		BaseOffset:    int64(be.Uint64(d[posBaseOffset:])),
		LeaderEpoch:   int32(be.Uint32(d[posLeaderEpoch:])),
		attributes:    int16(be.Uint16(d[posAttributes:])),
		BaseTimestamp: int64(be.Uint64(d[posBaseTimestamp:])),
		MaxTimestamp:  int64(be.Uint64(d[posMaxTimestamp:])),
		ProducerID:    int64(be.Uint64(d[posProducerID:])),
		ProducerEpoch: int16(be.Uint16(d[posProducerEpoch:])),
		BaseSequence:  int32(be.Uint32(d[posBaseSequence:])),
		Count:         int(int32(be.Uint32(d[posCount:]))),
		body:          d[headerBytes:],
	}
	b.LastOffset = b.BaseOffset + int64(int32(be.Uint32(d[posLastOffsetDelta:])))
	if want, got := be.Uint32(d[posCRC:]), crc32.Checksum(d[posAttributes:], castagnoli); want != got {
		return b, fmt.Errorf("corrupt record batch at offset %d: checksum %08x, want %08x", b.BaseOffset, got, want)
	}
	if b.Count < 0 || b.LastOffset < b.BaseOffset {
		return b, fmt.Errorf("corrupt record batch at offset %d: %d records, last offset %d", b.BaseOffset, b.Count, b.LastOffset)
	}
	return b, nil
}
