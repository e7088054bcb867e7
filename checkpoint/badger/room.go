package badger

import (
	"fmt"

	"github.com/sqlstream/sqlstream/checkpoint"
	"golang.org/x/sys/unix"
)

// A full disk is a SIGBUS in Badger's memory-mapped log, which Go cannot
// recover. Files of memtables are twice memTableSize long and sparse, so
// before a checkpoint there must be room for its bytes and two of them; small
// writes (outcomes, journal) go on until half of that is left, so that a
// checkpoint that was stored can also be settled.
const (
	checkpointReserve = 2 * 2 * memTableSize
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
