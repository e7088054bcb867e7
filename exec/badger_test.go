package exec_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/badger"
	"github.com/sqlstream/sqlstream/exec"
)

func TestBadgerDirectoryResumes(t *testing.T) {
	w := newWorld(t, "a", "b")
	dir := t.TempDir()
	for i, p := range []int{1, 2} {
		store, err := badger.Open(dir, checkpoint.Job{Name: "test", Hash: "h"})
		if err != nil {
			t.Fatal(err)
		}
		w.add("a", "x, 1\ny, 1")
		j := w.run(w.counting(p, p), exec.Config{Store: store})
		w.awaitRead(j)
		w.checkpoint(j)
		w.add("b", "z, 1")
		if i == 1 {
			w.feed.EndAll()
			w.wait(j)
		} else {
			j.Cancel()
			waitFor(j)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	w.want("x, 2", "y, 2", "z, 2")
}
