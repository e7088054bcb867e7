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
	for pass := 0; ; pass++ {
		for range r.parts {
			i := r.turn
			r.turn = (r.turn + 1) % len(r.parts)
			p := &r.parts[i]
			if p.ended {
				continue
			}
			n := min(r.allowed(p)-p.at, batchRows)
			if n <= 0 && p.at < p.end {
				continue
			}
			r.fill(b, p, int(n))
			p.ended = p.at >= p.end
			return i, p.ended, nil
		}
		if pass > 0 || !r.wait(ctx) {
			return 0, false, context.Cause(ctx)
		}
	}
}

// allowed is the number of rows that the rate lets a split have made by now.
func (r *reader) allowed(p *part) int64 {
	elapsed := r.ctx.Clock.Now().Sub(r.begin)
	perSplit := float64(r.rate) / float64(p.n)
	return min(p.base+int64(perSplit*elapsed.Seconds()), p.end)
}

// wait returns false if the wait was cut short.
func (r *reader) wait(ctx context.Context) bool {
	d := 50 * time.Millisecond
	for _, p := range r.parts {
		if !p.ended {
			d = min(d, max(time.Second*time.Duration(p.n)/time.Duration(r.rate), time.Millisecond))
		}
	}
	select {
	case <-r.ctx.Clock.After(d):
		return true
	case <-r.ctx.Wake:
	case <-ctx.Done():
	}
	return false
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
