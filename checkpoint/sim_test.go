package checkpoint

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestExactlyOnceProperty runs the coordinator with a real KVStore in memory,
// a source, two sinks and a toy broker under random schedules and faults
// (aborts, failing stores, unanswered commits, restarts inside, crashes) and
// then without faults to the end. Every row must be committed exactly once,
// and nothing may be committed again once its outcome is durable.
func TestExactlyOnceProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// One seed, not one draw a step: rapid prefers small numbers, and the
		// schedules must be even to go deep.
		s := newSim(t, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
		for range 100 + s.rng.IntN(900) {
			s.step(s.rng.IntN(1000))
		}
		s.finish()
	})
}

const (
	simRows  = 40
	simSinks = 2
)

type txn struct {
	rows  []int
	state string // open, aborted, committed
}

type queued struct {
	barrier ID // 0: row
	row     int
}

type simSink struct {
	task    Subtask
	queue   []queued
	rows    []int         // of the open transaction
	untold  []Committable // whose outcome it has not been told
	notices []Notify
	base    []uint64 // chunks of the newest checkpoint that it was told is complete
}

type sim struct {
	t     *rapid.T
	rng   *rand.Rand
	now   time.Time
	calm  bool
	dir   *MemDir
	store *KVStore
	c     *Coordinator
	done  bool

	src      Subtask
	pos      int
	barriers []ID
	sinks    [simSinks]*simSink
	aborted  map[ID]bool
	sent     int        // notices to each sink
	sentAt   map[ID]int // when the barrier was injected
	acks     []Input    // under way
	saving   *Metadata
	commits  []Committable

	txns    []*txn
	durable map[string]bool // committables whose outcome was stored
}

func newSim(t *rapid.T, rng *rand.Rand) *sim {
	s := &sim{t: t, rng: rng, now: epoch, dir: NewMemDir(), src: Subtask{UID: "src"}, durable: map[string]bool{}}
	s.open()
	s.recover()
	return s
}

func (s *sim) must(err error) {
	if err != nil {
		s.t.Fatal(err)
	}
}

// fault is true in percent of the calls while faults are on.
func (s *sim) fault(percent int) bool { return !s.calm && s.rng.IntN(100) < percent }

func (s *sim) open() {
	var err error
	s.store, err = s.dir.Open(Job{Name: "sim", Hash: "h"})
	s.must(err)
}

// recover is a restart: from the newest metadata, what is pending is tried
// once, everything else that is open is aborted.
func (s *sim) recover() {
	m, err := s.store.Latest()
	s.must(err)
	cfg := Config{
		Interval: time.Second, Timeout: 10 * time.Second, MaxConcurrent: 2, TolerableFailed: 2, Keep: 2,
		Sources: []Subtask{s.src}, Subtasks: []Subtask{s.src}, Next: s.store.NextID(),
	}
	s.pos, s.barriers, s.acks, s.saving, s.commits, s.aborted = 0, nil, nil, nil, nil, map[ID]bool{}
	s.sent, s.sentAt = 0, map[ID]int{}
	if m != nil {
		s.pos, err = strconv.Atoi(string(m.Sources[0].Splits[0].Position))
		s.must(err)
		cfg.Pending = m.Pending
	}
	left := s.commitAll(cfg.Pending)
	cfg.Pending = left
	if m != nil && m.Finished && len(left) == 0 {
		s.done = true
	}
	for i := range s.sinks {
		s.sinks[i] = &simSink{task: Subtask{UID: "sink", Index: i}}
		if m != nil {
			s.sinks[i].base = m.Operators[i].Chunks
			s.readable(m)
		}
		cfg.Subtasks = append(cfg.Subtasks, s.sinks[i].task)
	}
	for n, x := range s.txns {
		if x.state == "open" && !slices.ContainsFunc(left, func(c Committable) bool { return txnOf(c) == n }) {
			x.state = "aborted"
		}
	}
	s.c, err = NewCoordinator(cfg)
	s.must(err)
	s.c.Tick(s.now)
	s.ready()
}

func txnOf(c Committable) int {
	n, err := strconv.Atoi(string(c.Payload))
	if err != nil {
		panic(err)
	}
	return n
}

// commitAll is committers and store: it returns what stays Unknown.
func (s *sim) commitAll(list []Committable) (left []Committable) {
	var outcomes []Outcome
	for _, c := range list {
		if s.durable[c.Key()] {
			s.t.Fatalf("%s is committed again after its outcome was stored", c.Key())
		}
		x := s.txns[txnOf(c)]
		if x.state == "aborted" {
			s.t.Fatalf("%s was aborted before its commit", c.Key())
		}
		arrives := !s.fault(20)
		if arrives {
			x.state = "committed"
		}
		if !arrives || s.fault(20) {
			left = append(left, c)
			outcomes = append(outcomes, Outcome{Committable: c})
			continue
		}
		outcomes = append(outcomes, Outcome{Committable: c, Status: Committed})
	}
	s.must(s.store.SaveOutcomes(outcomes))
	for _, o := range outcomes {
		if o.Final() {
			s.durable[o.Committable.Key()] = true
		}
	}
	s.settledNow(outcomes)
	return left
}

func (s *sim) settledNow(outcomes []Outcome) {
	if s.c != nil && s.commits != nil {
		s.commits = nil
		s.input(Settled{Outcomes: outcomes})
	}
}

func (s *sim) input(in Input) {
	s.c.Step(in)
	s.ready()
}

func (s *sim) ready() {
	for {
		rd, ok := s.c.Ready()
		if !ok {
			return
		}
		for _, a := range rd.Abort {
			s.aborted[a.Checkpoint] = true
		}
		if rd.Store != nil {
			s.saving = rd.Store
		}
		if len(rd.Commit) > 0 {
			s.commits = rd.Commit
		}
		for _, n := range rd.Notify {
			s.sent++
			for _, k := range s.sinks {
				k.notices = append(k.notices, n)
			}
		}
		if rd.Discard > 0 {
			s.must(s.store.Retain(rd.Discard))
		}
		for _, i := range rd.Inject {
			s.must(s.store.Begin(i.Checkpoint))
			s.barriers = append(s.barriers, i.Checkpoint)
			s.sentAt[i.Checkpoint] = s.sent
		}
		if rd.Done {
			s.done = true
		}
		if rd.Fail != nil {
			if !rd.Fail.Restart {
				s.t.Fatal(rd.Fail.Message)
			}
			s.restart()
			return
		}
	}
}

// restart inside the process: a Store under way is waited for.
func (s *sim) restart() {
	if s.saving != nil && s.fault(50) {
		s.must(s.store.Save(s.saving))
	}
	s.c = nil
	s.recover()
}

func (s *sim) crash() {
	s.dir.Crash()
	s.c = nil
	s.open()
	s.recover()
}

func (s *sim) step(what int) {
	if s.done {
		return
	}
	switch {
	case what < 100:
		s.source()
	case what < 400:
		s.sink(s.sinks[what%simSinks])
	case what < 600:
		s.deliver()
	case what < 700:
		s.notice(s.sinks[what%simSinks])
	case what < 800:
		s.save()
	case what < 850:
		if s.commits != nil {
			s.commitAll(s.commits)
		}
	case what < 990:
		s.now = s.now.Add(250 * time.Millisecond)
		s.c.Tick(s.now)
		s.ready()
	case s.calm:
	case what < 995:
		s.restart()
	default:
		s.crash()
	}
}

// source sends a barrier if one was injected, else a row, else ends.
func (s *sim) source() {
	if len(s.barriers) > 0 {
		id := s.barriers[0]
		s.barriers = s.barriers[1:]
		for _, k := range s.sinks {
			k.queue = append(k.queue, queued{barrier: id})
		}
		s.acks = append(s.acks, Ack{Subtask: s.src, Checkpoint: id, Sources: []SourceState{{
			Subtask: s.src, Splits: []SplitState{{Split: Split{ID: "0", Position: strconv.AppendInt(nil, int64(s.pos), 10)}}},
		}}})
		return
	}
	if s.pos == simRows {
		s.input(Ended{s.src})
		return
	}
	k := s.sinks[s.pos%simSinks]
	k.queue = append(k.queue, queued{row: s.pos})
	s.pos++
}

func (s *sim) sink(k *simSink) {
	if len(k.queue) == 0 {
		return
	}
	q := k.queue[0]
	k.queue = k.queue[1:]
	if q.barrier == 0 {
		k.rows = append(k.rows, q.row)
		return
	}
	// Mail is read before the barrier, but one message may slip behind it.
	for s.sent-len(k.notices) < s.sentAt[q.barrier]-1 {
		s.notice(k)
	}
	if s.aborted[q.barrier] && s.fault(50) {
		return
	}
	if s.fault(5) {
		s.acks = append(s.acks, Decline{Subtask: k.task, Checkpoint: q.barrier, Reason: "so", NoFreeID: s.fault(50)})
		return
	}
	if len(k.rows) > 0 {
		s.txns = append(s.txns, &txn{rows: k.rows, state: "open"})
		k.rows = nil
		k.untold = append(k.untold, Committable{
			Writer: k.task, Checkpoint: q.barrier, Version: 1, Payload: []byte(fmt.Sprint(len(s.txns) - 1)),
		})
	}
	s.acks = append(s.acks, Ack{
		Subtask: k.task, Checkpoint: q.barrier, Committables: slices.Clone(k.untold),
		Operators: []OperatorState{{UID: k.task.UID, Index: k.task.Index, Chunks: s.snapshot(k)}},
	})
}

// snapshot is an incremental one: some chunks of the base, and a new one.
func (s *sim) snapshot(k *simSink) (refs []uint64) {
	for _, ref := range k.base {
		if s.rng.IntN(3) > 0 {
			refs = append(refs, ref)
		}
	}
	ref, err := s.store.PutChunk([]byte("state"))
	s.must(err)
	return append(refs, ref)
}

func (s *sim) readable(m *Metadata) {
	for _, ref := range m.Chunks() {
		_, err := s.store.GetChunk(ref)
		s.must(err)
	}
}

// deliver takes any of the acks under way; sometimes it comes again later.
func (s *sim) deliver() {
	if len(s.acks) == 0 {
		return
	}
	i := 0
	if !s.calm {
		i = s.rng.IntN(len(s.acks))
	}
	a := s.acks[i]
	if !s.fault(30) {
		s.acks = slices.Delete(s.acks, i, i+1)
	}
	s.input(a)
}

func (s *sim) notice(k *simSink) {
	if len(k.notices) == 0 {
		return
	}
	if m := k.notices[0].Completed; m != nil {
		k.base = m.Operators[k.task.Index].Chunks
	}
	for _, o := range k.notices[0].Settled {
		k.untold = slices.DeleteFunc(k.untold, func(c Committable) bool { return c.Key() == o.Committable.Key() })
	}
	k.notices = k.notices[1:]
}

func (s *sim) save() {
	m := s.saving
	if m == nil {
		return
	}
	s.saving = nil
	if s.fault(10) {
		if s.fault(50) {
			s.must(s.store.Save(m))
		}
		s.input(StoreFailed{m.ID, errors.New("disk")})
		return
	}
	s.must(s.store.Save(m))
	s.input(Stored{m.ID})
}

// finish runs without faults until the job is done.
func (s *sim) finish() {
	s.calm = true
	for i := 0; !s.done; i++ {
		if i > 20000 {
			s.t.Fatalf("the job does not come to its end: %+v", s.c.Stats())
		}
		s.step(i * 37 % 1000)
	}
	count := map[int]int{}
	for _, x := range s.txns {
		if x.state == "committed" {
			for _, r := range x.rows {
				count[r]++
			}
		}
	}
	for r := range simRows {
		if count[r] != 1 {
			s.t.Fatalf("row %d was committed %d times", r, count[r])
		}
	}
}
