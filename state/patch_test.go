package state

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// Where single rows of every page change, a snapshot takes what they take, and now and then the pages as a whole.
func TestUniformChanges(t *testing.T) {
	const rows, rounds = 100_000, 60
	for _, c := range []struct{ changed, share int }{{rows / 1000, 40}, {rows / 100, 8}} {
		t.Run(fmt.Sprint(c.changed), func(t *testing.T) {
			chunks := &memChunks{data: map[uint64][]byte{}}
			b, tab := filled(t, rows)
			col := tab.I64Col(0)
			snap := func() Written {
				out := completed(t, b, chunks)
				chunks.drop(out.Dropped)
				return out
			}
			change := func(n int) {
				for range n {
					s := rand.Int32N(rows)
					tab.TouchOne(s)
					col.Set(s, rand.Int64())
				}
			}
			change(rows)
			snap()
			full := fullValues(t, b)
			var sum int64
			for range rounds {
				change(c.changed)
				out := snap()
				sum += out.Bytes - int64(len(out.Manifest))
			}
			if mean := sum / rounds; mean > full/int64(c.share) {
				t.Errorf("%d of %d rows changed: %d bytes on average, of %d", c.changed, rows, mean, full)
			}
			stored := 0
			for _, data := range chunks.data {
				stored += len(data)
			}
			if whole := fullBytes(t, b); int64(stored) > 3*whole {
				t.Errorf("%d bytes stored, a full snapshot has %d", stored, whole)
			}
		})
	}
}

// fullValues is the size of all pages of values.
func fullValues(tb testing.TB, b *Backend) (n int64) {
	s, err := b.Freeze()
	if err != nil {
		tb.Fatal(err)
	}
	defer s.Release()
	set := s.tables[0].sets[0]
	for p := range set.fams[famValues].epochs {
		n += int64(len(set.appendPage(nil, famValues, p)))
	}
	return n
}

// Few rows of many pages change, are deleted and come back, between checkpoints of which some are aborted, come to an end
// late, or are restored from, once with another range: what is read back is what was frozen.
func TestPatchesAreReadBack(t *testing.T) {
	chunks := &memChunks{data: map[uint64][]byte{}}
	w := openWide(t, nil, AllGroups, nil)
	w.put(some(25_000, 12_000), value(0))
	var late []*Snapshot
	patches := 0
	for round := 1; round <= 150; round++ {
		n := 1 + rand.IntN(60)
		w.put(some(n, 12_000), value(round))
		w.delete(some(n/2, 12_000))
		s, err := w.b.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		frozen := w.copyModel()
		w.put(some(n, 12_000), value(1000+round)) // while it is written
		out := write(t, s, chunks)
		s.Release()
		for _, l := range s.written.sets {
			for _, fam := range l.fams {
				for _, p := range fam {
					patches = max(patches, len(p.patches))
				}
			}
		}
		switch rand.IntN(6) {
		case 0: // aborted
		case 1:
			late = append(late, s)
		default:
			s.Completed()
			for _, l := range late {
				l.Completed()
			}
			late = nil
		}
		if round%5 > 0 {
			continue
		}
		r := openWide(t, [][]byte{out.Manifest}, AllGroups, chunks)
		r.equal(t, frozen)
		half := openWide(t, [][]byte{out.Manifest}, RangeOf(0, 2), chunks)
		if half.t.Rows() == 0 || half.t.Rows() >= len(frozen) {
			t.Fatalf("half of %d rows are %d", len(frozen), half.t.Rows())
		}
		if round%20 == 0 { // go on from the restored one
			r.model, late = frozen, nil
			w = r
		}
	}
	if patches < 3 {
		t.Errorf("at most %d patches over a page", patches)
	}
}

// The format before patches is read, and goes on incrementally.
func TestFormat1(t *testing.T) {
	read := func(name string) []byte {
		text, err := os.ReadFile("testdata/format1/" + name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := hex.DecodeString(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	chunks := &memChunks{data: map[uint64][]byte{1: read("chunk1.hex")}, next: 1}
	w := openWide(t, [][]byte{read("manifest.hex")}, AllGroups, chunks)
	model := map[int64]string{}
	for k := range int64(12) {
		model[k] = value(3)(k)
	}
	w.equal(t, model)
	w.model = model
	w.put([]int64{3, 100}, value(4))
	s, err := w.b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	openWide(t, [][]byte{write(t, s, chunks).Manifest}, AllGroups, chunks).equal(t, w.model)
}

// A patch of any bytes is refused or laid over the page, within it.
func FuzzPatch(f *testing.F) {
	w := openWide(f, nil, AllGroups, nil)
	w.put(some(900, 1000), value(0))
	img := w.t.freeze(0)
	for i := range w.t.fams {
		f.Add(i, img.sets[0].appendPatch(nil, i, 0, []uint16{0, 7, 500}))
	}
	f.Fuzz(func(t *testing.T, fam int, patch []byte) {
		if fam < 0 || fam >= famCount {
			return
		}
		fresh := newTable(&clock{}, wideLayout, AllGroups)
		fresh.fams[fam].addPage()
		d := &decoder{data: patch}
		rows := fresh.loadPatch(fam, 0, d)
		for i, r := range rows {
			if r >= PageRows || i > 0 && r <= rows[i-1] {
				t.Fatalf("rows %v", rows)
			}
		}
	})
}
