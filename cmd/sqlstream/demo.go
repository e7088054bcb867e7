package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
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
		Args: cobra.NoArgs,
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

	folder    string
	bootstrap string
	job       *crashes
	begin     time.Time
}

func (d *demo) run(ctx context.Context) (err error) {
	d.begin = time.Now()
	if d.folder, err = os.MkdirTemp("", "sqlstream-demo-"); err != nil {
		return err
	}
	if d.keep {
		d.say("folder %s", d.folder)
	} else {
		defer os.RemoveAll(d.folder)
	}
	if err := unpack(d.folder); err != nil {
		return err
	}
	var stop func()
	if d.bootstrap, stop, err = runBroker(ctx, "flights:3", "delays:1"); err != nil {
		return err
	}
	defer stop()
	d.say("broker on %s, seed %d", d.bootstrap, d.seed)
	if err := d.loadFlights(ctx, d.folder, d.bootstrap); err != nil {
		return err
	}
	d.say("27,004 flights loaded into topic flights (3 partitions)")
	d.job = &crashes{
		app: d.app, file: filepath.Join(d.folder, "sql", "delays.sql"), stateDir: filepath.Join(d.folder, "state"),
		defines: map[string]string{"bootstrap": d.bootstrap, "rate": fmt.Sprint(d.rate)},
		kills:   []kill{{2, 0, 600 * time.Millisecond}, {5, 0, 600 * time.Millisecond}, {9, 0, 600 * time.Millisecond}}, random: rand.New(rand.NewPCG(d.seed, 1)),
	}
	if err := d.job.run(ctx); err != nil {
		return err
	}
	return d.verdict(ctx)
}

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.err, format+"\n", args...) }

// unpack writes the examples that are in the binary into a folder.
func unpack(folder string) error {
	return fs.WalkDir(examples.Files, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(folder, path)
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

// loadFlights puts the flights into their topic, with a job of our own.
func (a *app) loadFlights(ctx context.Context, folder, bootstrap string) error {
	text, err := os.ReadFile(filepath.Join(folder, "sql", "load_flights.sql"))
	if err != nil {
		return err
	}
	sql, err := session.Substitute(string(text), map[string]string{"data": filepath.Join(folder, "data"), "bootstrap": bootstrap})
	if err != nil {
		return err
	}
	out, err := a.output("")
	if err != nil {
		return err
	}
	s, err := session.New(session.Options{Output: out, Quiet: true, Wait: true})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Execute(ctx, sql)
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
	t.AppendRow([]any{len(expected), lost, duplicated, len(uncommitted) - len(committed), d.job.late, checkpoints, d.job.restarts, time.Since(d.begin).Round(100 * time.Millisecond)})
	t.Render()
	if lost+duplicated > 0 || d.job.late > 0 {
		return &session.Error{Kind: session.Assertion, Err: errors.New("the result is not what the file says")}
	}
	return nil
}
