package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What the comparison is there to show: under the same crashes none loses
// rows, at-least-once repeats some, and the two others neither; the repeats of
// exactly-once are seen by a read_uncommitted consumer only.
func TestCompare(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 40 s, most of it waiting")
	}
	t.Parallel()
	path := programFile(t)
	cmd := exec.CommandContext(t.Context(), path, "compare", "--json", "--seed", "7")
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	var rows []comparison
	if err := json.Unmarshal(out.Bytes(), &rows); err != nil || len(rows) != len(variants) {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, r := range rows {
		loses, repeats := r.Guarantee == "none", r.Guarantee == "none" || r.Guarantee == "at-least-once"
		if r.Expected != 27_004 || r.Crashes != len(strikes) || r.P50 <= 0 || r.P99 < r.P50 {
			t.Errorf("%s: %+v", r.Guarantee, r)
		}
		if (r.Committed.Lost > 0) != loses || (r.Committed.Duplicated > 0) != repeats {
			t.Errorf("%s: %d lost, %d duplicated", r.Guarantee, r.Committed.Lost, r.Committed.Duplicated)
		}
		if r.Guarantee == "exactly-once" && r.Dirty.Duplicated == 0 {
			t.Error("a read_uncommitted consumer saw no row twice under exactly-once")
		}
	}
	if t.Failed() {
		t.Log(log.String())
	}
}

// programFile is the test binary as a file of the name by which it is
// sqlstream (see TestMain): the program starts itself by its own path.
func programFile(t *testing.T) string {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sqlstream")
	if os.Link(self, path) == nil {
		return path
	}
	binary, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(path, binary, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}
