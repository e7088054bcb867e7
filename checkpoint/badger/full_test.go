package badger

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint"
	"golang.org/x/sys/unix"
)

// smallDisk mounts a tmpfs; without the right to, the test is skipped.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("SKIPPED: no tmpfs of %s can be mounted here (%v): a full disk is not tested", size, err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestDiskFull: a checkpoint that does not fit is declined with folder and
// sizes before anything is written (a write would end in a SIGBUS); the stored
// one can still be settled, and with some room things go on.
func TestDiskFull(t *testing.T) {
	disk := smallDisk(t, "200m")
	dir := filepath.Join(disk, "job")
	s := open(t, dir)
	must(t, s.Begin(1))
	tx := checkpoint.Committable{Writer: checkpoint.Subtask{UID: "u2"}, Checkpoint: 1}
	first := meta(1)
	first.Pending = []checkpoint.Committable{tx}
	must(t, s.Save(first))

	filler := filepath.Join(disk, "filler")
	fill(t, disk, filler)
	_, chunk := s.PutChunk(make([]byte, 1000))
	for _, err := range []error{chunk, s.Begin(2), s.Save(meta(2))} {
		wants(t, err, checkpoint.ErrNoSpace, dir, "MiB free", "80.0 MiB is needed", "--state-dir")
	}
	must(t, s.SaveOutcomes([]checkpoint.Outcome{{Committable: tx, Status: checkpoint.Committed}}))

	must(t, os.Remove(filler))
	must(t, s.Save(meta(2)))
	must(t, s.Close())
	s = open(t, dir)
	if m, err := s.Latest(); err != nil || m.ID != 2 {
		t.Fatal(m, err)
	}
	must(t, s.Close())
}

// fill leaves 20 MiB: enough for outcomes, too little for a checkpoint.
func fill(t *testing.T, disk, filler string) {
	t.Helper()
	free, err := freeBytes(disk)
	must(t, err)
	f, err := os.Create(filler)
	must(t, err)
	must(t, unix.Fallocate(int(f.Fd()), 0, 0, free-20<<20))
	must(t, f.Close())
}

// TestDiskFills writes checkpoints until the disk is full. Whatever Badger
// flushes and compacts behind it must find room as well.
func TestDiskFills(t *testing.T) {
	dir := filepath.Join(smallDisk(t, "160m"), "job")
	s := open(t, dir)
	chunk := make([]byte, 200_000)
	for i := range chunk {
		chunk[i] = byte(rand.Uint32())
	}
	var refs []uint64
	var saved checkpoint.ID
	var err error
	for id := checkpoint.ID(1); err == nil; id++ {
		err = s.Begin(id)
		var more []uint64
		for n := 0; n < 50 && err == nil; n++ {
			var ref uint64
			ref, err = s.PutChunk(chunk)
			more = append(more, ref)
		}
		if err == nil {
			refs = append(refs, more...)
			err = s.Save(meta(id, refs...))
		}
		if err == nil {
			saved = id
		}
	}
	if !errors.Is(err, checkpoint.ErrNoSpace) || saved < 3 {
		t.Fatal(saved, err)
	}
	wants(t, s.Journal("u2").Put("k", chunk), checkpoint.ErrNoSpace)
	for i := range 100 {
		o := checkpoint.Outcome{Status: checkpoint.Committed, Journal: []checkpoint.Entry{{Key: "marker", Value: chunk[:1000]}}}
		o.Committable.Checkpoint = checkpoint.ID(i)
		must(t, s.SaveOutcomes([]checkpoint.Outcome{o}))
	}
	must(t, s.Close())
	t.Logf("%d checkpoints, %d chunks", saved, len(refs))

	s = open(t, dir)
	m, err := s.Latest()
	must(t, err)
	if m.ID != saved {
		t.Fatalf("checkpoint %d, want %d", m.ID, saved)
	}
	for _, ref := range m.Chunks() {
		got, err := s.GetChunk(ref)
		must(t, err)
		if !bytes.Equal(got, chunk) {
			t.Fatalf("chunk %x differs", ref)
		}
	}
	must(t, s.Close())
}
