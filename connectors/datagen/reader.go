package datagen

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// batchRows is the most rows of a batch.
const batchRows = 4096

// part is a split as its reader sees it.
type part struct {
	k, n  int64
	at    int64 // rows made so far
	base  int64 // at when the reader began: the rate counts from there
	end   int64
	ended bool // the runtime has been told
}

type reader struct {
	*source
	ctx   exec.SourceContext
	begin time.Time
	parts []part
	turn  int
	keys  []uint64
}

// Next makes as many rows of the next split as the rate allows.
func (r *reader) Next(ctx context.Context, b *vec.Batch) (int, bool, error) {
	b.Reset()
	if err := ctx.Err(); err != nil {
		return 0, false, context.Cause(ctx)
	}
	if i, ok := r.take(b); ok {
		return i, r.parts[i].ended, nil
	}
	timer := r.ctx.Clock.After(r.pause())
	// The clock may have moved before the timer was set.
	if i, ok := r.take(b); ok {
		return i, r.parts[i].ended, nil
	}
	select {
	case <-timer:
	case <-r.ctx.Wake:
	case <-ctx.Done():
		return 0, false, context.Cause(ctx)
	}
	if i, ok := r.take(b); ok {
		return i, r.parts[i].ended, nil
	}
	return 0, false, nil
}

// take fills b from the next split that may make rows, or ends it.
func (r *reader) take(b *vec.Batch) (split int, ok bool) {
	for range r.parts {
		i := r.turn
		r.turn = (r.turn + 1) % len(r.parts)
		p := &r.parts[i]
		n := min(r.allowed(p)-p.at, batchRows)
		if p.ended || n <= 0 && p.at < p.end {
			continue
		}
		r.fill(b, p, int(n))
		p.ended = p.at >= p.end
		return i, true
	}
	return 0, false
}

// allowed is the number of rows that the rate lets a split have made by now.
func (r *reader) allowed(p *part) int64 {
	elapsed := r.ctx.Clock.Now().Sub(r.begin)
	perSplit := float64(r.rate) / float64(p.n)
	return min(p.base+int64(perSplit*elapsed.Seconds()), p.end)
}

// pauseMin keeps batches from becoming a row each at a high rate.
const pauseMin = 10 * time.Millisecond

// pause is the time until the next row, at most 50 ms.
func (r *reader) pause() time.Duration {
	d := 50 * time.Millisecond
	for _, p := range r.parts {
		if !p.ended {
			d = min(d, max(time.Second*time.Duration(p.n)/time.Duration(r.rate), pauseMin))
		}
	}
	return d
}

func (r *reader) fill(b *vec.Batch, p *part, n int) {
	if n <= 0 {
		return
	}
	r.keys = r.keys[:0]
	for i := range int64(n) {
		r.keys = append(r.keys, uint64(p.k+(p.at+i)*p.n))
	}
	now := r.ctx.Clock.Now()
	for c, col := range r.columns {
		col.fill(b.Cols[c], r.keys, now)
	}
	b.N = n
	p.at += int64(n)
}

func (r *reader) Positions() []exec.Split {
	var all []exec.Split
	for _, p := range r.parts {
		all = append(all, exec.Split{ID: fmt.Sprintf("%d/%d", p.k, p.n), Position: strconv.AppendInt(nil, p.at, 10)})
	}
	return all
}

func (r *reader) Completed(context.Context, []exec.Split) error { return nil }
func (r *reader) Close() error                                  { return nil }
