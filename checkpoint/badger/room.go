package badger

import (
	"fmt"

	"github.com/sqlstream/sqlstream/checkpoint"
	"golang.org/x/sys/unix"
)

// A full disk is a SIGBUS in Badger's memory-mapped files, which Go cannot
// recover. So there is a check before every write. The reserve is for what
// Badger does behind it: the next two logs (2 × memTableSize each, sparse),
// two memtables being flushed, and compactions, which keep their input until
// their output is written: level 0 (levelZeroStall tables of memTableSize)
// with the base level, and a table of that with the next. Four memtables are
// too few: TestDiskFills ended in a SIGBUS of a compaction. Small writes
// (outcomes, journal) go on until little is left, so that a checkpoint that
// was stored can also be settled.
const (
	checkpointReserve = 20 * memTableSize
	smallReserve      = 2 * memTableSize
)

// freeBytes is what an unprivileged writer may still use.
func freeBytes(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}

func room(dir string, bytes, reserve int64) error {
	free, err := freeBytes(dir)
	if err != nil {
		return err
	}
	if free < bytes+reserve {
		return fmt.Errorf("%w: %s has %s free, %s is needed; free some space or move --state-dir",
			checkpoint.ErrNoSpace, dir, mib(free), mib(bytes+reserve))
	}
	return nil
}

func mib(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
