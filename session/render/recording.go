package render

import (
	"context"
	"sync"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/session"
)

// Recording is an Output that keeps the last result, for tests: each change
// as "+I<TAB>[…]", by AppendRow. Its Capture records a sink's rows as the
// result.
type Recording struct {
	mu      sync.Mutex
	columns []types.Field
	changes []string
	// Notices are the lines for people.
	Notices []string
}

func (r *Recording) Begin(columns []types.Field, _ bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.columns, r.changes = columns, nil
	return nil
}

func (r *Recording) Rows(b *vec.Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, i := range b.Rows() {
		line := append([]byte(b.Op(int(i)).String()), '\t')
		r.changes = append(r.changes, string(AppendRow(line, r.columns, b, int(i))))
	}
	return nil
}

func (r *Recording) End(session.Summary) error { return nil }

func (r *Recording) Notice(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Notices = append(r.Notices, text)
}

// Schema is a line "name TYPE" a column.
func (r *Recording) Schema() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := make([]string, len(r.columns))
	for i, c := range r.columns {
		lines[i] = c.Name + " " + c.Type.String()
	}
	return lines
}

// Changes are the recorded lines.
func (r *Recording) Changes() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.changes...)
}

// Capture is for session.Options.
func (r *Recording) Capture(columns []types.Field) exec.Sink {
	_ = r.Begin(columns, true)
	return recordingSink{r}
}

type recordingSink struct{ *Recording }

func (s recordingSink) Writer(context.Context, exec.SinkContext) (exec.Writer, error) {
	return recordingWriter(s), nil
}

type recordingWriter struct{ *Recording }

func (w recordingWriter) Write(_ context.Context, b *vec.Batch) error { return w.Rows(b) }
func (w recordingWriter) Flush(context.Context) error                 { return nil }
func (w recordingWriter) Close() error                                { return nil }
