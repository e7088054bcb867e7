package torture

import (
	"context"
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// pace is how many rows a reader returns between two barriers: whatever the
// machine is busy with, a job has as many checkpoints as its input demands.
const pace = 8

// pacedSource is a source whose readers wait for a barrier after pace rows.
type pacedSource struct{ exec.Source }

func (s pacedSource) Reader(c exec.SourceContext, splits []exec.Split) (exec.Reader, error) {
	r, err := s.Source.Reader(c, splits)
	return &pacedReader{Reader: r, wake: c.Wake}, err
}

type pacedReader struct {
	exec.Reader
	wake <-chan struct{}
	rows int // since the last barrier
}

func (r *pacedReader) Next(ctx context.Context, b *vec.Batch) (int, bool, error) {
	if r.rows >= pace {
		b.Reset()
		select {
		case <-ctx.Done():
		case <-r.wake:
		case <-time.After(50 * time.Millisecond):
		}
		return 0, false, ctx.Err()
	}
	split, ended, err := r.Reader.Next(ctx, b)
	r.rows += b.N
	return split, ended, err
}

// Positions is asked for at each barrier.
func (r *pacedReader) Positions() []exec.Split {
	r.rows = 0
	return r.Reader.Positions()
}
