package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/sqlstream/sqlstream/examples"
	"github.com/sqlstream/sqlstream/session"
)

func (a *app) demoCommand() *cobra.Command {
	d := &demo{app: a, seed: rand.Uint64N(1_000_000)}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Run a windowed job on real flights, kill it three times, and check its result",
		Long: `The demo starts a broker, loads 27,004 real flights into a topic, and runs examples/sql/delays.sql on it:
delays per airport and hour, written exactly-once. While the job runs, its process is killed with SIGKILL after
checkpoints 2, 5 and 9 (and a random delay) and started again. Then the output topic is compared with the answer
computed directly from the file. Exit code 5 if a row is lost or duplicated.`,
		Args: argsBy(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return d.run(c.Context()) },
	}
	c.Flags().Uint64Var(&d.seed, "seed", d.seed, "seed of the random delays")
	c.Flags().IntVar(&d.rate, "rate", 3000, "flights a second")
	c.Flags().BoolVar(&d.keep, "keep", false, "keep the folder with the state and the job files")
	return c
}

// demo is one run.
type demo struct {
	*app
	seed uint64
	rate int
	keep bool

	random    *rand.Rand
	folder    string
	bootstrap string
	late      int64
	restarts  int
	begin     time.Time
}

// killAfter are the checkpoints after which the job is killed.
var killAfter = []int64{2, 5, 9}

// maxDelay is added at random before a kill, so that it hits any moment of a
// checkpoint.
const maxDelay = 600 * time.Millisecond

func (d *demo) run(ctx context.Context) (err error) {
	d.begin = time.Now()
	d.random = rand.New(rand.NewPCG(d.seed, 1))
	if d.folder, err = os.MkdirTemp("", "sqlstream-demo-"); err != nil {
		return err
	}
	if d.keep {
		d.say("folder %s", d.folder)
	} else {
		defer os.RemoveAll(d.folder)
	}
	if err := d.unpack(); err != nil {
		return err
	}
	stop, err := d.startBroker(ctx)
	if err != nil {
		return err
	}
	defer stop()
	if err := d.load(ctx); err != nil {
		return err
	}
	if err := d.runJob(ctx); err != nil {
		return err
	}
	return d.verdict(ctx)
}

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.err, format+"\n", args...) }

// unpack writes the job files and data into the folder.
func (d *demo) unpack() error {
	return fs.WalkDir(examples.Files, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(d.folder, path)
		if e.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		b, err := examples.Files.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, b, 0o644)
	})
}

// startBroker runs the broker as a process of its own: what is killed is the
// engine only.
func (d *demo) startBroker(ctx context.Context) (stop func(), err error) {
	cmd := d.command(ctx, "broker", "--listen", "127.0.0.1:0", "--topic", "flights:3", "--topic", "delays:1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return nil, fmt.Errorf("the broker did not start: %w", err)
	}
	d.bootstrap = strings.TrimSpace(line)
	d.say("broker on %s, seed %d", d.bootstrap, d.seed)
	return stop, nil
}

// command is this program as a child that dies with its parent's context.
func (d *demo) command(ctx context.Context, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return exec.CommandContext(ctx, self, args...)
}

// load puts the flights into their topic, with a job of our own.
func (d *demo) load(ctx context.Context) error {
	text, err := os.ReadFile(filepath.Join(d.folder, "sql", "load_flights.sql"))
	if err != nil {
		return err
	}
	sql, err := session.Substitute(string(text), map[string]string{"data": filepath.Join(d.folder, "data"), "bootstrap": d.bootstrap})
	if err != nil {
		return err
	}
	out, err := d.output("")
	if err != nil {
		return err
	}
	s, err := session.New(session.Options{Output: out, Quiet: true, Wait: true})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Execute(ctx, sql); err != nil {
		return err
	}
	d.say("27,004 flights loaded into topic flights (3 partitions)")
	return nil
}

// runJob runs the job until it ends, killing it on the way.
func (d *demo) runJob(ctx context.Context) error {
	kills := append([]int64(nil), killAfter...)
	for {
		ended, err := d.attempt(ctx, &kills)
		if err != nil {
			return err
		}
		if ended {
			break
		}
		d.restarts++
	}
	if len(kills) > 0 {
		return fmt.Errorf("the job ended before it could be killed after checkpoint %d; a lower --rate makes it last longer", kills[0])
	}
	return nil
}

func (d *demo) stateDir() string { return filepath.Join(d.folder, "state") }

// attempt starts the job and kills it when the next checkpoint of kills is
// complete. ended is true if it came to its end instead.
func (d *demo) attempt(ctx context.Context, kills *[]int64) (ended bool, err error) {
	cmd := d.command(ctx, "run", filepath.Join(d.folder, "sql", "delays.sql"), "--state-dir", d.stateDir(),
		"--define", "bootstrap="+d.bootstrap, "--define", fmt.Sprintf("rate=%d", d.rate))
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		return false, err
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-over:
			if err != nil {
				return false, fmt.Errorf("the job failed: %w\n%s", err, log.String())
			}
			return true, nil
		case <-tick.C:
			if len(*kills) == 0 || d.completed() < (*kills)[0] {
				continue
			}
			d.kill(cmd, (*kills)[0])
			*kills = (*kills)[1:]
			<-over
			return false, nil
		}
	}
}

// completed asks the running job for its last complete checkpoint.
func (d *demo) completed() int64 {
	r, err := session.Ask(filepath.Join(d.stateDir(), "delays"), session.Request{Command: "status"})
	if err != nil || r.Status == nil {
		return 0
	}
	_, _, late, _ := session.Counts(*r.Status)
	d.late = max(d.late, late)
	return int64(r.Status.Progress.LastCompleted)
}

func (d *demo) kill(cmd *exec.Cmd, after int64) {
	delay := time.Duration(d.random.Int64N(int64(maxDelay)))
	time.Sleep(delay)
	_ = cmd.Process.Kill()
	d.say("kill -9 %d ms after checkpoint %d", delay.Milliseconds(), after)
}

// verdict compares, prints the table, and fails if a row is lost or
// duplicated.
func (d *demo) verdict(ctx context.Context) error {
	expected, err := expectedDelays(filepath.Join(d.folder, "data", "flights-2013-01.jsonl.gz"))
	if err != nil {
		return err
	}
	committed, err := d.read(ctx, "read_committed")
	if err != nil {
		return err
	}
	uncommitted, err := d.read(ctx, "read_uncommitted")
	if err != nil {
		return err
	}
	checkpoints, err := d.checkpoints()
	if err != nil {
		return err
	}
	lost, duplicated := difference(expected, committed)
	t := d.table("windows expected", "lost", "duplicated", "rows only read_uncommitted saw", "late rows", "checkpoints", "restarts", "time")
	t.AppendRow([]any{len(expected), lost, duplicated, len(uncommitted) - len(committed), d.late, checkpoints, d.restarts, time.Since(d.begin).Round(100 * time.Millisecond)})
	t.Render()
	if lost+duplicated > 0 || d.late > 0 {
		return &session.Error{Kind: session.Assertion, Err: errors.New("the result is not what the file says")}
	}
	return nil
}
