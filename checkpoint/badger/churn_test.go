package badger

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint"
)

// TestDiskChurn replaces the whole state with every checkpoint on a disk that
// holds a few of them: deleted chunks must give their room back, and while
// they do not yet, checkpoints are declined and nothing else happens.
func TestDiskChurn(t *testing.T) {
	disk := smallDisk(t, "160m")
	s := open(t, filepath.Join(disk, "job"))
	chunk := make([]byte, 200_000)
	for i := range chunk {
		chunk[i] = byte(rand.Uint32())
	}
	saved, declined := 0, 0
	for id := checkpoint.ID(1); id <= 12; id++ {
		err := replace(s, id, chunk)
		switch {
		case err == nil:
			saved++
		case errors.Is(err, checkpoint.ErrNoSpace):
			declined++
		default:
			t.Fatal(err)
		}
	}
	must(t, s.Close())
	free, err := freeBytes(disk)
	must(t, err)
	t.Logf("%d saved, %d declined, %s free at the end", saved, declined, mib(free))
	if saved < 5 {
		t.Errorf("only %d of 12 were saved", saved)
	}
}

func replace(s checkpoint.Store, id checkpoint.ID, chunk []byte) error {
	if err := s.Begin(id); err != nil {
		return err
	}
	var refs []uint64
	for range 50 {
		ref, err := s.PutChunk(chunk)
		if err != nil {
			return err
		}
		refs = append(refs, ref)
	}
	if err := s.Save(meta(id, refs...)); err != nil {
		return err
	}
	return s.Retain(1)
}
