package torture

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMain(m *testing.M) {
	MaybeChild()
	os.Exit(m.Run())
}

// TestKillNine kills real processes with SIGKILL at steps of faults 1 to 7,
// with Badger as their directory: to Kafka and to files.
func TestKillNine(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for _, p := range []point{{"write", true}, {"precommit", true}, {"chunks", true}, {"metadata", true}, {"LATEST", false}, {"commit", false}, {"commit", true}, {"outcomes", true}} {
		for _, files := range []bool{false, true} {
			w := c.world(t, 60)
			ch := Child{World: *w, Folder: t.TempDir(), Job: twoWriters}
			if files {
				ch.Job.Files = filepath.Join(t.TempDir(), "out")
			}
			for _, die := range []Child{{Name: p.name, Nth: 2, After: p.after}, {Name: "start", Nth: 1, After: p.after}, {}} {
				ch.Name, ch.Nth, ch.After = die.Name, die.Nth, die.After
				killed, err := ch.Run(0)
				if err != nil || killed != (die.Name != "") {
					t.Fatalf("%v, then %q: killed %v, %v", p, die.Name, killed, err)
				}
			}
			if files {
				exactFiles(t, w, ch.Job.Files)
			} else {
				exact(t, w)
			}
		}
	}
}
