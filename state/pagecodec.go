package state

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// columnImage is a column as it was at a freeze.
type columnImage interface {
	// append writes the first rows of page p.
	append(dst []byte, p, rows int) []byte
}

type columnCopy[T any] struct {
	pages []*[PageRows]T
	nulls []*[nullWords]uint64
}

func (c *column[T]) freeze() columnImage {
	return &columnCopy[T]{append([]*[PageRows]T(nil), c.pages...), append([]*[nullWords]uint64(nil), c.nulls...)}
}

func (c *columnCopy[T]) append(dst []byte, p, rows int) []byte {
	var a, b series
	two := unpackPage(c.pages[p], rows, &a, &b)
	dst = appendSeries(dst, a[:rows])
	if two {
		dst = appendSeries(dst, b[:rows])
	}
	if len(c.nulls) == 0 {
		return dst
	}
	return appendNulls(dst, c.nulls[p][:(rows+63)/64])
}

func appendNulls(dst []byte, words []uint64) []byte {
	var any uint64
	for _, w := range words {
		any |= w
	}
	if any == 0 {
		return append(dst, 0)
	}
	dst = append(dst, 1)
	for _, w := range words {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

func (c *column[T]) load(p, rows int, d *decoder) {
	var a, b series
	d.series(a[:rows])
	if isTwo(c.pages[p]) {
		d.series(b[:rows])
	}
	packPage(c.pages[p], rows, &a, &b)
	if c.nullable && d.byte() != 0 {
		c.anyNull = true
		for i := range (rows + 63) / 64 {
			c.nulls[p][i] = d.u64()
		}
	}
}

// unpackPage reads a page into one or two series.
func unpackPage(page any, rows int, a, b *series) (two bool) {
	switch p := page.(type) {
	case *[PageRows]uint8:
		unpackInts(p[:rows], a)
	case *[PageRows]bool:
		unpackInts((*[PageRows]uint8)(unsafe.Pointer(p))[:rows], a)
	case *[PageRows]int32:
		unpackInts(p[:rows], a)
	case *[PageRows]int64:
		unpackInts(p[:rows], a)
	case *[PageRows]uint64:
		unpackInts(p[:rows], a)
	case *[PageRows]float64:
		unpackInts((*series)(unsafe.Pointer(p))[:rows], a)
	case *[PageRows]Int128:
		for i, v := range p[:rows] {
			a[i], b[i] = uint64(v.Hi), v.Lo
		}
		return true
	case *[PageRows]cell:
		for i, v := range p[:rows] {
			a[i], b[i] = uint64(v.Off), uint64(v.Len)
		}
		return true
	default:
		panic(fmt.Sprintf("state: no encoding for %T", page))
	}
	return false
}

func isTwo(page any) bool {
	switch page.(type) {
	case *[PageRows]Int128, *[PageRows]cell:
		return true
	}
	return false
}

// packPage is the inverse of unpackPage.
func packPage(page any, rows int, a, b *series) {
	switch p := page.(type) {
	case *[PageRows]uint8:
		packInts(p[:rows], a)
	case *[PageRows]bool:
		for i := range p[:rows] {
			p[i] = a[i] != 0
		}
	case *[PageRows]int32:
		packInts(p[:rows], a)
	case *[PageRows]int64:
		packInts(p[:rows], a)
	case *[PageRows]uint64:
		packInts(p[:rows], a)
	case *[PageRows]float64:
		packInts((*series)(unsafe.Pointer(p))[:rows], a)
	case *[PageRows]Int128:
		for i := range p[:rows] {
			p[i] = Int128{int64(a[i]), b[i]}
		}
	case *[PageRows]cell:
		for i := range p[:rows] {
			p[i] = cell{uint32(a[i]), uint32(b[i])}
		}
	default:
		panic(fmt.Sprintf("state: no encoding for %T", page))
	}
}

func unpackInts[T uint8 | int32 | int64 | uint64](p []T, out *series) {
	for i, v := range p {
		out[i] = uint64(v)
	}
}

func packInts[T uint8 | int32 | int64 | uint64](p []T, in *series) {
	for i := range p {
		p[i] = T(in[i])
	}
}
