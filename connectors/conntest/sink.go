package conntest

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Sink is a sink under test. Its table has the columns "id INT, name STRING".
type Sink struct {
	// New opens the table anew, over the same outside (folder, topic), as a new
	// process would.
	New func(t testing.TB) connectors.SinkTable
	// Visible returns what a reader sees, as lines that Line makes of a row.
	Visible func(t testing.TB) []string
	// Line is how Visible shows the row (id, name).
	Line func(id int, name string) string
}

// Columns of every sink under test.
const Columns = "id INT, name STRING"

var sinkFields = []types.Field{{Name: "id", Type: types.Of(types.Int)}, {Name: "name", Type: types.String()}}

// RunSink runs the suite of sinks; outside must be empty before each test,
// which fresh does.
func RunSink(t *testing.T, fresh func(t *testing.T) Sink) {
	guarantee := fresh(t).New(t).Guarantee()
	run := func(name string, f func(*sinkRun)) {
		t.Run(name, func(t *testing.T) {
			f(&sinkRun{Sink: fresh(t), t: t, journal: NewJournal()})
		})
	}
	if guarantee != exec.ExactlyOnce {
		run("rows are visible after Flush or Close", (*sinkRun).flushes)
		return
	}
	run("nothing is visible before the commit", (*sinkRun).hides)
	run("a commit repeated changes nothing", (*sinkRun).repeats)
	run("a crash before the pre-commit leaves nothing", (*sinkRun).crashesOpen)
	run("a crash after the pre-commit loses nothing", (*sinkRun).crashesPending)
	run("an aborted checkpoint's rows are committed by the next", (*sinkRun).subsumes)
	run("an empty transaction makes no committable", (*sinkRun).empty)
	run("many checkpoints reuse what they need", (*sinkRun).many)
	run("a crash between two commits", (*sinkRun).crashesBetween)
}

// sinkRun is one process after the other over the same outside.
type sinkRun struct {
	Sink
	t       *testing.T
	journal *Journal
	next    int
	wrote   []string
	starts  int
}

// process is a started sink: its committer, and a writer.
type process struct {
	run       *sinkRun
	committer exec.Committer
	writer    exec.PreCommitter
}

func (r *sinkRun) fatal(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// start is a process start by the order of exec.Committer.
func (r *sinkRun) start(pending []exec.Committable) *process {
	r.t.Helper()
	ctx := context.Background()
	s, err := r.New(r.t).Sink()
	r.fatal(err)
	two, ok := s.(exec.TwoPhaseCommitSink)
	if !ok {
		r.t.Fatalf("%T promises exactly-once but is no TwoPhaseCommitSink", s)
	}
	r.starts++
	sc := sinkContext(r.journal)
	c, err := two.Committer(ctx, sc)
	r.fatal(err)
	r.fatal(c.Start(ctx, pending))
	outcomes := r.commit(c, pending)
	var unknown []exec.Committable
	for _, o := range outcomes {
		if o.Status == checkpoint.Unknown {
			unknown = append(unknown, o.Committable)
		}
	}
	r.fatal(c.Recover(ctx, unknown))
	w, err := two.Writer(ctx, sc)
	r.fatal(err)
	pre, ok := w.(exec.PreCommitter)
	if !ok {
		r.t.Fatalf("%T is no PreCommitter", w)
	}
	return &process{r, c, pre}
}

// commit commits and stores the outcomes, trying Unknown ones again.
func (r *sinkRun) commit(c exec.Committer, list []exec.Committable) []exec.Outcome {
	r.t.Helper()
	if len(list) == 0 {
		return nil
	}
	for try := 0; ; try++ {
		outcomes, err := c.Commit(context.Background(), list)
		if len(outcomes) != len(list) {
			r.t.Fatalf("%d outcomes for %d committables", len(outcomes), len(list))
		}
		unknown := false
		for _, o := range outcomes {
			unknown = unknown || o.Status == checkpoint.Unknown
			if o.Status == checkpoint.Lost {
				r.t.Fatalf("lost: %s", o.Detail)
			}
		}
		if !unknown {
			r.fatal(err)
			r.fatal(r.journal.Store(outcomes))
			return outcomes
		}
		if try == 50 {
			r.t.Fatalf("still unknown after %d tries: %v", try, err)
		}
	}
}

func (p *process) write(n int) {
	p.run.t.Helper()
	var text string
	for range n {
		p.run.next++
		name := fmt.Sprintf("row-%d", p.run.next)
		text += fmt.Sprintf("%d, %s\n", p.run.next, name)
		p.run.wrote = append(p.run.wrote, p.run.Line(p.run.next, name))
	}
	b, err := exectest.Rows(sinkFields, text)
	p.run.fatal(err)
	p.run.fatal(p.writer.Write(context.Background(), b))
}

func (p *process) preCommit(id checkpoint.ID) []exec.Committable {
	p.run.t.Helper()
	c, err := p.writer.PreCommit(context.Background(), id, false)
	p.run.fatal(err)
	for _, x := range c {
		if x.Checkpoint != id || x.Writer.UID != uid || x.Version == 0 {
			p.run.t.Errorf("committable of writer %s, checkpoint %d, version %d; expected %s[0], %d and a version", x.Writer, x.Checkpoint, x.Version, uid, id)
		}
	}
	return c
}

// settle commits and tells the writer.
func (p *process) settle(list []exec.Committable) {
	p.run.t.Helper()
	p.run.commit(p.committer, list)
	p.run.fatal(p.writer.Settled(list))
}

func (p *process) close() {
	p.run.t.Helper()
	p.run.fatal(errors.Join(p.writer.Close(), p.committer.Close()))
}

// sees compares what a reader sees with the first n rows written.
func (r *sinkRun) sees(n int) {
	r.t.Helper()
	got, want := append([]string{}, r.Visible(r.t)...), append([]string{}, r.wrote[:n]...)
	sort.Strings(got)
	sort.Strings(want)
	if d := cmp.Diff(want, got); d != "" {
		r.t.Errorf("a reader sees other rows (-want +got):\n%s", d)
	}
}

func (r *sinkRun) flushes() {
	ctx := context.Background()
	s, err := r.New(r.t).Sink()
	r.fatal(err)
	w, err := s.Writer(ctx, sinkContext(r.journal))
	r.fatal(err)
	for range 3 {
		b, err := exectest.Rows(sinkFields, fmt.Sprintf("%d, row-%d\n", r.next+1, r.next+1))
		r.fatal(err)
		r.next++
		r.wrote = append(r.wrote, r.Line(r.next, fmt.Sprintf("row-%d", r.next)))
		r.fatal(w.Write(ctx, b))
		r.fatal(w.Flush(ctx))
	}
	r.fatal(w.Close())
	r.sees(3)
}

func (r *sinkRun) hides() {
	p := r.start(nil)
	p.write(3)
	r.sees(0)
	c := p.preCommit(1)
	r.sees(0)
	p.write(2)
	r.sees(0)
	p.settle(c)
	r.sees(3)
	p.settle(p.preCommit(2))
	r.sees(5)
	p.close()
	r.sees(5)
}

func (r *sinkRun) repeats() {
	p := r.start(nil)
	p.write(3)
	c := p.preCommit(1)
	r.commit(p.committer, c)
	r.commit(p.committer, c)
	r.sees(3)
	p.close()
}

// crashesOpen drops the process without Close: its rows were in no
// checkpoint, and the source would send them again.
func (r *sinkRun) crashesOpen() {
	p := r.start(nil)
	p.write(2)
	p.settle(p.preCommit(1))
	p.write(3)
	r.wrote = r.wrote[:2]
	q := r.start(nil)
	r.sees(2)
	q.write(1)
	q.settle(q.preCommit(2))
	r.sees(3)
	q.close()
}

func (r *sinkRun) crashesPending() {
	p := r.start(nil)
	p.write(2)
	c := p.preCommit(1)
	q := r.start(c)
	r.sees(2)
	q.write(2)
	q.settle(q.preCommit(2))
	r.sees(4)
	q.close()
}

func (r *sinkRun) subsumes() {
	p := r.start(nil)
	p.write(2)
	first := p.preCommit(1) // checkpoint 1 is aborted
	p.write(2)
	both := append(first, p.preCommit(2)...)
	p.settle(both)
	r.sees(4)
	p.close()
}

func (r *sinkRun) empty() {
	p := r.start(nil)
	if c := p.preCommit(1); len(c) != 0 {
		r.t.Errorf("%d committables of an empty transaction", len(c))
	}
	p.write(1)
	p.settle(p.preCommit(2))
	if c := p.preCommit(3); len(c) != 0 {
		r.t.Errorf("%d committables of an empty transaction", len(c))
	}
	r.sees(1)
	p.close()
}

func (r *sinkRun) many() {
	p := r.start(nil)
	for id := range checkpoint.ID(12) {
		p.write(1)
		p.settle(p.preCommit(id + 1))
	}
	r.sees(12)
	p.close()
}

// crashesBetween: of two pending transactions the first was committed, and
// its outcome not stored.
func (r *sinkRun) crashesBetween() {
	p := r.start(nil)
	p.write(2)
	c := p.preCommit(1)
	p.write(2)
	c = append(c, p.preCommit(2)...)
	if _, err := p.committer.Commit(context.Background(), c[:1]); err != nil {
		r.t.Fatal(err)
	}
	q := r.start(c)
	r.sees(4)
	q.write(1)
	q.settle(q.preCommit(3))
	r.sees(5)
	q.close()
}
