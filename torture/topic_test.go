package torture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/txn"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/twmb/franz-go/pkg/kgo"
)

// remaker deletes a topic and makes it again, with two partitions.
type remaker struct {
	world func() *World
	again func(topic string)
}

// TestFault17TopicMadeAgain: a topic is deleted and made again while the job
// is down, or while it runs. Of the output, the rows that were committed
// before are gone with it; of those that were pending every one is accounted
// for: the job stops and says which, or counts them, or writes them anew. An
// input that is shorter than the position is refused with both offsets.
func TestFault17TopicMadeAgain(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	topicMadeAgain(t, twoWriters, remaker{func() *World { return c.world(t, 60) }, func(topic string) {
		if err := errors.Join(c.DeleteTopic(topic), c.CreateTopic(topic, 2)); err != nil {
			t.Error(err)
		}
	}}, 2)
}

// topicMadeAgain does it at each point, up to the nth time that a job comes
// there.
func topicMadeAgain(t *testing.T, j Job, r remaker, upTo int) {
	for mode, options := range map[string]map[string]string{"fail": {}, "continue": {"sink.on-lost-transaction": "continue"}, "log": {"sink.pre-commit-log": "true"}} {
		for _, at := range []point{{"commit", false}, {"EndTxn commit", true}, {"outcomes", true}} {
			for nth := 2; nth <= 1+upTo; nth++ {
				t.Run(fmt.Sprintf("%s, down, %s %d after=%v", mode, at.name, nth, at.after), func(t *testing.T) {
					j.Sink = maps.Clone(options)
					remadeWhileDown(t, r, j, mode, At(at.name, nth, at.after, Kill))
				})
			}
		}
		for _, at := range []point{{"commit", false}, {"EndTxn commit", false}, {"EndTxn commit", true}, {"write", true}, {"precommit", false}} {
			for nth := 2; nth <= 1+upTo; nth++ {
				t.Run(fmt.Sprintf("%s, running, %s %d after=%v", mode, at.name, nth, at.after), func(t *testing.T) {
					j.Sink = maps.Clone(options)
					j.NoRestart = mode == "log" && nth == 2 // what the protocol asks for needs no strategy
					remadeWhileRunning(t, r, j, mode, At(at.name, nth, at.after, Wait))
				})
			}
		}
	}
	t.Run("input", func(t *testing.T) {
		w := r.world()
		killed(t, w, j, At("outcomes", 2, true, Kill))
		r.again(w.In)
		j.NoRestart = true
		_, err := w.Run(j, nil)
		if err == nil || !strings.Contains(err.Error(), w.In) {
			t.Fatalf("an input topic that was made again gave %v", err)
		}
	})
}

func remadeWhileDown(t *testing.T, r remaker, j Job, mode string, die Hook) {
	w := r.world()
	killed(t, w, j, die)
	old := writtenTo(t, w)
	pending := latest(t, w).Pending
	r.again(w.Out)
	if mode == "fail" && len(pending) > 0 {
		saysLost(t, w, j, pending)
		j.Sink["sink.on-lost-transaction"] = "continue"
	}
	p, err := w.Run(j, nil)
	if errors.Is(err, exec.ErrFinished) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	became := w.outcomes(t)
	for _, c := range pending {
		if want := map[bool]checkpoint.Status{true: checkpoint.Replaced, false: checkpoint.Lost}[mode == "log"]; became[producerOf(t, c)] != want {
			t.Errorf("the pending transaction of checkpoint %d is %v, want %v", c.Checkpoint, became[producerOf(t, c)], want)
		}
	}
	old.account(t, w, p)
}

// saysLost demands that every start says what is lost, and why.
func saysLost(t *testing.T, w *World, j Job, pending []checkpoint.Committable) {
	t.Helper()
	for range 2 {
		_, err := w.Run(j, nil)
		var fatal *exec.FatalError
		if !errors.As(err, &fatal) {
			t.Fatalf("%d pending transactions of a topic that was made again gave %v", len(pending), err)
		}
		sum := int64(0)
		for _, c := range pending {
			tx, derr := txn.Decode(c)
			if derr != nil {
				t.Fatal(derr)
			}
			sum += tx.Records
			for _, word := range []string{tx.ID, fmt.Sprintf("%d records", tx.Records), "deleted and made again", "sink.on-lost-transaction"} {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q does not say %q", err, word)
				}
			}
		}
		if want := fmt.Sprintf("in all %d transactions with %d records are lost", len(pending), sum); len(pending) > 1 && !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

func remadeWhileRunning(t *testing.T, r remaker, j Job, mode string, when Hook) {
	w := r.world()
	var old written
	p, err := w.Run(j, func(s Step) Action {
		if when(s) == Wait {
			old = writtenTo(t, w)
			r.again(w.Out)
		}
		return Go
	})
	if old == nil {
		t.Fatal("the topic was not made again")
	}
	if mode == "fail" && err != nil {
		if !strings.Contains(err.Error(), "deleted and made again") {
			t.Fatal(err)
		}
		saysLost(t, w, j, latest(t, w).Pending)
		j.Sink["sink.on-lost-transaction"] = "continue"
		p, err = w.Finish(j, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	old.account(t, w, p)
}

// written is what a topic held when it was deleted, by transaction.
type written map[client.Producer]*batch

type batch struct {
	ids       []int
	committed bool
}

// writtenTo reads the output topic, open transactions as well.
func writtenTo(t *testing.T, w *World) written {
	t.Helper()
	all, err := w.written(w.Out)
	for err == nil && w.Broker == nil { // Kafka writes commit markers when it has answered
		time.Sleep(5 * waitFor)
		before := all
		if all, err = w.written(w.Out); cmp.Equal(before, all, cmp.AllowUnexported(batch{})) {
			break
		}
	}
	if err != nil {
		t.Error(err)
	}
	return all
}

func (w *World) written(topic string) (written, error) {
	all := written{}
	note := func(r *kgo.Record) {
		p := client.Producer{ID: r.ProducerID, Epoch: r.ProducerEpoch}
		if all[p] == nil {
			all[p] = &batch{}
		}
		if r.Attrs.IsControl() { // version, type: 1 is commit
			all[p].committed = all[p].committed || r.Key[3] == 1
			return
		}
		var row struct{ ID int }
		if json.Unmarshal(r.Value, &row) == nil {
			all[p].ids = append(all[p].ids, row.ID)
		}
	}
	err := w.upTo(topic, false, func(ctx context.Context, ends map[int32]int64) error {
		return w.records(ctx, topic, ends, kgo.ReadUncommitted(), note)
	})
	return all, err
}

// outcomes are what became of the transactions.
func (w *World) outcomes(t *testing.T) map[client.Producer]checkpoint.Status {
	t.Helper()
	w.decided.mu.Lock()
	defer w.decided.mu.Unlock()
	all := map[client.Producer]checkpoint.Status{}
	for _, o := range w.decided.m {
		if o.Final() {
			all[producerOf(t, o.Committable)] = o.Status
		}
	}
	return all
}

func producerOf(t *testing.T, c checkpoint.Committable) client.Producer {
	t.Helper()
	tx, err := txn.Decode(c)
	if err != nil {
		t.Fatal(err)
	}
	return tx.Producer
}

// account demands that the topic of today holds every row once, but those
// that were committed before it was made, which went with the old one, and
// those that the job says it lost: exactly as many.
func (old written) account(t *testing.T, w *World, p *Process) {
	t.Helper()
	want, lost, became := []int{}, int64(0), w.outcomes(t)
	for producer, b := range old {
		status, decided := became[producer]
		switch {
		case decided && status == checkpoint.Lost:
			lost += int64(len(b.ids))
			want = append(want, b.ids...)
		case decided && status == checkpoint.Replaced:
		case b.committed:
			want = append(want, b.ids...)
		case decided:
			t.Errorf("the job says that a transaction with records %v is committed; it never was", b.ids)
		}
	}
	slices.Sort(want)
	v, err := w.Check()
	if err != nil || len(v.Duplicated)+len(v.Strange) > 0 {
		t.Fatal(err, v.Err())
	}
	if d := cmp.Diff(want, append([]int{}, v.Lost...)); d != "" {
		t.Errorf("rows that are missing (-expected +really):\n%s", d)
	}
	if st := p.job.Status(); st.LostRecords != lost {
		t.Errorf("the job says that %d records are lost; it is %d", st.LostRecords, lost)
	}
}
