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
	// appendRows writes some rows of page p.
	appendRows(dst []byte, p int, rows []uint16) []byte
}

type columnCopy[T any] struct {
	pages []*[PageRows]T
	nulls []*[nullWords]uint64
	some  *[PageRows]T // scratch of appendRows
}

func (c *column[T]) freeze() columnImage {
	return &columnCopy[T]{pages: append([]*[PageRows]T(nil), c.pages...), nulls: append([]*[nullWords]uint64(nil), c.nulls...)}
}

func (c *columnCopy[T]) append(dst []byte, p, rows int) []byte {
	var v [maxSeries]series
	n := unpackPage(c.pages[p], rows, &v)
	for i := range n {
		dst = appendSeries(dst, v[i][:rows])
	}
	if len(c.nulls) == 0 {
		return dst
	}
	return appendNulls(dst, c.nulls[p][:(rows+63)/64])
}

func (c *columnCopy[T]) appendRows(dst []byte, p int, rows []uint16) []byte {
	if c.some == nil {
		c.some = new([PageRows]T)
	}
	for i, r := range rows {
		c.some[i] = c.pages[p][r]
	}
	var v [maxSeries]series
	n := unpackPage(c.some, len(rows), &v)
	for i := range n {
		dst = appendSeries(dst, v[i][:len(rows)])
	}
	if len(c.nulls) == 0 {
		return dst
	}
	var nulls rowBits
	for i, r := range rows {
		nulls[i>>6] |= c.nulls[p][r>>6] >> (r & 63) & 1 << (i & 63)
	}
	return appendNulls(dst, nulls[:(len(rows)+63)/64])
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
	var v [maxSeries]series
	for i := range seriesOf(c.pages[p]) {
		d.series(v[i][:rows])
	}
	packPage(c.pages[p], rows, &v)
	if c.nullable && d.byte() != 0 {
		c.anyNull = true
		for i := range (rows + 63) / 64 {
			c.nulls[p][i] = d.u64()
		}
	}
}

func (c *column[T]) loadRows(p int, rows []uint16, d *decoder) {
	var v [maxSeries]series
	some := new([PageRows]T)
	for i := range seriesOf(some) {
		d.series(v[i][:len(rows)])
	}
	packPage(some, len(rows), &v)
	var nulls rowBits
	if c.nullable && d.byte() != 0 {
		c.anyNull = true
		for i := range (len(rows) + 63) / 64 {
			nulls[i] = d.u64()
		}
	}
	if d.err != nil {
		return
	}
	for i, r := range rows {
		c.pages[p][r] = some[i]
		if c.nullable {
			w := &c.nulls[p][r>>6]
			*w = *w&^(1<<(r&63)) | nulls[i>>6]>>(i&63)&1<<(r&63)
		}
	}
}

const maxSeries = 4

// words is the pages whose values are that many 32-bit integers.
func words(page any, rows int) (w []int32, per int) {
	switch p := page.(type) {
	case *[PageRows]cell:
		return unsafe.Slice((*int32)(unsafe.Pointer(p)), 2*rows), 2
	case *[PageRows]root:
		return unsafe.Slice((*int32)(unsafe.Pointer(p)), 2*rows), 2
	case *[PageRows]link:
		return unsafe.Slice((*int32)(unsafe.Pointer(p)), 3*rows), 3
	case *[PageRows]ends:
		return unsafe.Slice((*int32)(unsafe.Pointer(p)), 3*rows), 3
	case *[PageRows]node:
		return unsafe.Slice((*int32)(unsafe.Pointer(p)), 4*rows), 4
	}
	panic(fmt.Sprintf("state: no encoding for %T", page))
}

// seriesOf is the number of series of a page.
func seriesOf(page any) int {
	switch page.(type) {
	case *[PageRows]uint8, *[PageRows]bool, *[PageRows]int64, *[PageRows]uint64, *[PageRows]float64:
		return 1
	case *[PageRows]Int128:
		return 2
	}
	_, per := words(page, 0)
	return per
}

// unpackPage reads a page into series and returns how many.
func unpackPage(page any, rows int, v *[maxSeries]series) int {
	switch p := page.(type) {
	case *[PageRows]uint8:
		unpackInts(p[:rows], &v[0])
	case *[PageRows]bool:
		unpackInts((*[PageRows]uint8)(unsafe.Pointer(p))[:rows], &v[0])
	case *[PageRows]int64:
		unpackInts(p[:rows], &v[0])
	case *[PageRows]uint64:
		unpackInts(p[:rows], &v[0])
	case *[PageRows]float64:
		unpackInts((*series)(unsafe.Pointer(p))[:rows], &v[0])
	case *[PageRows]Int128:
		for i, x := range p[:rows] {
			v[0][i], v[1][i] = uint64(x.Hi), x.Lo
		}
	default:
		w, per := words(page, rows)
		for i := range rows {
			for k := range per {
				v[k][i] = uint64(uint32(w[per*i+k]))
			}
		}
	}
	return seriesOf(page)
}

// packPage is the inverse of unpackPage.
func packPage(page any, rows int, v *[maxSeries]series) {
	switch p := page.(type) {
	case *[PageRows]uint8:
		packInts(p[:rows], &v[0])
	case *[PageRows]bool:
		for i := range p[:rows] {
			p[i] = v[0][i] != 0
		}
	case *[PageRows]int64:
		packInts(p[:rows], &v[0])
	case *[PageRows]uint64:
		packInts(p[:rows], &v[0])
	case *[PageRows]float64:
		packInts((*series)(unsafe.Pointer(p))[:rows], &v[0])
	case *[PageRows]Int128:
		for i := range p[:rows] {
			p[i] = Int128{int64(v[0][i]), v[1][i]}
		}
	default:
		w, per := words(page, rows)
		for i := range rows {
			for k := range per {
				w[per*i+k] = int32(v[k][i])
			}
		}
	}
}

func unpackInts[T uint8 | int64 | uint64](p []T, out *series) {
	for i, v := range p {
		out[i] = uint64(v)
	}
}

func packInts[T uint8 | int64 | uint64](p []T, in *series) {
	for i := range p {
		p[i] = T(in[i])
	}
}
