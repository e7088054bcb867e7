package recordbatch

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// Builder makes one record batch. The zero value is ready; Reset reuses its
// memory.
type Builder struct {
	buf    []byte
	baseTS int64
	maxTS  int64
	n      int
}

// Len is the number of records appended.
func (b *Builder) Len() int { return b.n }

// Bytes is the size of the batch so far, uncompressed.
func (b *Builder) Bytes() int { return len(b.buf) }

// Reset empties the builder. buf is memory to build in; nil keeps the old.
func (b *Builder) Reset(buf []byte) {
	if buf == nil {
		buf = b.buf
	}
	b.buf, b.n = buf[:0], 0
}

// Append adds a record. A nil key or value is null; an empty one is not.
func (b *Builder) Append(timestamp int64, key, value []byte, headers []Header) {
	if b.n == 0 {
		if len(b.buf) == 0 {
			b.buf = append(b.buf, make([]byte, headerBytes)...)
		}
		b.baseTS, b.maxTS = timestamp, timestamp
	}
	b.maxTS = max(b.maxTS, timestamp)
	tsDelta, offDelta := timestamp-b.baseTS, int64(b.n)
	size := 1 + varintBytes(tsDelta) + varintBytes(offDelta) +
		sizedBytes(key) + sizedBytes(value) + headersBytes(headers)
	p := binary.AppendVarint(b.buf, int64(size))
	p = append(p, 0)
	p = binary.AppendVarint(p, tsDelta)
	p = binary.AppendVarint(p, offDelta)
	p = appendSized(p, key)
	p = appendSized(p, value)
	b.buf = appendHeaders(p, headers)
	b.n++
}

// Producer is whose batch it is. The zero value with ID −1 is nobody's.
type Producer struct {
	ID            int64
	Epoch         int16
	Sequence      int32 // of the first record
	Transactional bool
}

// Finish fills in the header and returns the batch, which aliases the
// builder's memory (or dst's, if it was compressed) until Reset.
func (b *Builder) Finish(p Producer, codec Codec, dst []byte) ([]byte, error) {
	buf := b.buf
	if codec != None {
		var err error
		dst = append(dst[:0], b.buf[:headerBytes]...)
		if buf, err = compress(codec, dst, b.buf[headerBytes:]); err != nil {
			return nil, err
		}
	}
	attributes := uint16(codec)
	if p.Transactional {
		attributes |= attrTransactional
	}
	be := binary.BigEndian
	be.PutUint64(buf[posBaseOffset:], 0)
	be.PutUint32(buf[posLength:], uint32(len(buf)-posLeaderEpoch))
	be.PutUint32(buf[posLeaderEpoch:], ^uint32(0))
	buf[posMagic] = 2
	be.PutUint16(buf[posAttributes:], attributes)
	be.PutUint32(buf[posLastOffsetDelta:], uint32(b.n-1))
	be.PutUint64(buf[posBaseTimestamp:], uint64(b.baseTS))
	be.PutUint64(buf[posMaxTimestamp:], uint64(b.maxTS))
	be.PutUint64(buf[posProducerID:], uint64(p.ID))
	be.PutUint16(buf[posProducerEpoch:], uint16(p.Epoch))
	be.PutUint32(buf[posBaseSequence:], uint32(p.Sequence))
	be.PutUint32(buf[posCount:], uint32(b.n))
	be.PutUint32(buf[posCRC:], crc32.Checksum(buf[posAttributes:], castagnoli))
	return buf, nil
}

// varintBytes is the size of x as a zig-zag number.
func varintBytes(x int64) int {
	u := uint64(x)<<1 ^ uint64(x>>63)
	return (bits.Len64(u|1) + 6) / 7
}

func sizedBytes(b []byte) int {
	if b == nil {
		return 1
	}
	return varintBytes(int64(len(b))) + len(b)
}

func appendSized(p, b []byte) []byte {
	if b == nil {
		return append(p, 1) // −1
	}
	p = binary.AppendVarint(p, int64(len(b)))
	return append(p, b...)
}

func headersBytes(headers []Header) int {
	n := varintBytes(int64(len(headers)))
	for _, h := range headers {
		n += varintBytes(int64(len(h.Key))) + len(h.Key) + sizedBytes(h.Value)
	}
	return n
}

func appendHeaders(p []byte, headers []Header) []byte {
	p = binary.AppendVarint(p, int64(len(headers)))
	for _, h := range headers {
		p = binary.AppendVarint(p, int64(len(h.Key)))
		p = append(p, h.Key...)
		p = appendSized(p, h.Value)
	}
	return p
}
