package recordbatch

import (
	"encoding/binary"
	"fmt"
)

// Span is a range of Records.Data. Len −1 is null.
type Span struct{ Off, Len int32 }

// Records are the records of one batch as columns.
type Records struct {
	Data       []byte // what the spans refer to: fetched bytes, or decompressed ones
	Offsets    []int64
	Timestamps []int64 // ms
	Keys       []Span
	Values     []Span
	Headers    []Span // the raw headers with their count in front: see HeadersAt

	scratch []byte // decompressed bytes, reused
}

// Len is the number of records.
func (r *Records) Len() int { return len(r.Offsets) }

// Key of record i; nil if null.
func (r *Records) Key(i int) []byte { return r.bytes(r.Keys[i]) }

// Value of record i; nil if null (a tombstone).
func (r *Records) Value(i int) []byte { return r.bytes(r.Values[i]) }

func (r *Records) bytes(s Span) []byte {
	if s.Len < 0 {
		return nil
	}
	return r.Data[s.Off : s.Off+s.Len : s.Off+s.Len]
}

// Header is a record header.
type Header struct {
	Key   string
	Value []byte // nil: null
}

// HeadersAt decodes the headers of record i.
func (r *Records) HeadersAt(i int) []Header {
	s := r.Headers[i]
	c := cursor{data: r.Data[:s.Off+s.Len], pos: int(s.Off)}
	n := int(c.varint())
	if n <= 0 || n > int(s.Len) {
		return nil
	}
	headers := make([]Header, 0, n)
	for range n {
		key := r.bytes(c.span())
		headers = append(headers, Header{Key: string(key), Value: r.bytes(c.span())})
	}
	return headers
}

// Records decodes the batch's records into r, whose memory is reused. The
// spans are valid until the fetched bytes or r are reused.
func (b *Batch) Records(r *Records) error {
	data := b.body
	if codec := Codec(b.attributes & attrCodec); codec != None {
		var err error
		if r.scratch, err = decompress(codec, r.scratch[:0], b.body); err != nil {
			return fmt.Errorf("record batch at offset %d: %w", b.BaseOffset, err)
		}
		data = r.scratch
	}
	if b.Count > len(data) { // a record takes more than a byte: do not allocate for a lie
		return fmt.Errorf("corrupt record batch at offset %d: %d records in %d bytes", b.BaseOffset, b.Count, len(data))
	}
	r.Data = data
	r.resize(b.Count)
	c := cursor{data: data}
	for i := range b.Count {
		if !c.record(b, r, i) {
			r.resize(0)
			return fmt.Errorf("corrupt record batch at offset %d: record %d of %d is malformed", b.BaseOffset, i, b.Count)
		}
	}
	return nil
}

func (r *Records) resize(n int) {
	if n > cap(r.Offsets) {
		r.Offsets, r.Timestamps = make([]int64, n), make([]int64, n)
		r.Keys, r.Values, r.Headers = make([]Span, n), make([]Span, n), make([]Span, n)
	}
	r.Offsets, r.Timestamps = r.Offsets[:n], r.Timestamps[:n]
	r.Keys, r.Values, r.Headers = r.Keys[:n], r.Values[:n], r.Headers[:n]
}

// cursor reads data from pos on; bad is set where data is malformed, and
// stays set.
type cursor struct {
	data []byte
	pos  int
	bad  bool
}

// record reads record i; false if it is malformed.
func (c *cursor) record(b *Batch, r *Records, i int) bool {
	length := c.varint()
	if length < 0 || length > int64(len(c.data)-c.pos) {
		return false
	}
	end := c.pos + int(length)
	c.pos++ // attributes: unused
	ts := b.BaseTimestamp + c.varint()
	if b.LogAppendTime() {
		ts = b.MaxTimestamp
	}
	r.Timestamps[i] = ts
	r.Offsets[i] = b.BaseOffset + c.varint()
	r.Keys[i] = c.span()
	r.Values[i] = c.span()
	if c.bad || c.pos > end {
		return false
	}
	r.Headers[i] = Span{int32(c.pos), int32(end - c.pos)}
	return c.skipHeaders(end)
}

// skipHeaders checks that the headers end where the record does.
func (c *cursor) skipHeaders(end int) bool {
	if c.pos+1 == end && c.data[c.pos] == 0 { // no headers
		c.pos = end
		return true
	}
	for n := c.varint(); n > 0 && !c.bad && c.pos < end; n-- {
		if c.span().Len < 0 {
			return false
		}
		c.span()
	}
	return !c.bad && c.pos == end
}

// span reads a length and skips that many bytes.
func (c *cursor) span() Span {
	n := c.varint()
	if n < 0 {
		return Span{int32(c.pos), -1}
	}
	if n > int64(len(c.data)-c.pos) {
		c.bad = true
		return Span{0, -1}
	}
	s := Span{int32(c.pos), int32(n)}
	c.pos += int(n)
	return s
}

// varint reads a zig-zag number; most are of one or two bytes.
func (c *cursor) varint() int64 {
	if c.pos < len(c.data) {
		if b := c.data[c.pos]; b < 0x80 {
			c.pos++
			return int64(b>>1) ^ -int64(b&1)
		}
	}
	return c.longVarint()
}

func (c *cursor) longVarint() int64 {
	if c.pos >= len(c.data) {
		c.bad = true
		return 0
	}
	x, n := binary.Varint(c.data[c.pos:])
	if n <= 0 {
		c.bad = true
		return 0
	}
	c.pos += n
	return x
}
