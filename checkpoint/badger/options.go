package badger

import (
	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

const (
	// memTableSize keeps a job's memory low: an arena takes 1.3 times this,
	// and there are up to numMemtables+1 of them. It also bounds a
	// transaction (15 % of it), which must be able to hold a value of
	// valueThreshold.
	memTableSize = 4 << 20
	numMemtables = 2
	// valueThreshold: smaller values live in the tables, where compaction
	// takes deleted chunks away; larger ones (only ever huge metadata) in the
	// value log.
	valueThreshold = 512 << 10
	valueLogSize   = 32 << 20
	// maxPending transactions of a write batch are under way at a time: what
	// was put, passed the check for room, and is not yet written.
	maxPending = 4
	// levelZeroStall and baseLevelSize bound what one compaction rewrites,
	// and so the room that it takes for a while (see checkpointReserve). Each
	// table that it makes costs an msync, and holds a core for some ms.
	levelZeroTables = 4
	levelZeroStall  = 6
	baseLevelSize   = 8 << 20
	tableSize       = 8 << 20
)

// dbOptions: see ARCHITECTURE.md for what was measured.
func dbOptions(dir string) badger.Options {
	return badger.DefaultOptions(dir).
		WithSyncWrites(true). // db.Sync does not cover a memtable that was rotated
		WithNumVersionsToKeep(1).
		WithDetectConflicts(false).
		WithCompression(options.None). // chunks are packed
		WithBlockCacheSize(0).
		WithMemTableSize(memTableSize).
		WithNumMemtables(numMemtables).
		WithValueThreshold(valueThreshold).
		WithValueLogFileSize(valueLogSize).
		WithNumCompactors(2). // the least that Badger takes
		WithNumLevelZeroTables(levelZeroTables).
		WithNumLevelZeroTablesStall(levelZeroStall).
		WithBaseLevelSize(baseLevelSize).
		WithBaseTableSize(tableSize).
		WithMetricsEnabled(false).
		WithLogger(nil)
}
