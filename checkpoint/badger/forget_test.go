package badger

import (
	"path/filepath"
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/storetest"
)

// TestForget: with everything unsynced lost, a stored checkpoint is whole,
// and the suite holds (it never counts on what was not synced).
func TestForget(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Open {
		dir := filepath.Join(t.TempDir(), "job")
		return func(j checkpoint.Job) (checkpoint.Store, error) {
			return OpenWrapped(dir, j, func(e checkpoint.Engine) checkpoint.Engine { return storetest.NewForget(e) })
		}
	})
}

// TestSkipSync shows that the wrapper would catch a store that does not sync:
// its Save returns nil, and after the crash the checkpoint is not there.
func TestSkipSync(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job")
	var f *storetest.Forget
	s, err := OpenWrapped(dir, storetest.Job, func(e checkpoint.Engine) checkpoint.Engine {
		f = storetest.NewForget(e)
		return f
	})
	must(t, err)
	must(t, s.Save(meta(1)))
	f.SkipSync = true
	must(t, s.Save(meta(2)))
	must(t, s.SaveOutcomes([]checkpoint.Outcome{{Committable: tx(2), Status: checkpoint.Committed}}))
	must(t, s.Close())
	s = open(t, dir)
	if m, err := s.Latest(); err != nil || m.ID != 1 {
		t.Fatal(m, err)
	}
	must(t, s.Close())
}
