package recordbatch

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// Column is a column of keys or values.
type Column struct {
	Spans []vec.Span // of Records.Data
	Null  []bool     // nil: none is null
}

// Records are records of one partition as columns. They refer to the fetched
// bytes, or to decompressed ones that the Records own.
type Records struct {
	Data       []byte // what the spans refer to
	Offsets    []int64
	Timestamps []int64 // ms
	Keys       Column
	Values     Column
	Headers    []vec.Span // raw, with their count in front: see HeadersAt

	inflated []byte
}

// Len is the number of records.
func (r *Records) Len() int { return len(r.Offsets) }

// Reset empties r and keeps its memory.
func (r *Records) Reset() {
	r.Offsets, r.Timestamps, r.Headers = r.Offsets[:0], r.Timestamps[:0], r.Headers[:0]
	r.Keys, r.Values = Column{Spans: r.Keys.Spans[:0]}, Column{Spans: r.Values.Spans[:0]}
	r.Data, r.inflated = nil, r.inflated[:0]
}

// Key of record i; nil if null.
func (r *Records) Key(i int) []byte { return r.at(&r.Keys, i) }

// Value of record i; nil if null (a tombstone).
func (r *Records) Value(i int) []byte { return r.at(&r.Values, i) }

func (r *Records) at(c *Column, i int) []byte {
	if c.Null != nil && c.Null[i] {
		return nil
	}
	return r.bytes(c.Spans[i])
}

func (r *Records) bytes(s vec.Span) []byte {
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
		key, _ := c.span()
		value, null := c.span()
		h := Header{Key: string(r.bytes(key))}
		if !null {
			h.Value = r.bytes(value)
		}
		headers = append(headers, h)
	}
	return headers
}

// AppendTo adds the batch's records to r. All of r's records must be of one
// Reader, and all compressed or all not: CanAppendTo tells. After an error r
// is to be reset.
func (b *Batch) AppendTo(r *Records, from *Reader) error {
	c := cursor{data: from.data, pos: b.at}
	end := b.at + len(b.body)
	if b.compressed() {
		begin := len(r.inflated)
		var err error
		if r.inflated, err = decompress(Codec(b.attributes&attrCodec), r.inflated, b.body); err != nil {
			return fmt.Errorf("record batch at offset %d: %w", b.BaseOffset, err)
		}
		c, end = cursor{data: r.inflated, pos: begin}, len(r.inflated)
	}
	c.data = c.data[:end]
	r.Data = c.data[:end:end]
	if b.Count > end-c.pos { // a record takes more than a byte: do not allocate for a lie
		return fmt.Errorf("corrupt record batch at offset %d: %d records in %d bytes", b.BaseOffset, b.Count, end-c.pos)
	}
	n := len(r.Offsets)
	r.grow(b.Count)
	for i := n; i < n+b.Count; i++ {
		if !c.record(b, r, i) {
			return fmt.Errorf("corrupt record batch at offset %d: record %d of %d is malformed", b.BaseOffset, i-n, b.Count)
		}
	}
	return nil
}

// CanAppendTo tells whether the batch's records may follow those in r.
func (b *Batch) CanAppendTo(r *Records) bool {
	return r.Len() == 0 || b.compressed() == (len(r.inflated) > 0)
}

func (b *Batch) compressed() bool { return b.attributes&attrCodec != 0 }

func (r *Records) grow(n int) {
	r.Offsets, r.Timestamps, r.Headers = longer(r.Offsets, n), longer(r.Timestamps, n), longer(r.Headers, n)
	r.Keys.grow(n)
	r.Values.grow(n)
}

func (c *Column) grow(n int) {
	c.Spans = longer(c.Spans, n)
	if c.Null != nil {
		c.Null = append(c.Null, make([]bool, n)...)
	}
}

func longer[T any](s []T, n int) []T { return slices.Grow(s, n)[:len(s)+n] }

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
	c.into(&r.Keys, i)
	c.into(&r.Values, i)
	if c.bad || c.pos > end {
		return false
	}
	r.Headers[i] = vec.Span{Off: uint32(c.pos), Len: uint32(end - c.pos)}
	return c.skipHeaders(end)
}

func (c *cursor) into(col *Column, i int) {
	s, null := c.span()
	col.Spans[i] = s
	if null {
		if col.Null == nil {
			col.Null = make([]bool, len(col.Spans))
		}
		col.Null[i] = true
	}
}

// skipHeaders checks that the headers end where the record does.
func (c *cursor) skipHeaders(end int) bool {
	if c.pos+1 == end && c.data[c.pos] == 0 { // no headers
		c.pos = end
		return true
	}
	for n := c.varint(); n > 0 && !c.bad && c.pos < end; n-- {
		if _, null := c.span(); null {
			return false
		}
		c.span()
	}
	return !c.bad && c.pos == end
}

// span reads a length and skips that many bytes; −1 is null.
func (c *cursor) span() (s vec.Span, null bool) {
	n := c.varint()
	if n < 0 {
		return vec.Span{Off: uint32(c.pos)}, true
	}
	if n > int64(len(c.data)-c.pos) {
		c.bad = true
		return vec.Span{}, true
	}
	s = vec.Span{Off: uint32(c.pos), Len: uint32(n)}
	c.pos += int(n)
	return s, false
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

// Trim drops, of the records from index first on, those below offset low or
// from offset high on. Offsets rise.
func (r *Records) Trim(first int, low, high int64) {
	n := len(r.Offsets)
	end := n
	for end > first && r.Offsets[end-1] >= high {
		end--
	}
	begin := first
	for begin < end && r.Offsets[begin] < low {
		begin++
	}
	if begin == first && end == n {
		return
	}
	r.Offsets = cut(r.Offsets, first, begin, end)
	r.Timestamps = cut(r.Timestamps, first, begin, end)
	r.Headers = cut(r.Headers, first, begin, end)
	r.Keys.cut(first, begin, end)
	r.Values.cut(first, begin, end)
}

func (c *Column) cut(first, begin, end int) {
	c.Spans = cut(c.Spans, first, begin, end)
	if c.Null != nil {
		c.Null = cut(c.Null, first, begin, end)
	}
}

// cut keeps [0, first) and [begin, end).
func cut[T any](s []T, first, begin, end int) []T {
	return append(s[:first], s[begin:end]...)
}
