// Package txn is the exactly-once protocol of the Kafka sink: two-phase
// commit with Kafka's transactions, as EXACTLY_ONCE in ../DESIGN.md describes
// and proves it. It decides; what it asks of Kafka and of the state directory
// goes through two narrow interfaces (Cluster and exec.Journal), so that
// tests can make any step fail.
package txn

import (
	"fmt"
	"strconv"
	"strings"
)

// ID is a transactional.id: <prefix>-<sink UID>-<writer>-<pool>-<slot>.
type ID struct {
	Writer int // subtask of the sink
	Pool   int // 0 or 1: start number mod 2
	Slot   int
}

// Names makes and reads the transactional.ids of one sink.
type Names struct{ prefix, uid string }

// NewNames takes the prefix as given and the sink's operator UID, in which
// anything but letters, digits, dot and underscore becomes an underscore: the
// fields are told apart by the last hyphens.
func NewNames(prefix, uid string) Names {
	clean := func(r rune) rune {
		if r == '.' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}
	return Names{prefix, strings.Map(clean, uid)}
}

// Of is the transactional.id.
func (n Names) Of(id ID) string {
	return fmt.Sprintf("%s-%s-%d-%d-%d", n.prefix, n.uid, id.Writer, id.Pool, id.Slot)
}

// writer is the index of the writer whose transaction it is. The prefix is not
// looked at: it may have been another one when the transaction began.
func (t Transaction) writer() int {
	fields := strings.Split(t.ID, "-")
	if len(fields) < 3 {
		return 0
	}
	w, err := strconv.Atoi(fields[len(fields)-3])
	if err != nil {
		return 0
	}
	return w
}

// Owner is the id that tells which process owns the sink. It never opens a
// transaction.
func (n Names) Owner() string { return n.prefix + "-" + n.uid + "-owner" }

// Parse reads a transactional.id of this sink; false for any other. The
// fields are compared whole: job "a" never touches ids of job "a-b".
func (n Names) Parse(s string) (ID, bool) {
	fields := strings.Split(s, "-")
	if len(fields) < 5 {
		return ID{}, false
	}
	tail := fields[len(fields)-4:]
	if strings.Join(fields[:len(fields)-4], "-") != n.prefix || tail[0] != n.uid {
		return ID{}, false
	}
	var nums [3]int
	for i, f := range tail[1:] {
		v, err := strconv.Atoi(f)
		if err != nil || v < 0 || strconv.Itoa(v) != f {
			return ID{}, false
		}
		nums[i] = v
	}
	return ID{nums[0], nums[1], nums[2]}, true
}
