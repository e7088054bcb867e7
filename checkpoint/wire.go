package checkpoint

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// A record on disk is: 4 bytes magic, format version (uint16, little endian),
// body, CRC-32C of all before it (4 bytes, little endian). Magic, the place
// of the version and that of the CRC never change; the body is the version's.
// In bodies integers are varints, byte strings have their length in front.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const (
	magicLen = 4
	frameLen = magicLen + 2 + 4
)

type encoder struct{ b []byte }

func newEncoder(magic string, version uint16) *encoder {
	e := &encoder{b: make([]byte, 0, 256)}
	e.b = append(e.b, magic...)
	e.b = binary.LittleEndian.AppendUint16(e.b, version)
	return e
}

// seal appends the CRC and returns the record.
func (e *encoder) seal() []byte {
	return binary.LittleEndian.AppendUint32(e.b, crc32.Checksum(e.b, castagnoli))
}

func (e *encoder) uint(v uint64)   { e.b = binary.AppendUvarint(e.b, v) }
func (e *encoder) int(v int64)     { e.b = binary.AppendVarint(e.b, v) }
func (e *encoder) bytes(p []byte)  { e.uint(uint64(len(p))); e.b = append(e.b, p...) }
func (e *encoder) string(s string) { e.uint(uint64(len(s))); e.b = append(e.b, s...) }

func (e *encoder) bool(v bool) {
	if v {
		e.b = append(e.b, 1)
	} else {
		e.b = append(e.b, 0)
	}
}

// decoder reads a body. The first error stays and every later read gives
// zero, so that callers look once, at the end.
type decoder struct {
	b    []byte
	what string
	err  error
}

// openRecord checks CRC, magic and version, in this order of blame: a wrong
// CRC is corruption whatever the rest says.
func openRecord(what, magic string, version uint16, rec []byte) (*decoder, uint16, error) {
	if len(rec) < frameLen {
		return nil, 0, fmt.Errorf("%w: %s is cut off at %d bytes", ErrCorrupt, what, len(rec))
	}
	body, tail := rec[:len(rec)-4], rec[len(rec)-4:]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(tail) {
		return nil, 0, fmt.Errorf("%w: checksum of %s is wrong", ErrCorrupt, what)
	}
	if string(body[:magicLen]) != magic {
		return nil, 0, fmt.Errorf("%w: %s begins with %q, expected %q", ErrCorrupt, what, body[:magicLen], magic)
	}
	v := binary.LittleEndian.Uint16(body[magicLen:])
	if v > version {
		return nil, 0, fmt.Errorf("%w: %s has format %d, this program reads up to %d; use a newer sqlstream", ErrNewerFormat, what, v, version)
	}
	if v == 0 {
		return nil, 0, fmt.Errorf("%w: %s has format 0", ErrCorrupt, what)
	}
	return &decoder{b: body[magicLen+2:], what: what}, v, nil
}

func (d *decoder) fail(why string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s: %s", ErrCorrupt, d.what, why)
	}
	d.b = nil
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail("bad number")
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.fail("bad number")
		return 0
	}
	d.b = d.b[n:]
	return v
}

// small reads a number that must fit into an int32 and not be negative.
func (d *decoder) small() int {
	v := d.uint()
	if v > 1<<31-1 {
		d.fail("number out of range")
		return 0
	}
	return int(v)
}

// count reads how many elements follow; each takes a byte at least, so that
// a broken count cannot make the reader allocate more than it was given.
func (d *decoder) count() int {
	v := d.uint()
	if v > uint64(len(d.b)) {
		d.fail("count beyond the end")
		return 0
	}
	return int(v)
}

func (d *decoder) bytes() []byte {
	n := d.count()
	if d.err != nil || n == 0 {
		return nil
	}
	p := append([]byte(nil), d.b[:n]...)
	d.b = d.b[n:]
	return p
}

func (d *decoder) string() string {
	n := d.count()
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

func (d *decoder) bool() bool {
	if len(d.b) == 0 || d.b[0] > 1 {
		d.fail("bad flag")
		return false
	}
	v := d.b[0] == 1
	d.b = d.b[1:]
	return v
}

// done returns the first error, or one for bytes left over.
func (d *decoder) done() error {
	if d.err == nil && len(d.b) > 0 {
		d.fail(fmt.Sprintf("%d bytes too many", len(d.b)))
	}
	return d.err
}
