package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/connectors/kafka/txn"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// This file is a job in small: the part of the runtime that matters to a
// transactional sink, with a directory that survives what a test kills. Its
// input is the numbers 0 … records−1; the oracle is exact.

// errKilled is what a killed process sees.
var errKilled = errors.New("killed")

// directory is what is durable.
type directory struct {
	journal  *memJournal
	position int // records covered by the stored checkpoint
	last     checkpoint.ID
	pending  []exec.Committable
	finished bool
}

func newDirectory() *directory { return &directory{journal: newJournal()} }

func (d *directory) clone() *directory {
	c := *d
	c.journal, c.pending = d.journal.clone(), slices.Clone(d.pending)
	return &c
}

// process counts the steps of one run of a job (requests and durable writes)
// and kills it at one of them: before, or after the step was carried out.
type process struct {
	mu    sync.Mutex
	at    int // step to die at, from 1; 0: none
	after bool
	steps int
	dead  bool
	log   []string
	ctx   context.Context
	end   context.CancelFunc
}

func newProcess() *process { return killAt(0, false) }

func killAt(at int, after bool) *process {
	p := &process{at: at, after: after}
	p.ctx, p.end = context.WithCancel(context.Background())
	return p
}

// kill ends the process where it stands.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	p.end()
}

// step runs f as one step.
func (p *process) step(name string, f func() error) error {
	p.mu.Lock()
	p.steps++
	kill := p.steps == p.at
	dead := p.dead
	p.log = append(p.log, name)
	p.mu.Unlock()
	if dead || kill && !p.after {
		p.kill()
		return errKilled
	}
	err := f()
	if kill {
		p.kill()
		return errKilled
	}
	return err
}

func (p *process) killed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// cluster lets a process's requests be steps. Tests add faults by its hooks.
type cluster struct {
	*client.Control
	p      *process
	before func(call, id string) error // an error instead of the call
	answer func(call, id string, err error) error
}

func (c *cluster) do(call, id string, f func() error) error {
	return c.p.step(call+" "+id, func() error {
		if c.before != nil {
			if err := c.before(call, id); err != nil {
				return err
			}
		}
		err := f()
		if c.answer != nil {
			err = c.answer(call, id, err)
		}
		return err
	})
}

func (c *cluster) InitProducerID(ctx context.Context, id string, timeout time.Duration) (p client.Producer, err error) {
	timeouts.Store(id, timeout)
	err = c.do("InitProducerID", id, func() error { p, err = c.Control.InitProducerID(ctx, id, timeout); return err })
	return p, err
}

func (c *cluster) EndTxn(ctx context.Context, id string, p client.Producer, commit bool) error {
	call := "EndTxn"
	if !commit {
		call = "Ask"
	}
	return c.do(call, id, func() error { return c.Control.EndTxn(ctx, id, p, commit) })
}

func (c *cluster) WriteMarker(ctx context.Context, id string, p client.Producer, group string, at client.TP, offset int64, text string) error {
	return c.do("WriteMarker", id, func() error { return c.Control.WriteMarker(ctx, id, p, group, at, offset, text) })
}

func (c *cluster) AddPartitions(ctx context.Context, id string, p client.Producer, parts []client.TP) error {
	return c.do("AddPartitions", id, func() error { return c.Control.AddPartitions(ctx, id, p, parts) })
}

func (c *cluster) GroupOffsets(ctx context.Context, group string, parts []client.TP, stable bool) (m map[client.TP]client.Committed, err error) {
	err = c.do("GroupOffsets", group, func() error { m, err = c.Control.GroupOffsets(ctx, group, parts, stable); return err })
	return m, err
}

// timeouts are those that were last asked for, by transactional.id.
var timeouts sync.Map

// stepJournal makes durable writes steps.
type stepJournal struct {
	*memJournal
	p *process
}

func (j stepJournal) Delete(k string) error {
	return j.p.step("Delete "+k, func() error { return j.memJournal.Delete(k) })
}

func (j stepJournal) Put(k string, v []byte) error {
	return j.p.step("Put "+k, func() error { return j.memJournal.Put(k, v) })
}

// job is the input and the shape of a job.
type job struct {
	t           *testing.T
	table       *connectors.Table
	dir         *directory
	records     int
	each        int // records a checkpoint
	parallelism int
	runID       string
	fresh       bool
	interval    time.Duration // of checkpoints; 0: 10 s
	log         *slog.Logger  // nil: none
	// aborts tells whether a checkpoint is aborted after its first writer
	// pre-committed.
	aborts func(checkpoint.ID) bool
	// hook is called by name between steps.
	hook func(name string)

	before func(call, id string) error
	answer func(call, id string, err error) error

	rows     func(ids ...int) *vec.Batch // of the numbers; nil: rowsOf
	replaced bool                        // the last commit replaced a transaction
	anew     int                         // transactions written anew
	declined error                       // by which a checkpoint was declined last
	lost     int64                       // records given up
	clock    exec.Clock                  // nil: the system's
	asked    int                         // checkpoints that writers asked for
}

func newJob(t *testing.T, addr, topic string) *job {
	t.Helper()
	table := mustTable(t, "kafka", idColumns, nil, jsonOptions(addr, "topic", topic, "sink.semantic", "exactly-once", "sink.transactional-id-prefix", topic))
	return &job{t: t, table: table, dir: newDirectory(), records: 12, each: 4, parallelism: 1, runID: "run1"}
}

func (j *job) context(p *process, subtask int, restart bool) exec.SinkContext {
	c := sinkContextFor(stepJournal{j.dir.journal, p}, restart)
	c.Subtask.Index, c.Parallelism, c.RunID, c.Fresh = subtask, j.parallelism, j.runID, j.fresh
	c.Checkpoint = func() { j.asked++ }
	if j.clock != nil {
		c.Clock = j.clock
	}
	if j.interval > 0 {
		c.Interval = j.interval
	}
	if j.log != nil {
		c.Log = j.log
	}
	return c
}

// run is one process: it recovers, and goes on until the input is finished or
// it is killed.
func (j *job) run(p *process) error {
	clusterFor = func(c *client.Control) txn.Cluster { return &cluster{c, p, j.before, j.answer} }
	adderFor = func(c *client.Control) adder { return &cluster{c, p, j.before, j.answer} }
	table, err := openSink(j.table, j.table.PrimaryKey != nil)
	if err != nil {
		return err
	}
	s, err := table.Sink()
	if err != nil {
		return err
	}
	err = j.attempt(p, s.(exec.TwoPhaseCommitSink), false)
	if p.killed() {
		return errKilled
	}
	return err
}

// attempt is a start of the sink; restart: inside the process.
func (j *job) attempt(p *process, s exec.TwoPhaseCommitSink, restart bool) error {
	ctx := p.ctx
	committer, err := s.Committer(ctx, j.context(p, 0, restart))
	if err != nil {
		return err
	}
	defer committer.Close()
	if err := committer.Start(ctx, j.dir.pending); err != nil {
		return err
	}
	for again := true; again; { // what replaced a lost one is committed in its turn
		if _, err := j.commit(p, committer); err != nil {
			return err
		}
		again = j.replaced
	}
	if err := committer.Recover(ctx, j.dir.pending); err != nil {
		return err
	}
	if j.dir.finished {
		return nil
	}
	return j.work(p, s, committer)
}

// commit is Commit and the storing of its outcomes.
func (j *job) commit(p *process, c exec.Committer) (settled []exec.Committable, err error) {
	j.replaced = false
	if len(j.dir.pending) == 0 {
		return nil, nil
	}
	outcomes, commitErr := c.Commit(p.ctx, j.dir.pending)
	if p.killed() {
		return nil, errKilled
	}
	err = p.step("outcomes", func() error {
		for _, o := range outcomes {
			if !o.Final() {
				continue
			}
			if o.Status == checkpoint.Lost {
				j.lost += o.Records
			}
			for _, e := range o.Journal {
				if err := j.dir.journal.Put(e.Key, e.Value); err != nil {
					return err
				}
			}
			if o.Status == checkpoint.Replaced {
				i := slices.IndexFunc(j.dir.pending, func(c exec.Committable) bool { return c.Key() == o.Committable.Key() })
				j.dir.pending[i], j.replaced = *o.Replacement, true
				j.anew++
				continue
			}
			j.dir.pending = slices.DeleteFunc(j.dir.pending, func(c exec.Committable) bool { return c.Key() == o.Committable.Key() })
			settled = append(settled, o.Committable)
		}
		return nil
	})
	return settled, errors.Join(err, commitErr)
}

// work writes from the stored position on.
func (j *job) work(p *process, s exec.TwoPhaseCommitSink, c exec.Committer) error {
	ctx := p.ctx
	writers := make([]exec.PreCommitter, j.parallelism)
	for i := range writers {
		w, err := s.Writer(ctx, j.context(p, i, false))
		if err != nil {
			return err
		}
		defer w.Close()
		writers[i] = w.(exec.PreCommitter)
	}
	var held []exec.Committable // pre-committed, outcome not told
	id := j.dir.last
	for at := j.dir.position; !j.dir.finished; {
		next := min(at+j.each, j.records)
		if err := j.write(p, writers, at, next); err != nil {
			return err
		}
		at = next
		id++
		final := at == j.records
		abort := j.aborts != nil && !final && j.aborts(id)
		list, declined, err := j.preCommit(p, writers, id, final, abort)
		if err != nil {
			return err
		}
		held = append(held, list...)
		j.call("precommitted")
		if declined && final {
			return j.declined
		}
		if abort || declined {
			continue
		}
		if held, err = j.complete(p, c, writers, held, id, at, final); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) call(name string) {
	if j.hook != nil {
		j.hook(name)
	}
}

func (j *job) write(p *process, writers []exec.PreCommitter, from, to int) error {
	for w := range writers {
		var ids []int
		for i := from; i < to; i++ {
			if i%len(writers) == w {
				ids = append(ids, i)
			}
		}
		if len(ids) == 0 {
			continue
		}
		rows := rowsOf
		if j.rows != nil {
			rows = j.rows
		}
		if err := writers[w].Write(p.ctx, rows(ids...)); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) preCommit(p *process, writers []exec.PreCommitter, id checkpoint.ID, final, abort bool) (list []exec.Committable, declined bool, err error) {
	for i, w := range writers {
		if abort && i > 0 {
			break
		}
		cs, err := w.PreCommit(p.ctx, id, final)
		if errors.Is(err, exec.ErrDecline) {
			declined, j.declined = true, err
			continue
		}
		if err != nil {
			return nil, false, err
		}
		list = append(list, cs...)
	}
	return list, declined, nil
}

// complete stores the checkpoint, commits, stores outcomes, settles.
func (j *job) complete(p *process, c exec.Committer, writers []exec.PreCommitter, held []exec.Committable, id checkpoint.ID, at int, final bool) ([]exec.Committable, error) {
	err := p.step("store", func() error {
		j.dir.position, j.dir.last = at, id
		for _, h := range held {
			if !slices.ContainsFunc(j.dir.pending, func(c exec.Committable) bool { return c.Key() == h.Key() }) {
				j.dir.pending = append(j.dir.pending, h)
			}
		}
		return nil
	})
	if err != nil {
		return held, err
	}
	j.call("stored")
	settled, err := j.commit(p, c)
	if err != nil {
		return held, err
	}
	for _, cm := range settled {
		if i := cm.Writer.Index; i < len(writers) {
			if err := writers[i].Settled([]exec.Committable{cm}); err != nil {
				return held, err
			}
		}
		held = slices.DeleteFunc(held, func(h exec.Committable) bool { return h.Key() == cm.Key() })
	}
	j.call("settled")
	if final && len(j.dir.pending) == 0 {
		return held, p.step("finish", func() error { j.dir.finished = true; return nil })
	}
	if final {
		return held, fmt.Errorf("final checkpoint has %d unknown transactions", len(j.dir.pending))
	}
	return held, nil
}

// check is the oracle: as a read_committed consumer sees it, each record is
// there once.
func (j *job) check() error {
	return j.checkWithin(5 * time.Second) // OK to EndTxn is not visibility yet
}

func (j *job) checkWithin(d time.Duration) error {
	j.t.Helper()
	deadline := time.Now().Add(d)
	for {
		counts := map[string]int{}
		for _, l := range readAll(j.t, "kafka", j.table) {
			counts[l]++
		}
		var lost, twice []int
		for i := range j.records {
			switch n := counts[fmt.Sprintf("+I|%d|row %d", i, i)]; {
			case n == 0:
				lost = append(lost, i)
			case n > 1:
				twice = append(twice, i)
			}
		}
		if len(lost) == 0 && len(twice) == 0 && len(counts) == j.records {
			return nil
		}
		if len(twice) > 0 || time.Now().After(deadline) {
			return fmt.Errorf("lost %v, duplicated %v, %d different rows of %d", lost, twice, len(counts), j.records)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// killWhen runs a process that dies when the hook is called by that name at
// the given stored checkpoint.
func (j *job) killWhen(name string, at checkpoint.ID) {
	j.t.Helper()
	p := newProcess()
	j.hook = func(n string) {
		if n == name && j.dir.last == at {
			p.kill()
		}
	}
	if err := j.run(p); !errors.Is(err, errKilled) {
		j.t.Fatal(err)
	}
	j.hook = nil
}

// runInside restarts inside the process after an error that is not fatal.
func (j *job) runInside(p *process) error {
	clusterFor = func(c *client.Control) txn.Cluster { return &cluster{c, p, j.before, j.answer} }
	adderFor = func(c *client.Control) adder { return &cluster{c, p, j.before, j.answer} }
	table, err := openSink(j.table, j.table.PrimaryKey != nil)
	if err != nil {
		return err
	}
	s, err := table.Sink()
	if err != nil {
		return err
	}
	err = j.attempt(p, s.(exec.TwoPhaseCommitSink), false)
	var fatal *exec.FatalError
	for range 3 {
		if err == nil || errors.As(err, &fatal) {
			return err
		}
		err = j.attempt(p, s.(exec.TwoPhaseCommitSink), true)
	}
	return err
}

func decodeOne(t *testing.T, list []exec.Committable) txn.Transaction {
	t.Helper()
	if len(list) != 1 {
		t.Fatalf("%d pending transactions, want one", len(list))
	}
	tx, err := txn.Decode(list[0])
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// fenceOutside is what an operator's tool, or the broker's time-out, does to
// an id.
func fenceOutside(t *testing.T, addr, id string) {
	t.Helper()
	c := client.NewControl(client.Config{Bootstrap: []string{addr}})
	defer c.Close()
	err := patiently(context.Background(), func() error {
		for {
			_, err := c.InitProducerID(context.Background(), id, time.Minute)
			if !codes.Is(err, codes.ConcurrentTransactions) {
				return err
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
