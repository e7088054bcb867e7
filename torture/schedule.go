package torture

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec"
)

// Schedule runs jobs one after the other, with random faults, until a
// deadline, and checks each exactly.
type Schedule struct {
	Seed   uint64
	Report Report
	Log    func(format string, args ...any)
	// World makes the world of a job; nil: on an embedded broker. Pause is
	// added to the interval of checkpoints, for slower brokers.
	World func(name string, records int) (*World, error)
	Pause time.Duration

	cluster *Cluster
	temp    string // for file sinks
	n       int
}

// Report is what happened.
type Report struct {
	Faults     map[string]int
	Jobs       int
	Starts     int // of processes
	Recoveries int // starts and restarts inside that resumed a job
	Records    int
	Lost       int
	Duplicated int
	Strange    int
}

// Bad tells whether the promise was broken.
func (r Report) Bad() bool { return r.Lost+r.Duplicated+r.Strange > 0 }

// String is the table.
func (r Report) String() string {
	var b strings.Builder
	kinds := make([]string, 0, len(r.Faults))
	total := 0
	for k, n := range r.Faults {
		kinds = append(kinds, k)
		total += n
	}
	slices.Sort(kinds)
	fmt.Fprintf(&b, "%-44s %8s\n", "fault", "times")
	for _, k := range kinds {
		fmt.Fprintf(&b, "%-44s %8d\n", k, r.Faults[k])
	}
	fmt.Fprintf(&b, "\n%8s %8s %10s %10s %10s %8s %10s\n", "jobs", "faults", "starts", "recoveries", "records", "lost", "duplicated")
	fmt.Fprintf(&b, "%8d %8d %10d %10d %10d %8d %10d\n", r.Jobs, total, r.Starts, r.Recoveries, r.Records, r.Lost, r.Duplicated)
	if r.Strange > 0 {
		fmt.Fprintf(&b, "rows that should not be: %d\n", r.Strange)
	}
	return b.String()
}

// Run runs jobs until the deadline, at least one. It stops at the first that
// is wrong; the Report says how. An error is one of the schedule itself, or a
// job that did not come to its end.
func (s *Schedule) Run(until time.Time) (err error) {
	s.Report.Faults = map[string]int{}
	if s.World == nil {
		if s.cluster, err = NewCluster(); err != nil {
			return err
		}
		defer func() { s.cluster.Close() }()
	}
	if s.temp, err = os.MkdirTemp("", "sqlstream-torture-"); err != nil {
		return err
	}
	defer os.RemoveAll(s.temp)
	for !s.Report.Bad() && (s.n == 0 || time.Now().Before(until)) {
		s.n++
		if s.n%50 == 0 && s.cluster != nil { // the embedded broker keeps everything in memory
			s.cluster.Close()
			if s.cluster, err = NewCluster(); err != nil {
				return err
			}
		}
		r := &run{s: s, rnd: rand.New(rand.NewPCG(s.Seed, uint64(s.n)))}
		if err := r.job(); err != nil {
			return fmt.Errorf("seed %d, job %d (%s): %w", s.Seed, s.n, r.shape(), err)
		}
	}
	return nil
}

// run is one job of a schedule.
type run struct {
	s    *Schedule
	rnd  *rand.Rand
	w    *World
	base Job
	ends []string // of its processes
}

func (r *run) shape() string {
	return fmt.Sprintf("%+v; processes: %s", r.base, strings.Join(r.ends, ", "))
}

func (r *run) count(kind string) { r.s.Report.Faults[kind]++ }

// job runs processes that are disturbed, then ones that are not, and checks.
func (r *run) job() error {
	if err := r.choose(); err != nil {
		return err
	}
	if r.rnd.IntN(5) == 0 {
		return r.children()
	}
	parallelism := 0
	for range 3 + r.rnd.IntN(4) {
		j := r.base
		if j.Parallelism = 1 + r.rnd.IntN(3); parallelism > 0 && j.Parallelism != parallelism {
			r.count("rescale")
		}
		parallelism = j.Parallelism
		done, err := r.process(j, r.hook())
		if err != nil {
			return err
		}
		if done {
			return r.verdict()
		}
		if r.base.Sink["properties.transaction.timeout.ms"] != "" && r.rnd.IntN(2) == 0 {
			r.count("longer outage than the time-out")
			time.Sleep(400 * time.Millisecond)
		}
	}
	for range 3 {
		done, err := r.process(r.base, nil)
		if err != nil {
			return err
		}
		if done {
			return r.verdict()
		}
	}
	return fmt.Errorf("three processes that nothing disturbs did not finish it")
}

// choose makes the world and the shape of the job.
func (r *run) choose() (err error) {
	makeWorld := r.s.World
	if makeWorld == nil {
		makeWorld = r.s.cluster.World
	}
	if r.w, err = makeWorld(fmt.Sprintf("torture%d", r.s.n), 100+r.rnd.IntN(200)); err != nil {
		return err
	}
	r.base = Job{Interval: r.s.Pause + time.Duration(2+r.rnd.IntN(6))*time.Millisecond, Concurrent: 1 + r.rnd.IntN(2),
		Timeout: r.s.Pause + stalledBy, TwoSinks: r.rnd.IntN(3) == 0}
	if r.rnd.IntN(4) == 0 {
		r.base.TwoSinks, r.base.Files = false, filepath.Join(r.s.temp, r.w.Name)
	} else if r.rnd.IntN(3) == 0 {
		r.base.Sink = map[string]string{"sink.pre-commit-log": "true"}
		if r.rnd.IntN(2) == 0 { // the broker gives up what a dead process left
			r.base.Sink["properties.transaction.timeout.ms"] = "250"
		}
	}
	return nil
}

// children runs the job in processes of the operating system, with its state
// in Badger, and kills them at any moment.
func (r *run) children() error {
	c := Child{World: *r.w, Folder: filepath.Join(r.s.temp, "state-"+r.w.Name), Job: r.base}
	for range 3 + r.rnd.IntN(4) {
		c.Job.Parallelism = 1 + r.rnd.IntN(3)
		if err := r.child(c, time.Duration(20+r.rnd.IntN(150))*time.Millisecond); err != nil {
			return err
		}
	}
	if err := r.child(c, 0); err != nil {
		return err
	}
	return r.verdict()
}

func (r *run) child(c Child, after time.Duration) error {
	killed, err := c.Run(after)
	rep := &r.s.Report
	rep.Starts++
	if killed {
		r.count("kill -9 of a process")
		rep.Recoveries++
	}
	r.ends = append(r.ends, fmt.Sprintf("child of %v, killed %v", after, killed))
	return err
}

// process runs one; done says that the job has come to its end.
func (r *run) process(j Job, hook Hook) (done bool, err error) {
	p, err := r.w.Start(j, hook)
	if err == nil && hook != nil && r.rnd.IntN(5) == 0 {
		r.count("stop")
		time.AfterFunc(time.Duration(r.rnd.IntN(40))*time.Millisecond, func() { p.Stop(false) })
	}
	if err == nil {
		err = p.Wait()
	}
	r.note(p, err)
	switch {
	case errors.Is(err, exec.ErrFinished):
		return true, nil
	case err == nil:
		return false, nil // its end, or a stop: the next start tells
	case errors.Is(err, errKilled), hook != nil && errors.Is(err, errBroken):
		return false, nil
	}
	return false, err
}

func (r *run) note(p *Process, err error) {
	rep := &r.s.Report
	rep.Starts++
	rep.Recoveries += p.Count(exec.EventRestarting)
	if p.Count(exec.EventRestored) > p.Count(exec.EventRestarting) {
		rep.Recoveries++
	}
	if n := p.Count(exec.EventRestarting); n > 0 {
		rep.Faults["restart inside the process"] += n
	}
	if n := p.Count(exec.EventCheckpointAborted); n > 0 {
		rep.Faults["checkpoint aborted"] += n
	}
	r.ends = append(r.ends, fmt.Sprintf("%d steps: %v", len(p.Steps()), err))
}

// verdict checks the whole output of the job.
func (r *run) verdict() error {
	var v Verdict
	var err error
	switch {
	case r.base.Files != "":
		v, err = r.w.CheckFiles(r.base.Files)
	case r.base.TwoSinks:
		v, err = r.w.Check(r.w.Out, r.w.Out2)
	default:
		v, err = r.w.Check()
	}
	rep := &r.s.Report
	rep.Jobs++
	rep.Records += v.Records
	rep.Lost += len(v.Lost)
	rep.Duplicated += len(v.Duplicated)
	rep.Strange += len(v.Strange)
	if v.Err() != nil {
		r.s.Log("job %d of seed %d: %v\n  %s", r.s.n, r.s.Seed, v.Err(), r.shape())
	}
	return err
}

// deadly are the steps at which a process may die.
var deadly = []string{"write", "precommit", "precommit final", "start", "commit", "recover", "settled", "begin", "chunks", "metadata", "LATEST", "outcomes",
	"journal", "retain", "InitProducerId", "AddPartitionsToTxn", "Produce", "AddOffsetsToTxn", "TxnOffsetCommit", "EndTxn commit", "EndTxn abort", "OffsetFetch"}

// hook kills at a step by its name, or at any step by its number, and loses,
// delays and stalls on the way.
func (r *run) hook() Hook {
	name, nth, after := deadly[r.rnd.IntN(len(deadly))], 1+r.rnd.IntN(5), r.rnd.IntN(2) == 0
	anyStep := r.rnd.IntN(3) == 0
	if anyStep {
		nth = 1 + r.rnd.IntN(400)
	}
	trouble := []float64{0, 0.01, 0.05}[r.rnd.IntN(3)] // a step
	n := 0
	return func(s Step) Action {
		if s.After == after && (anyStep || s.Name == name) {
			if n++; n == nth {
				r.count("kill " + strings.TrimSpace(Step{Name: s.Name, After: s.After}.String()))
				return Kill
			}
		}
		if r.rnd.Float64() >= trouble {
			return Go
		}
		return r.trouble(s)
	}
}

func (r *run) trouble(s Step) Action {
	request := strings.ToUpper(s.Name[:1]) == s.Name[:1] && s.Name != "LATEST"
	switch {
	case r.rnd.IntN(3) == 0:
		r.count("slow step")
		return Wait
	case request && s.After:
		r.count("answer lost")
		return Drop
	case request && s.Name != "InitProducerId" && r.rnd.IntN(2) == 0:
		r.count("request late")
		return Late
	case request:
		r.count("request lost")
		return Drop
	case s.Name == "precommit" && !s.After:
		r.count("stall of a pre-commit")
		return Stall
	case slices.Contains([]string{"begin", "chunks", "metadata", "LATEST", "journal", "retain"}, s.Name) && r.rnd.IntN(4) == 0:
		r.count("i/o error of a durable write")
		return Drop
	}
	return Go
}
