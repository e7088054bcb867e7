package session

import (
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint"
)

// TestTransactionsFollowReplacements: one that was written anew is listed
// beside the one that was lost.
func TestTransactionsFollowReplacements(t *testing.T) {
	s, err := checkpoint.NewMemStore(checkpoint.Job{Name: "j"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	make := func(name string) checkpoint.Committable {
		return checkpoint.Committable{Writer: checkpoint.Subtask{UID: "sink"}, Checkpoint: 1, Payload: []byte(name)}
	}
	old, anew := make("old"), make("anew")
	if err := s.Begin(1); err != nil {
		t.Fatal(err)
	}
	m := &checkpoint.Metadata{Header: checkpoint.Header{RunID: s.RunID()}, ID: 1, Pending: []checkpoint.Committable{old}}
	if err := s.Save(m); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveOutcomes([]checkpoint.Outcome{{Committable: old, Status: checkpoint.Replaced, Replacement: &anew}}); err != nil {
		t.Fatal(err)
	}
	list, err := Transactions(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].State != "replaced" || !list[1].Pending() || string(list[1].Payload) != "anew" {
		t.Fatalf("got %+v", list)
	}
}
