package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/session"
	"github.com/sqlstream/sqlstream/session/render"
)

// expectedDelays computes the job's answer from the file, without the
// engine: a line a window, in the form that read returns.
func expectedDelays(path string) (lines []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	windows := map[[2]string]*delayCounts{}
	for d := json.NewDecoder(z); ; {
		var r struct {
			Sched  string  `json:"sched_dep"`
			Dep    *string `json:"dep"`
			Origin string  `json:"origin"`
			Delay  *int64  `json:"dep_delay"`
		}
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		at, err := time.Parse(time.DateTime, r.Sched)
		if err != nil {
			return nil, err
		}
		key := [2]string{r.Origin, at.Truncate(time.Hour).Format(time.DateTime) + ".000"}
		if windows[key] == nil {
			windows[key] = &delayCounts{}
		}
		windows[key].add(r.Dep == nil, r.Delay)
	}
	for key, c := range windows {
		lines = append(lines, c.line(key))
	}
	return lines, nil
}

// delayCounts is one window.
type delayCounts struct{ flights, cancelled, delayed, sum, n int64 }

func (c *delayCounts) add(cancelled bool, delay *int64) {
	c.flights++
	if cancelled {
		c.cancelled++
	}
	if delay != nil {
		c.sum += *delay
		c.n++
		if *delay > 15 {
			c.delayed++
		}
	}
}

// line is the row as JSON; the average of integers is truncated.
func (c *delayCounts) line(key [2]string) string {
	avg := "null"
	if c.n > 0 {
		avg = fmt.Sprint(c.sum / c.n)
	}
	return fmt.Sprintf("+I\t[%q,%q,%d,%d,%d,%s]", key[0], key[1], c.flights, c.cancelled, c.delayed, avg)
}

// read reads the output topic to its end.
func (d *demo) read(ctx context.Context, isolation string) ([]string, error) {
	rec := &render.Recording{}
	s, err := session.New(session.Options{Output: rec, Quiet: true})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	sql := fmt.Sprintf(`CREATE TABLE delays (origin STRING, window_start TIMESTAMP(3), flights BIGINT, cancelled BIGINT, delayed BIGINT, avg_delay INT)
WITH ('connector' = 'kafka', 'topic' = 'delays', 'properties.bootstrap.servers' = '%s', 'format' = 'json',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'properties.isolation.level' = '%s');
SELECT * FROM delays;`, d.bootstrap, isolation)
	if err := s.Execute(ctx, sql); err != nil {
		return nil, err
	}
	return rec.Changes(), nil
}

// checkpoints is the number of the last one.
func (d *demo) checkpoints() (last checkpoint.ID, err error) {
	err = inspect(d.job.jobDir(), func(s *checkpoint.KVStore) error {
		infos, err := s.List()
		for _, i := range infos {
			last = max(last, i.ID)
		}
		return err
	})
	return last, err
}

// difference counts rows that are missing and rows that are too many.
func difference(want, got []string) (lost, duplicated int) {
	counts := map[string]int{}
	for _, w := range want {
		counts[w]++
	}
	for _, g := range got {
		counts[g]--
	}
	for _, n := range counts {
		if n > 0 {
			lost += n
		} else {
			duplicated -= n
		}
	}
	return lost, duplicated
}
