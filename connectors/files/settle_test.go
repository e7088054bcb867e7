package files

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/conntest"
	"github.com/sqlstream/sqlstream/exec"
)

// stopped is a sink whose job died with two finished files pending and a
// third one unfinished.
type stopped struct {
	t       *testing.T
	folder  string
	journal *conntest.Journal
	ctx     exec.SinkContext
	settler connectors.Settler
	pending []exec.Committable
	names   []string // of the hidden files
}

func newStopped(t *testing.T) *stopped {
	t.Helper()
	s := &stopped{t: t, folder: t.TempDir(), journal: conntest.NewJournal()}
	s.ctx = exec.SinkContext{JobName: "job", UID: "u", RunID: "run", Journal: s.journal}
	two := &sink{&sinkTable{path: s.folder}}
	if _, err := two.Committer(t.Context(), s.ctx); err != nil {
		t.Fatal(err)
	}
	for i, number := range []string{"1", "2", "3"} {
		name := hiddenPrefix(s.ctx) + number + unfinished
		s.names = append(s.names, name)
		if err := os.WriteFile(filepath.Join(s.folder, name), []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if i < 2 {
			id := checkpoint.ID(i + 1)
			p := pending{temp: name, final: finalName(s.ctx, 0, id), rows: int64(10 + i)}
			s.pending = append(s.pending, exec.Committable{Writer: checkpoint.Subtask{UID: "u"}, Checkpoint: id, Version: pendingVersion, Payload: p.encode()})
		}
	}
	note, err := connectors.ReadSinkNote(s.journal)
	if err != nil || note == nil {
		t.Fatal(note, err)
	}
	s.settler, err = connectors.OpenSettler(connectors.SinkRef{Connector: note.Connector, UID: "u", JobName: "job", RunID: "run", Options: note.Options, Journal: s.journal})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.settler.Close() })
	return s
}

func (s *stopped) settle(n int, commit, force bool) (exec.Outcome, error) {
	s.t.Helper()
	o, err := s.settler.Settle(s.t.Context(), connectors.Settlement{Pending: s.pending, Index: n, Commit: commit, Force: force})
	if o.Final() {
		s.pending = slices.Delete(slices.Clone(s.pending), n, n+1)
		if err := s.journal.Store([]exec.Outcome{o}); err != nil {
			s.t.Fatal(err)
		}
	}
	return o, err
}

func (s *stopped) files() []string {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// resumes is the start of the job after that.
func (s *stopped) resumes() {
	s.t.Helper()
	two := &sink{&sinkTable{path: s.folder}}
	c, err := two.Committer(s.t.Context(), s.ctx)
	if err == nil {
		err = c.Start(s.t.Context(), s.pending)
	}
	if err == nil {
		_, err = c.Commit(s.t.Context(), s.pending)
	}
	if err == nil {
		err = c.Recover(s.t.Context(), nil)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func TestSettleShows(t *testing.T) {
	s := newStopped(t)
	w, err := s.settler.Describe(s.pending[1])
	if err != nil || w.ID != s.names[1] || w.Rows != 11 || w.Started.IsZero() || w.Partitions[0] != filepath.Join(s.folder, "part-run-u-0-2") {
		t.Fatal(w, err)
	}
	list, err := s.settler.Cluster(t.Context())
	if err != nil || len(list) != 3 || list[2].ID != s.names[2] || !list[2].Open {
		t.Fatal(list, err)
	}
}

// TestSettleByHand: the later file first; then the job goes on.
func TestSettleByHand(t *testing.T) {
	s := newStopped(t)
	if o, err := s.settle(1, true, false); err != nil || o.Status != checkpoint.Committed {
		t.Fatal(o, err)
	}
	var lose *connectors.WouldLoseError
	if o, err := s.settle(0, false, false); !errors.As(err, &lose) || o.Final() || !strings.Contains(err.Error(), "10 rows of checkpoint 1") {
		t.Fatal(o, err)
	}
	if o, err := s.settle(0, false, true); err != nil || o.Status != checkpoint.Lost || o.Records != 10 {
		t.Fatal(o, err)
	}
	if err := s.settler.AbortOpen(t.Context(), s.names[2], s.pending); err != nil {
		t.Fatal(err)
	}
	s.resumes()
	if got, want := s.files(), []string{"part-run-u-0-2"}; !slices.Equal(got, want) {
		t.Fatalf("files are %v, want %v", got, want)
	}
}

// TestSettleGone: a hidden file that somebody removed cannot be committed; to
// abort it accepts the loss. One that is in place stays there.
func TestSettleGone(t *testing.T) {
	s := newStopped(t)
	if err := errors.Join(os.Remove(filepath.Join(s.folder, s.names[0])),
		os.Rename(filepath.Join(s.folder, s.names[1]), filepath.Join(s.folder, "part-run-u-0-2"))); err != nil {
		t.Fatal(err)
	}
	if o, err := s.settle(1, false, true); err != nil || o.Status != checkpoint.Committed || len(o.Journal) == 0 {
		t.Fatal(o, err)
	}
	var lose *connectors.WouldLoseError
	if o, err := s.settle(0, true, true); !errors.As(err, &lose) || o.Final() || !strings.Contains(err.Error(), "is gone") {
		t.Fatal(o, err)
	}
	if o, err := s.settle(0, false, false); err != nil || o.Status != checkpoint.Lost || o.Fatal {
		t.Fatal(o, err)
	}
	s.resumes()
}

// TestSettleRefuses: what is not this sink's, and a copy of the directory that
// is not the latest one, before anything is touched.
func TestSettleRefuses(t *testing.T) {
	s := newStopped(t)
	for _, id := range []string{"part-x", hiddenPrefix(exec.SinkContext{JobName: "other", UID: "u"}) + "1" + unfinished, "../" + s.names[2]} {
		if err := s.settler.AbortOpen(t.Context(), id, s.pending); err == nil || !strings.Contains(err.Error(), "not one of this sink") {
			t.Errorf("%s: %v", id, err)
		}
	}
	if err := os.WriteFile(filepath.Join(s.folder, "part-run-u-0-7"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	before := s.files()
	_, err := s.settle(0, false, true)
	if err == nil || !strings.Contains(err.Error(), "not the latest one") {
		t.Fatal(err)
	}
	if err := s.settler.AbortOpen(t.Context(), s.names[2], s.pending); err == nil || !strings.Contains(err.Error(), "not the latest one") {
		t.Fatal(err)
	}
	if after := s.files(); !slices.Equal(before, after) {
		t.Fatalf("files were %v, and are %v", before, after)
	}
}
