package state

import (
	"encoding/binary"
	"fmt"
	"math"
)

// series is the values of a page as 64-bit integers: every class is one or two of them, links up to four.
type series = [PageRows]uint64

// appendSeries writes values as differences from the least one, in the narrowest of 0, 1, 2, 4 and 8 bytes.
func appendSeries(dst []byte, v []uint64) []byte {
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, x := range v {
		lo, hi = min(lo, int64(x)), max(hi, int64(x))
	}
	width := widthOf(uint64(hi) - uint64(lo))
	dst = append(dst, byte(width))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(lo))
	at := len(dst)
	dst = append(dst, make([]byte, width*len(v))...)
	packSeries(dst[at:], v, uint64(lo), width)
	return dst
}

func widthOf(spread uint64) int {
	switch {
	case spread == 0:
		return 0
	case spread <= math.MaxUint8:
		return 1
	case spread <= math.MaxUint16:
		return 2
	case spread <= math.MaxUint32:
		return 4
	}
	return 8
}

func packSeries(out []byte, v []uint64, lo uint64, width int) {
	switch width {
	case 1:
		for i, x := range v {
			out[i] = byte(x - lo)
		}
	case 2:
		for i, x := range v {
			binary.LittleEndian.PutUint16(out[2*i:], uint16(x-lo))
		}
	case 4:
		for i, x := range v {
			binary.LittleEndian.PutUint32(out[4*i:], uint32(x-lo))
		}
	case 8:
		for i, x := range v {
			binary.LittleEndian.PutUint64(out[8*i:], x-lo)
		}
	}
}

func (d *decoder) series(v []uint64) {
	width := int(d.byte())
	lo := d.u64()
	if d.err == nil && width > 8 {
		d.err = fmt.Errorf("integers of %d bytes", width)
	}
	in := d.take(uint64(width * len(v)))
	if d.err != nil {
		return
	}
	switch width {
	case 0:
		for i := range v {
			v[i] = lo
		}
	case 1:
		for i := range v {
			v[i] = lo + uint64(in[i])
		}
	case 2:
		for i := range v {
			v[i] = lo + uint64(binary.LittleEndian.Uint16(in[2*i:]))
		}
	case 4:
		for i := range v {
			v[i] = lo + uint64(binary.LittleEndian.Uint32(in[4*i:]))
		}
	case 8:
		for i := range v {
			v[i] = lo + binary.LittleEndian.Uint64(in[8*i:])
		}
	default:
		d.err = fmt.Errorf("integers of %d bytes", width)
	}
}
