package state

import (
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// sealed puts head and checksum around a body, so that the fuzzer gets past them.
func sealed(body []byte) []byte {
	m := binary.LittleEndian.AppendUint32(nil, manifestMagic)
	m = binary.LittleEndian.AppendUint16(m, manifestVersion)
	m = append(m, body...)
	return binary.LittleEndian.AppendUint32(m, crc32.Checksum(m, castagnoli))
}

func seedManifest(tb testing.TB) ([]byte, *memChunks) {
	chunks := &memChunks{data: map[uint64][]byte{}}
	w := openWide(tb, nil, AllGroups, nil)
	w.put(some(2000, 3000), value(0))
	return snapshotOf(tb, w.b, chunks), chunks
}

// Whatever a manifest says, it is refused or restored, and nothing panics.
func FuzzManifest(f *testing.F) {
	m, chunks := seedManifest(f)
	f.Add(m[manifestHead : len(m)-4])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		b, err := Open(Options{Operator: "op", Range: AllGroups, Manifests: [][]byte{sealed(body)}, Chunks: chunks})
		if err != nil {
			return
		}
		tab, err := b.Table(wideLayout)
		if err == nil && tab.Rows() > 1<<20 {
			t.Fatalf("%d rows", tab.Rows())
		}
	})
}

// A page of any bytes is refused or read.
func FuzzPage(f *testing.F) {
	w := openWide(f, nil, AllGroups, nil)
	w.put(some(900, 1000), value(0))
	img := w.t.freeze(0)
	for i := range w.t.fams {
		f.Add(i, img.sets[0].appendPage(nil, i, 0))
	}
	f.Fuzz(func(t *testing.T, fam int, page []byte) {
		if fam < 0 || fam >= famCount {
			return
		}
		fresh := newTable(&clock{}, wideLayout, AllGroups)
		fresh.fams[fam].addPage()
		d := &decoder{data: page}
		fresh.loadPage(fam, 0, d)
	})
}
