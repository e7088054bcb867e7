package torture

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec"
)

// exactFiles fails the test unless the folder holds the input, once, and
// nothing else.
func exactFiles(t *testing.T, w *World, folder string) {
	t.Helper()
	v, err := w.CheckFiles(folder)
	if err = errors.Join(err, v.Err()); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s is left over", e.Name())
		}
	}
}

// wholeFiles makes a hook that looks, at every step, whether a visible file
// is whole, and stays as it is.
func wholeFiles(t *testing.T, folder string, hook Hook) Hook {
	sizes := map[string]int64{}
	return func(s Step) Action {
		a := hook(s)
		if _, err := fileRows(folder); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") {
				continue
			}
			if i, err := e.Info(); err == nil {
				if old, ok := sizes[e.Name()]; ok && old != i.Size() {
					t.Errorf("file %s was visible with %d bytes and has %d now", e.Name(), old, i.Size())
				}
				sizes[e.Name()] = i.Size()
			}
		}
		return a
	}
}

// TestFilesFaults01To06 kills a job that writes files at each step of faults
// 1 to 6.
func TestFilesFaults01To06(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for _, p := range []point{{"write", false}, {"write", true}, {"begin", true}, {"precommit", false}, {"precommit", true}, {"chunks", true}, {"metadata", false},
		{"metadata", true}, {"LATEST", false}, {"LATEST", true}, {"commit", false}, {"commit", true}, {"outcomes", false}, {"outcomes", true}, {"settled", true}} {
		for nth := 1; nth <= 3; nth++ {
			t.Run(fmt.Sprintf("%s %d after=%v", p.name, nth, p.after), func(t *testing.T) {
				w := c.world(t, 90)
				j := Job{Parallelism: 2, Files: filepath.Join(t.TempDir(), "out")}
				killed(t, w, j, wholeFiles(t, j.Files, At(p.name, nth, p.after, Kill)))
				finish(t, w, j)
				exactFiles(t, w, j.Files)
			})
		}
	}
}

// TestFilesFault07DuringRecovery: a second process dies at each step of its
// recovery.
func TestFilesFault07DuringRecovery(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for at := 1; ; at++ {
		reached := false
		for _, after := range []bool{false, true} {
			w := c.world(t, 90)
			j := Job{Parallelism: 2, Files: filepath.Join(t.TempDir(), "out")}
			killed(t, w, j, At("commit", 2, false, Kill))
			p, err := w.Finish(j, wholeFiles(t, j.Files, inRecovery(at, after)))
			if err != nil {
				t.Fatalf("step %d, after=%v: %v", at, after, err)
			}
			exactFiles(t, w, j.Files)
			reached = reached || p.Killed()
		}
		if !reached {
			if at < 4 {
				t.Fatalf("a recovery of %d steps is too short to be true", at)
			}
			return
		}
	}
}

// TestFilesFault14Rescale: 1 → 3 → 2 with finished files that are not in
// place yet.
func TestFilesFault14Rescale(t *testing.T) {
	c := newCluster(t)
	w := c.world(t, 90)
	files := filepath.Join(t.TempDir(), "out")
	for _, parallelism := range []int{1, 3} {
		killed(t, w, Job{Parallelism: parallelism, Files: files}, At("metadata", 1, true, Kill))
	}
	finish(t, w, Job{Parallelism: 2, Files: files})
	exactFiles(t, w, files)
}

// TestFilesFault15AbortedCheckpoint: what a checkpoint that timed out had
// finished comes with the next one.
func TestFilesFault15AbortedCheckpoint(t *testing.T) {
	c := newCluster(t)
	w := c.world(t, 120)
	j := Job{Files: filepath.Join(t.TempDir(), "out"), Timeout: stalledBy}
	n := 0
	p, err := w.Run(j, wholeFiles(t, j.Files, func(s Step) Action {
		if s.Name == "precommit" && !s.After {
			if n++; n > 2 && n < 6 {
				return Stall
			}
		}
		return Go
	}))
	if err != nil {
		t.Fatal(err)
	}
	if p.Count(exec.EventCheckpointAborted) == 0 {
		t.Fatal("no checkpoint was aborted")
	}
	exactFiles(t, w, j.Files)
}

// TestFilesFault21End: a kill at each step from the final barrier on.
func TestFilesFault21End(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for at := 1; ; at++ {
		w := c.world(t, 30)
		j := Job{Files: filepath.Join(t.TempDir(), "out")}
		ending, n := false, 0
		p, err := w.Finish(j, func(s Step) Action {
			ending = ending || s.Name == "precommit final"
			if ending {
				if n++; n == at {
					return Kill
				}
			}
			return Go
		})
		if err != nil {
			t.Fatal(err)
		}
		exactFiles(t, w, j.Files)
		if !p.Killed() {
			return
		}
	}
}

// TestFilesLostTemporary: a finished file was removed before its commit. The
// job says so, naming the file and its rows.
func TestFilesLostTemporary(t *testing.T) {
	c := newCluster(t)
	w := c.world(t, 60)
	j := Job{Files: filepath.Join(t.TempDir(), "out")}
	killed(t, w, j, At("commit", 1, false, Kill))
	hidden, err := filepath.Glob(filepath.Join(j.Files, ".part-*"))
	if err != nil || len(hidden) == 0 {
		t.Fatal(hidden, err)
	}
	for _, h := range hidden {
		if err := os.Remove(h); err != nil {
			t.Fatal(err)
		}
	}
	_, err = w.Run(j, nil)
	if err == nil || !strings.Contains(err.Error(), "is gone") || !strings.Contains(err.Error(), "rows") {
		t.Fatalf("a removed file gave %v", err)
	}
}

// TestFilesFault22StaleCopy: an older copy of the directory is put back.
func TestFilesFault22StaleCopy(t *testing.T) {
	c := newCluster(t)
	for _, taken := range []point{{"metadata", true}, {"outcomes", true}} {
		w := c.world(t, 90)
		j := Job{Files: filepath.Join(t.TempDir(), "out")}
		var old Memory
		take := At(taken.name, 1, taken.after, Wait)
		if _, err := w.Run(j, func(s Step) Action {
			if take(s) == Wait {
				old = w.Dir.(Memory).Copy()
			}
			return Go
		}); err != nil {
			t.Fatal(err)
		}
		w.Dir = old
		if _, err := w.Run(j, nil); err == nil || !strings.Contains(err.Error(), "not the latest one") {
			t.Fatalf("a stale copy gave %v", err)
		}
		exactFiles(t, w, j.Files)
	}
}

// TestFilesTwoSinksOneFolder: two sinks of a job write to one folder; the
// rows of both are there.
func TestFilesTwoSinksOneFolder(t *testing.T) {
	c := newCluster(t)
	w := c.world(t, 60)
	j := Job{Files: filepath.Join(t.TempDir(), "out"), TwoSinks: true}
	if _, err := w.Run(j, nil); err != nil {
		t.Fatal(err)
	}
	rows, err := fileRows(j.Files)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, r := range rows {
		count[r]++
	}
	for id := range w.Records {
		if n := count[row(id, w.Partitions)]; n != 2 {
			t.Fatalf("record %d is there %d times, expected once of each sink", id, n)
		}
	}
}
