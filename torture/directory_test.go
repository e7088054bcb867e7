package torture

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
)

// newWorld makes a world with so many records.
type newWorld func(t *testing.T, records int) *World

// fresh is a world on an embedded broker of its own.
func fresh(t *testing.T, records int) *World { return newCluster(t).world(t, records) }

// TestFault16DiskFullAndDamage: a full disk declines checkpoints and no more;
// a torn or flipped byte of the directory is refused by its name.
func TestFault16DiskFullAndDamage(t *testing.T) {
	t.Parallel()
	diskFullAndDamage(t, fresh, Job{})
}

func diskFullAndDamage(t *testing.T, world newWorld, j Job) {
	t.Run("disk full", func(t *testing.T) { diskFull(t, world(t, 120), j) })
	t.Run("writes fail", func(t *testing.T) {
		for _, name := range []string{"metadata", "LATEST", "outcomes", "begin", "chunks", "journal"} {
			w := world(t, 60)
			_, err := w.Run(j, At(name, 2, false, Drop))
			t.Logf("%s: %v", name, err)
			if err != nil {
				if !strings.Contains(err.Error(), errBroken.Error()) {
					t.Errorf("%s: %v", name, err)
				}
				finish(t, w, j)
			}
			exact(t, w)
		}
	})
	for _, damage := range []struct {
		name string
		do   func(t *testing.T, folder string)
	}{{"LATEST torn", tear}, {"LATEST flipped", flipLatest}, {"log flipped", flipLog}} {
		t.Run(damage.name, func(t *testing.T) { damaged(t, world(t, 60), j, damage.do) })
	}
}

func diskFull(t *testing.T, w *World, j Job) {
	writes := 0
	p, err := w.Run(j, func(s Step) Action {
		if s.Name == "write" && s.After {
			if writes++; writes == 5 {
				w.Dir.(Memory).SetFull(true)
				time.AfterFunc(max(20*time.Millisecond, 2*j.Interval), func() { w.Dir.(Memory).SetFull(false) })
			}
		}
		return Go
	})
	if err != nil {
		t.Fatal(err)
	}
	if p.Count(exec.EventCheckpointAborted) == 0 {
		t.Fatal("no checkpoint was declined")
	}
	exact(t, w)
}

// damaged runs a job on Badger, copies its folder as kill -9 would leave it,
// damages the copy, and starts on it.
func damaged(t *testing.T, w *World, j Job, damage func(*testing.T, string)) {
	live, copied := Folder(t.TempDir()), Folder(filepath.Join(t.TempDir(), "copy"))
	w.Dir = live
	hook := At("LATEST", 3, true, Wait)
	p, err := w.Run(j, func(s Step) Action {
		if hook(s) == Wait {
			if err := os.CopyFS(string(copied), os.DirFS(string(live))); err != nil {
				t.Error(err)
			}
		}
		return Go
	})
	if err != nil || p.Killed() {
		t.Fatal(err)
	}
	exact(t, w)
	damage(t, string(copied))
	w.Dir = copied
	_, err = w.Run(j, nil)
	if !errors.Is(err, checkpoint.ErrCorrupt) {
		t.Fatalf("a damaged directory gave %v", err)
	}
	t.Log(err)
	exact(t, w)
}

func tear(t *testing.T, folder string) {
	t.Helper()
	if err := os.Truncate(filepath.Join(folder, "LATEST"), 9); err != nil {
		t.Fatal(err)
	}
}

func flipLatest(t *testing.T, folder string) { flip(t, filepath.Join(folder, "LATEST"), 8) }

// flipLog flips a byte in the first fifth of Badger's log: Badger opens it,
// and forgets what comes later.
func flipLog(t *testing.T, folder string) {
	t.Helper()
	found := false
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".mem") {
			found = true
			flip(t, path, 400)
		}
		return err
	})
	if err != nil || !found {
		t.Fatal("no log of Badger was found", err)
	}
}

func flip(t *testing.T, path string, at int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[at] ^= 0x10
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFault18NewerMetadata: the directory was written by a newer program.
func TestFault18NewerMetadata(t *testing.T) {
	newerMetadata(t, fresh(t, 60), Job{})
}

func newerMetadata(t *testing.T, w *World, j Job) {
	killed(t, w, j, At("commit", 2, false, Kill))
	d := w.Dir.(Memory)
	e, err := d.Engine()
	if err != nil {
		t.Fatal(err)
	}
	var key string
	var rec []byte
	if err := e.Scan("meta/", false, func(k string, v []byte) error { key, rec = k, v; return nil }); err != nil {
		t.Fatal(err)
	}
	original := slices.Clone(rec)
	// A record is magic, version, body, CRC-32C; see checkpoint/DESIGN.md.
	binary.LittleEndian.PutUint16(rec[4:], 999)
	sum := crc32.Checksum(rec[:len(rec)-4], crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(rec[len(rec)-4:], sum)
	if err := errors.Join(e.Apply([]checkpoint.Entry{{Key: key, Value: rec}}), e.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = w.Run(j, nil)
	if !errors.Is(err, checkpoint.ErrNewerFormat) || !strings.Contains(err.Error(), "999") {
		t.Fatalf("metadata of version 999 gave %v", err)
	}
	// The newer program goes on where this one left the directory alone.
	if e, err = d.Engine(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(e.Apply([]checkpoint.Entry{{Key: key, Value: original}}), e.Close()); err != nil {
		t.Fatal(err)
	}
	finish(t, w, j)
	exact(t, w)
}

// TestFault19OpenedTwice: a second process on the same directory is refused,
// and does not disturb the first.
func TestFault19OpenedTwice(t *testing.T) { openedTwice(t, fresh, Job{}) }

func openedTwice(t *testing.T, world newWorld, j Job) {
	for name, dir := range map[string]Directory{"memory": NewMemory(), "badger": Folder(t.TempDir())} {
		w := world(t, 60)
		w.Dir = dir
		var second error
		hook := At("precommit", 3, true, Wait)
		if _, err := w.Run(j, func(s Step) Action {
			if hook(s) == Wait {
				_, second = w.Run(j, nil)
			}
			return Go
		}); err != nil {
			t.Fatal(name, err)
		}
		if !errors.Is(second, checkpoint.ErrLocked) {
			t.Fatalf("%s: the second process ended with %v", name, second)
		}
		exact(t, w)
	}
}

// TestFault22StaleCopy: an older copy of the directory is put back.
func TestFault22StaleCopy(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for _, end := range []point{{"outcomes", true}, {"commit", false}, {"EndTxn commit", true}, {"", false}} {
		for _, taken := range []point{{"metadata", false}, {"metadata", true}, {"EndTxn commit", true}, {"outcomes", true}} {
			w := c.world(t, 60)
			var old Memory
			take, die := At(taken.name, 2, taken.after, Wait), At(end.name, 4, end.after, Kill)
			_, err := w.Run(Job{}, func(s Step) Action {
				if take(s) == Wait {
					old = w.Dir.(Memory).Copy()
				}
				return die(s)
			})
			if end.name == "" && err != nil || end.name != "" && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			w.Dir = old
			_, err = w.Run(Job{}, nil)
			if err == nil || !strings.Contains(err.Error(), "not the latest one") {
				t.Fatalf("a copy taken at %v, put back after %v, gave %v", taken, end, err)
			}
			rows, err := w.VisibleNow(w.Out)
			if v := w.compare(rows); err != nil || len(v.Duplicated)+len(v.Strange) > 0 {
				t.Fatal(err, v.Err())
			}
		}
	}
}

// TestFault23LostDirectory: refused, naming the earlier run; --fresh begins
// anew and says that rows may come again.
func TestFault23LostDirectory(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for _, end := range []point{{"outcomes", true}, {"commit", false}, {"EndTxn commit", true}, {"", false}} {
		w := c.world(t, 60)
		_, err := w.Run(Job{}, At(end.name, 3, end.after, Kill))
		if end.name == "" && err != nil || end.name != "" && !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		w.Dir = NewMemory()
		_, err = w.Run(Job{}, nil)
		if err == nil || !strings.Contains(err.Error(), "earlier run") || !strings.Contains(err.Error(), "--fresh") {
			t.Fatalf("a lost directory gave %v", err)
		}
		before, err := w.VisibleNow(w.Out)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Run(Job{Fresh: true}, nil); err != nil {
			t.Fatal(err)
		}
		after, err := w.Visible(w.Out)
		if err != nil {
			t.Fatal(err)
		}
		if len(after) != len(before)+w.Records {
			t.Fatalf("%d rows were visible, %d after --fresh, of %d records", len(before), len(after), w.Records)
		}
	}
}

// TestFault23MarkerOfAnEarlierRun: after --fresh the same checkpoint number
// meets the same id again. The marker of the earlier run proves nothing: a
// transaction that was fenced from outside is said to be lost.
func TestFault23MarkerOfAnEarlierRun(t *testing.T) {
	c := newCluster(t)
	for range 20 { // a checkpoint may come before the first row
		if markerOfAnEarlierRun(t, c.world(t, 60)) {
			return
		}
	}
	t.Fatal("the same checkpoint number never met the same id")
}

func markerOfAnEarlierRun(t *testing.T, w *World) (met bool) {
	t.Helper()
	var id, before string
	until := func(name string, after bool) Hook {
		die := At(name, 1, after, Kill)
		return func(s Step) Action {
			if s.Name == "AddOffsetsToTxn" {
				id = s.ID
			}
			return die(s)
		}
	}
	killed(t, w, Job{}, until("outcomes", true)) // leaves a marker
	earlier := latest(t, w).ID
	before = id
	w.Dir = NewMemory()
	killed(t, w, Job{Fresh: true}, At("write", 1, false, Kill)) // this start has the other pool of ids
	killed(t, w, Job{}, until("commit", false))
	m := latest(t, w)
	if len(m.Pending) != 1 || m.ID != earlier || id != before {
		return false
	}
	if err := fence(w.Addr, id); err != nil {
		t.Fatal(err)
	}
	_, err := w.Run(Job{}, nil)
	if err == nil || !strings.Contains(err.Error(), "is lost") {
		t.Fatalf("got %v, expected the loss of checkpoint %d", err, m.ID)
	}
	return true
}
