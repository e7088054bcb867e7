package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
)

func (a *app) compareCommand() *cobra.Command {
	d := &compare{app: a, seed: rand.Uint64N(1_000_000)}
	c := &cobra.Command{
		Use:   "compare [JOB.sql]",
		Short: "Run the same job under each guarantee, with the same crashes, and compare what a reader sees",
		Long: `Run a bounded job under the guarantees none, at-least-once and exactly-once, and at-least-once into
upsert-kafka, each time killed with SIGKILL after the same checkpoints, and compare what consumers see with the
rows of a run without crashes. Without a file it is examples/sql/compare.sql, on real flights.

The job file uses these variables: ${bootstrap} the broker, ${topic} the topic of its sink, ${sink} the options
that choose connector, format and guarantee, ${key} ", PRIMARY KEY (id) NOT ENFORCED" or nothing, ${rate} rows a
second. A column read_at TIMESTAMP(3) of its sink, when the row was read, is used to measure latency.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return d.run(c.Context(), args) },
	}
	c.Flags().BoolVar(&d.json, "json", false, "print JSON instead of a table")
	c.Flags().Uint64Var(&d.seed, "seed", d.seed, "seed of the random delays")
	c.Flags().IntVar(&d.rate, "rate", 3000, "rows a second")
	c.Flags().StringArrayVar(&a.flags.defines, "define", nil, "value of a variable: name=value (repeatable)")
	return c
}

// compare is one run of the command.
type compare struct {
	*app
	json bool
	seed uint64
	rate int

	folder, bootstrap, file string
}

// variant is one guarantee.
type variant struct{ name, topic, sink, key string }

const keyClause = ", PRIMARY KEY (id) NOT ENFORCED"

func appendSink(semantic string) string {
	return fmt.Sprintf("'connector' = 'kafka', 'format' = 'json', 'sink.semantic' = '%s'", semantic)
}

var reference = variant{"reference", "compare-reference", appendSink("exactly-once"), ""}

var variants = []variant{
	{"none", "compare-none", appendSink("none"), ""},
	{"at-least-once", "compare-at-least-once", appendSink("at-least-once"), ""},
	{"exactly-once", "compare-exactly-once", appendSink("exactly-once"), ""},
	{"at-least-once, upsert-kafka", "compare-upsert",
		"'connector' = 'upsert-kafka', 'key.format' = 'json', 'value.format' = 'json', 'sink.semantic' = 'at-least-once'", keyClause},
}

// strikes are the crashes of each variant, in a process's second checkpoint but
// for the last one. The client lingers 400 ms, so that a second after its start
// half of that time's rows are in its memory: a crash soon after the barrier
// loses them where nothing flushes. The last crash comes when what was read since
// the barrier was sent, and before the next one.
var strikes = []kill{
	{2, 0, 30 * time.Millisecond}, {4, 0, 30 * time.Millisecond}, {6, 0, 30 * time.Millisecond}, {8, 0, 30 * time.Millisecond},
	{11, 430 * time.Millisecond, 480 * time.Millisecond},
}

// comparison is a row of the result.
type comparison struct {
	Guarantee  string  `json:"guarantee"`
	Expected   int     `json:"rows_expected"`
	Committed  counted `json:"read_committed"`
	Dirty      counted `json:"read_uncommitted"`
	P50        float64 `json:"latency_p50_ms"`
	P99        float64 `json:"latency_p99_ms"`
	Throughput float64 `json:"rows_per_second"`
	CPU        float64 `json:"cpu_seconds"`
	Crashes    int     `json:"crashes"`
}

// counted is what a consumer saw.
type counted struct {
	Lost       int `json:"lost"`
	Duplicated int `json:"duplicated"`
}

func (d *compare) run(ctx context.Context, args []string) (err error) {
	if d.folder, err = os.MkdirTemp("", "sqlstream-compare-"); err != nil {
		return err
	}
	defer os.RemoveAll(d.folder)
	if err := unpack(d.folder); err != nil {
		return err
	}
	d.file = filepath.Join(d.folder, "sql", "compare.sql")
	if len(args) > 0 {
		d.file = args[0]
		if _, err := readSQL(d.file); err != nil {
			return err
		}
	}
	topics := []string{"flights:3", reference.topic + ":1"}
	for _, v := range variants {
		topics = append(topics, v.topic+":1")
	}
	var stop func()
	if d.bootstrap, stop, err = runBroker(ctx, topics...); err != nil {
		return err
	}
	defer stop()
	fmt.Fprintf(d.err, "broker on %s, seed %d\n", d.bootstrap, d.seed)
	if err := d.loadFlights(ctx, d.folder, d.bootstrap); err != nil {
		return err
	}
	return d.all(ctx)
}

func (d *compare) all(ctx context.Context) error {
	want, err := d.variant(ctx, reference, nil)
	if err != nil {
		return err
	}
	var rows []comparison
	for _, v := range variants {
		fmt.Fprintf(d.err, "%s:\n", v.name)
		got, err := d.variant(ctx, v, strikes)
		if err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		rows = append(rows, got.compare(v, want))
	}
	if d.json {
		e := json.NewEncoder(d.out)
		e.SetIndent("", "  ")
		return e.Encode(rows)
	}
	d.print(rows)
	return nil
}

// variant runs the job and reads its topic beside it.
func (d *compare) variant(ctx context.Context, v variant, kills []kill) (*observed, error) {
	rate := d.rate
	if len(kills) == 0 {
		rate = 0
	}
	defines, err := pairs("define", d.flags.defines)
	if err != nil {
		return nil, err
	}
	for k, value := range map[string]string{"bootstrap": d.bootstrap, "topic": v.topic, "sink": v.sink, "key": v.key, "rate": fmt.Sprint(rate)} {
		defines[k] = value
	}
	job := &crashes{
		app: d.app, file: d.file, stateDir: filepath.Join(d.folder, v.topic), defines: defines, kills: kills,
		random: rand.New(rand.NewPCG(d.seed, 1)),
	}
	o, err := observe(ctx, d.bootstrap, v.topic, v.key != "")
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	err = job.run(ctx)
	o.elapsed, o.cpu, o.crashes = time.Since(begin), job.cpu, job.restarts
	if finishErr := o.finish(ctx); err == nil {
		err = finishErr
	}
	return o, err
}

func (d *compare) print(rows []comparison) {
	t := d.table("guarantee", "rows expected", "lost", "duplicated", "lost (uncommitted)", "duplicated (uncommitted)", "latency p50", "p99", "rows/s", "CPU s", "crashes")
	for _, r := range rows {
		t.AppendRow([]any{r.Guarantee, r.Expected, r.Committed.Lost, r.Committed.Duplicated, r.Dirty.Lost, r.Dirty.Duplicated,
			fmt.Sprintf("%.0f ms", r.P50), fmt.Sprintf("%.0f ms", r.P99), fmt.Sprintf("%.0f", r.Throughput), fmt.Sprintf("%.2f", r.CPU), r.Crashes})
	}
	t.Render()
	fmt.Fprintln(d.err, "lost and duplicated: as a read_committed consumer sees it, and as a read_uncommitted one; latency: from reading a record to its row being visible to read_committed; upsert-kafka: as a table by key")
}
