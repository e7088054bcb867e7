package state

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errTruncated = errors.New("it ends too early")

// decoder reads what the append functions of encoding/binary wrote. After an error all reads give zero.
type decoder struct {
	data    []byte
	err     error
	patches bool // of a manifest: pages have patches
}

func (d *decoder) take(n uint64) []byte {
	if d.err == nil && n > uint64(len(d.data)) {
		d.err = errTruncated
	}
	if d.err != nil {
		return nil
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 && d.err == nil {
		d.err = errTruncated
	}
	if d.err != nil {
		return 0
	}
	d.data = d.data[n:]
	return v
}

// count reads the number of things that follow, each at least `size` bytes long: damage must not make huge slices.
func (d *decoder) count(size int) int {
	n := d.uint()
	if d.err == nil && n > uint64(len(d.data)/size) {
		d.err = errTruncated
	}
	if d.err != nil {
		return 0
	}
	return int(n)
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) u32() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) u64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) bytes() []byte { return d.take(d.uint()) }

func appendBytes(dst, v []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(v))), v...)
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
