package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/txn"
	"github.com/sqlstream/sqlstream/exec"
)

// The real checkpoint.Coordinator, checkpoint.KVStore and txn.Session, in the
// order in which exec's runtime calls them, against the model's broker. A
// step is what it is in the model: a request, a durable write, a record, a
// barrier, an ack. Faults: crashes, restarts inside, lost and late requests
// (those of the living process for the owner id, too), a person who settles
// between two processes, a topic that is made again, lost answers, aborted
// checkpoints, late, doubled and reordered acks, other parallelisms, time-outs
// of the broker (with and without the pre-commit log), a zombie on a copy of
// the directory.

const (
	simSplits  = 3
	simRecords = 8 // a split
)

var marker = client.TP{Topic: "out"}

type sim struct {
	t     *testing.T
	rnd   *rand.Rand
	b     *simBroker
	now   time.Time
	calm  bool
	log   bool // the pre-commit log is on
	p     *simProc
	old   *simProc // a zombie
	procs int
	logs  map[string][]int

	late              []func()         // requests that got no answer
	timeouts, zombies int              // left
	made              int              // times that the topic is made again; left
	lost              map[int]bool     // records said to be lost
	written           map[string][]int // records of each pre-committed transaction
	tooLong           int              // transactions that wait too long for a person; left
	lateOwner         int              // InitProducerIds for the owner id that may come late; left
	done              bool
	steps             []string
	hands             *[8]int // how often transactions were settled by hand, by outcome
}

// TestCodeKeepsTheModelsRules: S1 no record twice, S2 Committed only if it
// is, S3 at the end everything is there, reported, or gone with the topic after
// its commit, S4 Lost only after a time-out or with the topic, S5 it comes to
// its end and is never refused, S6 a zombie never fences the new process.
func TestCodeKeepsTheModelsRules(t *testing.T) {
	n := uint64(400)
	if testing.Short() {
		n = 100
	}
	var hands [8]int
	for seed := range n {
		runSim(t, seed, &hands)
		if t.Failed() {
			return
		}
	}
	if hands[checkpoint.Committed] == 0 || n > 100 && hands[checkpoint.Lost] == 0 {
		t.Errorf("outcomes by hand: %v", hands)
	}
}

func runSim(t *testing.T, seed uint64, hands *[8]int) {
	s := &sim{hands: hands, t: t, rnd: rand.New(rand.NewPCG(seed, 1)), b: newSimBroker(), now: time.UnixMilli(1e12), logs: map[string][]int{}, lost: map[int]bool{}, written: map[string][]int{}}
	s.log = s.rnd.IntN(3) == 0
	s.timeouts, s.zombies = s.rnd.IntN(3)/2, s.rnd.IntN(3)/2
	if s.zombies > 0 { // the model's bounds, too: together they may lose (and report) more
		s.timeouts = 0
	} else {
		s.lateOwner, s.tooLong, s.made = s.rnd.IntN(3), s.rnd.IntN(2), max(0, s.rnd.IntN(5)-2)
	}
	defer func() {
		if t.Failed() {
			t.Logf("seed %d, log %v:\n%s", seed, s.log, strings.Join(s.steps, "\n"))
		}
	}()
	s.start(checkpoint.NewMemDir())
	for range 400 + s.rnd.IntN(400) {
		if s.step(); s.done || t.Failed() {
			break
		}
	}
	s.calm = true
	for range 20000 {
		if s.done || t.Failed() {
			break
		}
		s.step()
	}
	if !s.done && !t.Failed() {
		t.Errorf("S5: without faults it does not come to its end")
	}
	s.check(true)
}

func (s *sim) trace(format string, args ...any) {
	s.steps = append(s.steps, fmt.Sprintf(format, args...))
}

// fault is true in percent of the calls while faults are on.
func (s *sim) fault(percent int) bool { return !s.calm && s.rnd.IntN(100) < percent }

// Now and After make sim a clock whose waits are over at once.
func (s *sim) Now() time.Time { return s.now }

func (s *sim) After(d time.Duration) <-chan time.Time {
	s.now = s.now.Add(d)
	c := make(chan time.Time, 1)
	c <- s.now
	return c
}

func (s *sim) check(end bool) {
	s.t.Helper()
	seen := map[int]bool{}
	for _, r := range s.b.list {
		if seen[r] {
			s.t.Errorf("S1: record %d is committed twice", r)
		}
		seen[r] = true
	}
	for rec := range simSplits * simRecords {
		switch there := seen[rec]; {
		case end && !there && !s.lost[rec] && !s.b.gone[rec]:
			s.t.Errorf("S3: record %d is missing and was not reported", rec)
		case there && s.lost[rec]:
			s.t.Errorf("S3: record %d is there and was said to be lost", rec)
		}
	}
}

// topicMade deletes the topic and makes it again.
func (s *sim) topicMade() {
	s.made--
	markersToo := s.rnd.IntN(2) == 0
	s.trace("the topic is made again, its markers vanish: %v", markersToo)
	s.b.topicMade(markersToo)
}

// settled looks at an outcome that is about to be stored.
func (s *sim) settled(t txn.Transaction, status checkpoint.Status) {
	id, e := s.b.id(t.ID), t.Producer.Epoch
	switch {
	case status == checkpoint.Committed && !id.won[e]:
		s.t.Errorf("S2: %s is said to be committed, and is not", t.Describe())
	case status == checkpoint.Committed && id.hole[e]:
		s.t.Errorf("S3: %s is said to be committed, but its rows had gone with the topic", t.Describe())
	case status >= checkpoint.Lost && !id.dead[e] && t.Topics[0].ID[0] == s.b.gen+1 && s.old == nil && !s.log:
		s.t.Errorf("S4: %s is lost without a time-out", t.Describe())
	case status == checkpoint.Lost:
		for _, rec := range s.written[t.Producer.String()+t.ID] {
			s.lost[rec] = true
		}
	}
}

// step is one of the things that may happen next.
func (s *sim) step() {
	defer s.check(false)
	if len(s.late) > 0 && s.rnd.IntN(8) == 0 {
		k := s.rnd.IntN(len(s.late))
		s.late[k]()
		s.late = slices.Delete(s.late, k, k+1)
		return
	}
	if s.old != nil && s.rnd.IntN(3) == 0 {
		s.old.step()
		if s.old.dead || s.old.failed != nil {
			s.trace("the old process ends: %v", s.old.failed)
			s.old = nil
		}
		return
	}
	switch p := s.p; {
	case s.fault(1) && p.mayDie():
		p.kill()
	case s.made > 0 && s.fault(2):
		s.topicMade()
	case s.timeouts > 0 && s.fault(3):
		s.timeOut()
	case s.zombies > 0 && s.fault(2) && p.running():
		s.zombies--
		s.trace("a second process starts on a copy")
		p.name = "OLD "
		s.old = p
		s.start(p.dir.Copy())
	default:
		p.step()
	}
	if p := s.p; p.failed != nil {
		var fatal *exec.FatalError
		if errors.As(p.failed, &fatal) {
			s.t.Errorf("S5/S6: refused or stopped: %v", p.failed)
			return
		}
		s.trace("restart inside: %v", p.failed)
		p.recover(true)
	}
	if s.p.dead {
		s.trace("kill -9")
		dir := s.p.dir
		dir.Crash()
		if s.old == nil && s.fault(40) {
			s.byHand(dir)
		}
		s.start(dir)
	}
}

// timeOut lets the broker give up an open transaction.
func (s *sim) timeOut() {
	var open []string
	for name, i := range s.b.ids {
		if i.state == sOngoing {
			open = append(open, name)
		}
	}
	if slices.Sort(open); len(open) > 0 {
		s.timeouts--
		name := open[s.rnd.IntN(len(open))]
		s.trace("time-out of %s", name)
		s.b.timeOut(name)
	}
}

// simWriter is a subtask: it reads some splits and writes.
type simWriter struct {
	task     checkpoint.Subtask
	splits   []int
	barriers []checkpoint.Inject
	open     txn.Open
	topic    client.UUID // before the first record of the transaction
	recs     []int
	untold   []checkpoint.Committable
	mail     []checkpoint.Outcome
	ended    bool
}

// simProc is a process.
type simProc struct {
	s       *sim
	name    string
	dir     *checkpoint.MemDir
	store   *checkpoint.KVStore
	session *txn.Session
	ctx     context.Context
	cancel  context.CancelFunc
	dead    bool
	failed  error

	c       *checkpoint.Coordinator
	writers []*simWriter
	pos     [simSplits]int
	acks    []checkpoint.Input
	saving  *checkpoint.Metadata
	commits []checkpoint.Committable
}

// mayDie: with a zombie about, a kill of the new process is the model's
// "residual: zombie and a crash".
func (p *simProc) mayDie() bool { return p.s.old == nil || p == p.s.old }

func (p *simProc) running() bool { return p.c != nil && !p.dead && p.failed == nil }

func (p *simProc) kill() {
	p.dead = true
	p.cancel()
}

func (s *sim) start(dir *checkpoint.MemDir) {
	s.p = s.process(dir)
	s.trace("a process starts")
	s.p.recover(false)
}

// process opens the directory.
func (s *sim) process(dir *checkpoint.MemDir) *simProc {
	s.procs++
	p := &simProc{s: s, dir: dir}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	var err error
	if p.store, err = dir.Open(checkpoint.Job{Name: "sim", Hash: "h"}); err != nil {
		s.t.Fatal(err)
	}
	p.session = txn.NewSession(txn.Config{
		Cluster: simCluster{p}, Journal: p.store.Journal("sink"), Clock: s, Log: slog.New(slog.DiscardHandler), Prefix: "job", UID: "sink", RunID: p.store.RunID(),
		Timeout: time.Hour, PoolSize: 4, PoolMax: 6, MaxConcurrent: 2, Marker: marker, ContinueLost: !s.log, Patience: 50 * time.Millisecond, Rewriter: simRewriter{p},
	})
	return p
}

// recover is exec's attempt: the sink recovers, then writers open.
func (p *simProc) recover(inside bool) {
	p.c, p.failed, p.acks, p.saving, p.commits = nil, nil, nil, nil, nil
	if inside {
		p.session.Restarted()
	}
	m, err := p.store.Latest()
	if err != nil {
		p.s.t.Fatal(err)
	}
	var pending []checkpoint.Committable
	if m != nil {
		pending = m.Pending
	}
	if p.fail(p.session.Start(p.ctx, p.decode(pending))) {
		return
	}
	if pending, err = p.settleAtStart(pending); p.fail(err) {
		return
	}
	if p.fail(p.session.Recover(p.ctx, p.decode(pending))) {
		return
	}
	if m != nil && m.Finished && len(pending) == 0 {
		p.s.done = true
		return
	}
	p.open(m, pending)
}

// settleAtStart commits, again while something was replaced.
func (p *simProc) settleAtStart(pending []checkpoint.Committable) ([]checkpoint.Committable, error) {
	for len(pending) > 0 {
		outcomes, err := p.commit(pending)
		if p.dead || err != nil {
			return nil, errors.Join(err, p.ctx.Err())
		}
		again := false
		var left []checkpoint.Committable
		for _, o := range outcomes {
			switch {
			case o.Replacement != nil:
				left, again = append(left, *o.Replacement), true
			case !o.Final():
				left = append(left, o.Committable)
			}
		}
		if pending = left; !again {
			break
		}
	}
	return pending, nil
}

// fail notes an error; true: the recovery or step is over.
func (p *simProc) fail(err error) bool {
	if err != nil && p.failed == nil && !p.dead {
		p.failed = err
	}
	return p.dead || err != nil
}

func (p *simProc) decode(list []checkpoint.Committable) (ts []txn.Transaction) {
	for _, c := range list {
		t, err := txn.Decode(c)
		if err != nil {
			p.s.t.Fatal(err)
		}
		ts = append(ts, t)
	}
	return ts
}

func (p *simProc) open(m *checkpoint.Metadata, pending []checkpoint.Committable) {
	p.pos = [simSplits]int{}
	if m != nil {
		for _, src := range m.Sources {
			for _, sp := range src.Splits {
				split, _ := strconv.Atoi(sp.Split.ID)
				p.pos[split], _ = strconv.Atoi(string(sp.Split.Position))
			}
		}
	}
	cfg := checkpoint.Config{Header: checkpoint.Header{RunID: p.store.RunID()}, Interval: time.Second, Timeout: 20 * time.Second, MaxConcurrent: 2,
		TolerableFailed: -1, Keep: 2, Next: p.store.NextID(), Pending: pending}
	p.writers = nil
	for i := range 1 + p.s.rnd.IntN(3) {
		w := &simWriter{task: checkpoint.Subtask{UID: "sink", Index: i}}
		cfg.Sources, cfg.Subtasks = append(cfg.Sources, w.task), append(cfg.Subtasks, w.task)
		p.writers = append(p.writers, w)
	}
	for split := range simSplits {
		w := p.writers[split%len(p.writers)]
		w.splits = append(w.splits, split)
	}
	var err error
	if p.c, err = checkpoint.NewCoordinator(cfg); err != nil {
		p.s.t.Fatal(err)
	}
	p.s.trace("%s%d writers open at %v, pending %d", p.name, len(p.writers), p.pos, len(pending))
	p.c.Tick(p.s.now)
	p.ready()
}

// commit is Committer.Commit and the storing of its outcomes.
func (p *simProc) commit(list []checkpoint.Committable) ([]checkpoint.Outcome, error) {
	verdicts, err := p.session.CommitAll(p.ctx, p.decode(list))
	if p.dead {
		return nil, nil
	}
	outcomes := make([]checkpoint.Outcome, len(list))
	for i, v := range verdicts {
		t := p.decode(list[i : i+1])[0]
		p.s.settled(t, v.Status)
		outcomes[i] = checkpoint.Outcome{Committable: list[i], Status: v.Status, Fatal: v.Fatal, Detail: v.Detail, Records: t.Records, Journal: v.MarkerEntry(t)}
		if v.Replacement != nil {
			by := v.Replacement.Committable(list[i].Writer)
			outcomes[i].Replacement = &by
		}
		p.s.trace("%soutcome of %s: %v %s", p.name, t.Describe(), v.Status, v.Detail)
	}
	if p.s.fault(2) && p.mayDie() && !slices.ContainsFunc(outcomes, func(o checkpoint.Outcome) bool { return o.Status == checkpoint.Lost }) {
		p.kill()
		return nil, nil
	}
	if serr := p.store.SaveOutcomes(outcomes); serr != nil {
		p.s.t.Fatal(serr)
	}
	return outcomes, err
}

// step is one of the things that the process may do next.
func (p *simProc) step() {
	if p.failed != nil || p.dead || p.c == nil {
		return
	}
	w := p.writers[p.s.rnd.IntN(len(p.writers))]
	switch p.s.rnd.IntN(10) {
	case 0, 1, 2:
		p.write(w)
	case 3, 4:
		p.barrier(w)
	case 5:
		p.deliver()
	case 6:
		p.save()
	case 7:
		if p.commits != nil {
			outcomes, err := p.commit(p.commits)
			if p.dead {
				return
			}
			p.commits = nil
			p.input(checkpoint.Settled{Outcomes: outcomes, Err: err})
		}
	case 8:
		p.readMail(w)
	case 9:
		p.s.now = p.s.now.Add(time.Duration(p.s.rnd.IntN(1500)) * time.Millisecond)
		if p.s.fault(3) {
			p.s.now = p.s.now.Add(20 * time.Second) // checkpoints in flight are aborted
		}
		p.c.Tick(p.s.now)
		p.ready()
	}
}

// write writes a record of one of the writer's splits.
func (p *simProc) write(w *simWriter) {
	split := slices.IndexFunc(w.splits, func(sp int) bool { return p.pos[sp] < simRecords })
	if split < 0 {
		if !w.ended {
			w.ended = true
			p.input(checkpoint.Ended{Source: w.task})
		}
		return
	}
	if w.open.ID == "" {
		topic, err := p.session.Topic(p.ctx, marker.Topic)
		if p.fail(err) {
			return
		}
		open, err := p.session.Begin(p.ctx, w.task.Index)
		if p.fail(err) {
			return
		}
		w.open, w.topic, w.recs = open, topic.ID, nil
	}
	sp := w.splits[split]
	rec := sp*simRecords + p.pos[sp]
	if !p.s.b.produce(w.open.ID, w.open.Producer.Epoch, rec) {
		p.fail(p.session.Refused(p.ctx, errors.New("fenced")))
		p.fail(errors.New("produce was refused"))
		return
	}
	p.s.trace("%srecord %d to %s", p.name, rec, w.open.ID)
	p.pos[sp]++
	w.recs = append(w.recs, rec)
}

func (p *simProc) barrier(w *simWriter) {
	if len(w.barriers) == 0 {
		return
	}
	b := w.barriers[0]
	w.barriers = w.barriers[1:]
	if w.open.ID != "" {
		if b.Kind != checkpoint.Final && !p.session.CanGoOn(w.task.Index) {
			p.acks = append(p.acks, checkpoint.Decline{Subtask: w.task, Checkpoint: b.Checkpoint, Reason: "no id", NoFreeID: true})
			return
		}
		t := txn.Transaction{RunID: p.store.RunID(), ID: w.open.ID, Producer: w.open.Producer, Checkpoint: b.Checkpoint, StartMillis: p.s.now.UnixMilli(),
			Records: int64(len(w.recs)), Partitions: []client.TP{marker}, Marker: marker}
		if p.s.log {
			t.Log = fmt.Sprintf("log%d-%s-%d", p.s.procs, w.open.ID, w.open.Producer.Epoch)
			p.s.logs[t.Log] = w.recs
		}
		var err error
		if t.Topics, err = p.session.Wrote(p.ctx, marker.Topic, w.topic); p.fail(err) || p.fail(p.session.PreCommit(p.ctx, t)) {
			return
		}
		p.s.written[t.Producer.String()+t.ID] = w.recs
		w.untold = append(w.untold, t.Committable(w.task))
		w.open, w.recs = txn.Open{}, nil
	}
	ack := checkpoint.Ack{Subtask: w.task, Checkpoint: b.Checkpoint, Committables: slices.Clone(w.untold)}
	src := checkpoint.SourceState{Subtask: w.task}
	for _, sp := range w.splits {
		src.Splits = append(src.Splits, checkpoint.SplitState{Split: checkpoint.Split{ID: strconv.Itoa(sp), Position: strconv.AppendInt(nil, int64(p.pos[sp]), 10)}})
	}
	ack.Sources = []checkpoint.SourceState{src}
	p.s.trace("%swriter %d acks %d with %d committables", p.name, w.task.Index, b.Checkpoint, len(w.untold))
	p.acks = append(p.acks, ack)
}

// deliver lets an ack arrive: any of those under way, now and then twice.
func (p *simProc) deliver() {
	if len(p.acks) == 0 {
		return
	}
	k := p.s.rnd.IntN(len(p.acks))
	in := p.acks[k]
	if !p.s.fault(10) {
		p.acks = slices.Delete(p.acks, k, k+1)
	}
	p.input(in)
}

func (p *simProc) save() {
	if p.saving == nil {
		return
	}
	m := p.saving
	p.saving = nil
	if p.s.fault(3) && p.mayDie() {
		p.kill()
		return
	}
	if err := p.store.Save(m); err != nil {
		p.s.t.Fatal(err)
	}
	p.s.trace("%scheckpoint %d is stored, pending %d", p.name, m.ID, len(m.Pending))
	if p.s.fault(3) && p.mayDie() {
		p.kill()
		return
	}
	p.input(checkpoint.Stored{Checkpoint: m.ID})
}

func (p *simProc) readMail(w *simWriter) {
	if len(w.mail) == 0 {
		return
	}
	o := w.mail[0]
	w.mail = w.mail[1:]
	w.untold = slices.DeleteFunc(w.untold, func(c checkpoint.Committable) bool { return c.Key() == o.Committable.Key() })
	p.session.Settled(p.decode([]checkpoint.Committable{o.Committable})[0])
}

func (p *simProc) input(in checkpoint.Input) {
	p.c.Step(in)
	p.ready()
}

// ready is exec's driver.
func (p *simProc) ready() {
	for {
		rd, ok := p.c.Ready()
		if !ok {
			return
		}
		if rd.Store != nil {
			p.saving = rd.Store
		}
		if len(rd.Commit) > 0 {
			p.commits = rd.Commit
		}
		for _, n := range rd.Notify {
			for _, o := range n.Settled {
				if i := o.Committable.Writer.Index; i < len(p.writers) {
					p.writers[i].mail = append(p.writers[i].mail, o)
				}
			}
		}
		if rd.Discard > 0 {
			if err := p.store.Retain(rd.Discard); err != nil {
				p.s.t.Fatal(err)
			}
		}
		for _, in := range rd.Inject {
			if err := p.store.Begin(in.Checkpoint); err != nil {
				p.s.t.Fatal(err)
			}
			for _, w := range p.writers {
				w.barriers = append(w.barriers, in)
			}
		}
		switch {
		case rd.Done:
			p.s.done = p == p.s.p
			if p == p.s.old {
				p.s.t.Errorf("S6: the old process finished")
			}
			p.c = nil
			return
		case rd.Fail != nil:
			err := rd.Fail.Err
			if err == nil {
				err = errors.New(rd.Fail.Message)
			}
			if !rd.Fail.Restart {
				err = exec.Fatal(err)
			}
			p.fail(err)
			return
		}
	}
}

// simRewriter writes from the log.
type simRewriter struct{ p *simProc }

func (r simRewriter) Rewrite(_ context.Context, o txn.Open, t txn.Transaction) ([]client.TP, error) {
	for _, rec := range r.p.s.logs[t.Log] {
		if !r.p.s.b.produce(o.ID, o.Producer.Epoch, rec) {
			return nil, errors.New("fenced")
		}
	}
	r.p.s.written[o.Producer.String()+o.ID] = r.p.s.logs[t.Log]
	return []client.TP{marker}, nil
}
