// Command bench measures Nexmark queries: Kafka in, JSON, SQL, JSON, Kafka
// out, exactly-once. Each query runs as a process of its own against a broker
// in another one; what counts is events per CPU-second (user and system) of
// the engine's process. The output is compared with the expected rows.
//
//	go run ./bench [--events N] [--queries q0,q2] [--interval 1s] [--runs N] [--json FILE]
//
// Run it in the project's folder after `make build`. Exit status 5 if an
// output is wrong; speed is printed, never judged.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// options of a run.
type options struct {
	events    int
	names     string
	perSecond int
	seed      uint64
	interval  time.Duration
	binary    string
	broker    string
	json      string
	profile   string
	runs      int
}

func main() {
	var o options
	flag.IntVar(&o.events, "events", 2_000_000, "events to load")
	flag.StringVar(&o.names, "queries", "q0,q1,q2,q5,q17", "queries to run, separated by commas")
	flag.IntVar(&o.perSecond, "rate", 10_000, "events per second of event time")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the generator")
	flag.DurationVar(&o.interval, "interval", time.Second, "checkpoint interval; 10s for runs of over 30 s")
	flag.StringVar(&o.binary, "binary", filepath.Join("bin", "sqlstream"), "the program to measure")
	flag.StringVar(&o.broker, "bootstrap", "", "a broker that runs already; default: an embedded one in a process of its own")
	flag.StringVar(&o.json, "json", "", "write the figures to this file too")
	flag.StringVar(&o.profile, "profile", "", "folder for CPU profiles of the runs")
	flag.IntVar(&o.runs, "runs", 1, "runs of each query, in turn; the one with the median CPU time is printed, with the range of all")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		if errors.Is(err, errWrong) {
			os.Exit(5)
		}
		os.Exit(4)
	}
}

var errWrong = errors.New("wrong output")

func run(ctx context.Context, o options) error {
	chosen, err := choose(o.names)
	if err != nil {
		return err
	}
	if o.runs < 1 {
		return fmt.Errorf("--runs %d, expected at least 1", o.runs)
	}
	if o.profile != "" {
		if err := os.MkdirAll(o.profile, 0o755); err != nil {
			return err
		}
	}
	if _, err := os.Stat(o.binary); err != nil {
		return fmt.Errorf("%w; 'make build' makes it", err)
	}
	topics := []string{"nexmark"}
	for _, q := range chosen {
		for n := range o.runs {
			topics = append(topics, q.topic(n))
		}
	}
	c, err := connect(ctx, o, topics)
	if err != nil {
		return err
	}
	defer c.close()
	oracles := make([]oracle, len(chosen))
	for i, q := range chosen {
		oracles[i] = q.oracle()
	}
	begin := time.Now()
	bytes, err := c.load(ctx, o, oracles)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d events (%d bytes each) loaded in %.1f s\n", o.events, bytes/int64(o.events), time.Since(begin).Seconds())
	rows, wrong, err := measureAll(ctx, o, c, chosen, oracles)
	if err != nil {
		return err
	}
	report(os.Stdout, o, rows)
	if o.json != "" {
		b, err := json.MarshalIndent(rows, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(o.json, append(b, '\n'), 0o644); err != nil {
			return err
		}
	}
	if wrong {
		return errWrong
	}
	return nil
}

// measureAll runs the queries in turn, so that a slow minute of the machine
// does not fall on one of them.
func measureAll(ctx context.Context, o options, c *cluster, chosen []query, oracles []oracle) (rows []figures, wrong bool, err error) {
	want := make([]digest, len(chosen))
	runs := make([][]figures, len(chosen))
	for i := range chosen {
		want[i] = oracles[i].end()
	}
	for n := range o.runs {
		for i, q := range chosen {
			f, err := c.measure(ctx, o, q, n, want[i])
			if err != nil {
				return nil, false, fmt.Errorf("%s: %w", q.name, err)
			}
			wrong = wrong || !f.Correct
			runs[i] = append(runs[i], f)
		}
	}
	for _, r := range runs {
		rows = append(rows, middle(r))
	}
	return rows, wrong, nil
}

func choose(names string) ([]query, error) {
	var chosen []query
	for _, n := range strings.Split(names, ",") {
		found := false
		for _, q := range queries {
			if q.name == strings.TrimSpace(n) {
				chosen, found = append(chosen, q), true
			}
		}
		if !found {
			return nil, fmt.Errorf("no query %q", n)
		}
	}
	return chosen, nil
}
