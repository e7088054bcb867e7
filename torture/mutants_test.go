//go:build mutants

package torture

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint/mutant"
)

// TestMutantsAreCaught runs, for each broken rule, the faults that should see
// it, in a process of its own, and demands that they fail; and that the same
// faults pass when no rule is broken.
func TestMutantsAreCaught(t *testing.T) {
	for m, faults := range map[mutant.Mutant]string{
		mutant.AssumeCommitted: "TestFault11TimedOutWhileDown|TestFault23MarkerOfAnEarlierRun",
		mutant.WriteAgain:      "TestFault24FencedAfterCommitWithLog",
		mutant.ReuseEarly:      "TestFault09DroppedRequestsAndAnswers",
		mutant.CommitEarly:     "TestFault03BeforeMetadataIsStored",
		mutant.SkipSync:        "TestFault06CommittedOutcomeNotStored",
		mutant.DropAborted:     "TestFault15AbortedCheckpoint",
		mutant.ProveByID:       "TestFault23MarkerOfAnEarlierRun",
		mutant.IgnoreTopicIDs:  "TestFault17TopicMadeAgain",
		mutant.KeepSettled:     "TestFault20AckedBeforeTheOutcome",
	} {
		t.Run(string(m), func(t *testing.T) {
			if out, err := underMutant("", faults); err != nil {
				t.Fatalf("%s fail without any mutant:\n%s", faults, out)
			}
			out, err := underMutant(m, faults)
			if err == nil {
				t.Fatalf("%s do not see %s", faults, m)
			}
			t.Log(firstFailure(out))
		})
	}
}

func underMutant(m mutant.Mutant, faults string) (string, error) {
	cmd := exec.Command(os.Args[0], "-test.run=^("+faults+")$", "-test.failfast", "-test.timeout=100s")
	cmd.Env = append(os.Environ(), mutant.Env+"="+string(m))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// firstFailure is the line that says what was seen.
func firstFailure(out string) string {
	for l := range strings.Lines(out) {
		if strings.Contains(l, "_test.go:") || strings.HasPrefix(l, "panic:") {
			return strings.TrimSpace(l)
		}
	}
	return out
}
