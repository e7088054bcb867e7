package txn

import (
	"context"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/exec"
)

// readMarker returns the marker of the last committed transaction of an id,
// "" if there is none. stable waits until no transaction of the id is being
// completed. The group is named as the id.
func (s *Session) readMarker(ctx context.Context, id string, at client.TP, stable bool) (string, error) {
	var found map[client.TP]client.Committed
	err := s.retry(ctx, func() (err error) {
		found, err = s.c.Cluster.GroupOffsets(ctx, id, []client.TP{at}, stable)
		return err
	})
	return found[at].Metadata, s.explain(err)
}

// expected is the marker that this directory knows to be the last one of the
// id; "" for none.
func (s *Session) expected(id string) (string, error) {
	v, err := s.c.Journal.Get(keyMarker + id)
	return string(v), err
}

// wanted is the marker to be expected where that of a transaction in doubt
// may be. None, if there is none and the one that was expected lay in an
// earlier topic of that name: it went with it.
func (s *Session) wanted(t Transaction, found string) (string, error) {
	want, err := s.expected(t.ID)
	if err != nil || want == "" || found != "" {
		return want, err
	}
	outlived, err := s.outlived(t)
	if outlived {
		want = ""
	}
	return want, err
}

// compare reads the markers of ids and refuses those that neither this
// directory's record nor one of the pending transactions explains. No marker
// contradicts nothing: it expires, and goes with its topic.
func (s *Session) compare(ctx context.Context, ids []string, pending []Transaction, stable bool) error {
	if s.c.Marker.Topic == "" {
		return nil
	}
	started, err := s.c.Journal.Get(keyStarted)
	if err != nil {
		return err
	}
	missing := 0
	for _, id := range ids {
		found, err := s.readMarker(ctx, id, s.c.Marker, stable)
		if err != nil {
			return err
		}
		if pendingMarker(pending, id, found) {
			continue
		}
		want, err := s.expected(id)
		if err != nil {
			return err
		}
		if found == "" {
			missing += min(len(want), 1)
			continue
		}
		if !stable && started != nil && want != "" {
			if found, err = s.awaitVisible(ctx, id, found, want); err != nil {
				return err
			}
		}
		if found == want {
			continue
		}
		if err := s.strange(id, found, want, started != nil, stable); err != nil {
			return err
		}
	}
	if missing > 0 && stable {
		s.c.Log.Warn("commit markers are gone: their topic was deleted, or they are older than offsets.retention.minutes; so whether another copy of the state directory wrote since cannot be told of them", "topic", s.c.Marker.Topic, "markers", missing)
	}
	return nil
}

// visibleWithin is how long a marker may take to become visible after its
// transaction's EndTxn was answered OK (measured: up to 26 ms).
const visibleWithin = 2 * time.Second

// awaitVisible judges a marker that was read without waiting for transactions
// that are being completed: it may be the one before. If it is an earlier one
// of the same run, only the later, stable comparison can tell: it counts as
// the wanted one here. Of another run, it is read again for a moment.
func (s *Session) awaitVisible(ctx context.Context, id, found, want string) (string, error) {
	deadline := s.c.Clock.Now().Add(visibleWithin)
	for found != want {
		run, ck, ok := parseMarker(found)
		wantRun, wantCk, wantOK := parseMarker(want)
		if ok && wantOK && run == wantRun {
			if ck < wantCk {
				return want, nil
			}
			return found, nil
		}
		if s.c.Clock.Now().After(deadline) {
			return found, nil
		}
		if err := sleep(ctx, s.c.Clock, firstPause); err != nil {
			return "", err
		}
		var err error
		if found, err = s.readMarker(ctx, id, s.c.Marker, false); err != nil {
			return "", err
		}
	}
	return found, nil
}

func pendingMarker(pending []Transaction, id, text string) bool {
	for _, t := range pending {
		if t.ID == id && t.MarkerText() == text {
			return true
		}
	}
	return false
}

// strange judges a marker that this directory did not write. A fresh start
// accepts it as the expected one, once nothing can change it any more.
func (s *Session) strange(id, found, want string, started, stable bool) error {
	switch {
	case !started && s.c.Fresh:
		if !stable {
			return nil
		}
		s.c.Log.Warn("output of an earlier run is in the topic; this run begins anew, so rows may be repeated", "transactional.id", id, "last", describeMarker(found))
		return s.c.Journal.Put(keyMarker+id, []byte(found))
	case !started:
		return exec.Fatal(fmt.Errorf("transactional.id %s holds the output of an earlier run, %s, but this state directory is new: use the directory of that run, or --fresh to begin anew and accept that rows may be repeated, or another 'sink.transactional-id-prefix'",
			id, describeMarker(found)))
	case want == "":
		want = "nothing"
	default:
		want = describeMarker(want)
	}
	return exec.Fatal(fmt.Errorf("this state directory is not the latest one: transactional.id %s was last committed by %s, this directory knows %s; another copy of the directory wrote since; use that one",
		id, describeMarker(found), want))
}
