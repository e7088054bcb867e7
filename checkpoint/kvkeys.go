package checkpoint

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Keys of a state directory, format DirVersion:
//
//	sys/job                 job record (magic sqJB)
//	sys/start               number of process starts, decimal
//	sys/begun               newest ID given to Begin, decimal
//	sys/lost                committables and rows lost so far (magic sqLO)
//	meta/<id, 20 digits>    metadata record (magic sqCK)
//	chunk/<ref, 16 hex>     state chunk (magic sqCH)
//	pending/<key>           outcome record (magic sqOC) of a committable
//	journal/<uid>/<key>     as the operator wrote it
const (
	keyJob      = "sys/job"
	keyStart    = "sys/start"
	keyBegun    = "sys/begun"
	keyLosses   = "sys/lost"
	preMeta     = "meta/"
	preChunk    = "chunk/"
	preOutcome  = "pending/"
	preJournals = "journal/"
)

func metaKey(id ID) string { return fmt.Sprintf("%s%020d", preMeta, id) }

func metaID(key string) (ID, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(key, preMeta), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: key %q", ErrCorrupt, key)
	}
	return ID(n), nil
}

func chunkKey(ref uint64) string { return fmt.Sprintf("%s%016x", preChunk, ref) }

func chunkRef(key string) (uint64, error) {
	n, err := strconv.ParseUint(strings.TrimPrefix(key, preChunk), 16, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: key %q", ErrCorrupt, key)
	}
	return n, nil
}

func outcomeKey(c Committable) string { return preOutcome + c.Key() }

// journalPrefix escapes the UID, so that one operator's keys are never a
// prefix of another's.
func journalPrefix(uid string) string { return preJournals + url.PathEscape(uid) + "/" }

// A chunk reference is the process start in the upper 24 bits and a count
// from 1 in the lower 40: never used again, whatever was lost in a crash.
const refStartShift = 40

func firstRef(start uint64) uint64 { return start<<refStartShift | 1 }
