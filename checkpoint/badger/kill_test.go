package badger

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/storetest"
)

const childEnv = "SQLSTREAM_BADGER_KILL_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		fmt.Println("error", child(dir))
		os.Exit(1)
	}
	if dir := os.Getenv(openEnv); dir != "" {
		fmt.Println("error", openAgainAndAgain(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// content is what chunk n of checkpoint id holds.
func content(id checkpoint.ID, n int) []byte {
	return bytes.Repeat([]byte{byte(id), byte(n)}, 10_000*(1+n))
}

func tx(id checkpoint.ID) checkpoint.Committable {
	return checkpoint.Committable{Writer: checkpoint.Subtask{UID: "u2"}, Checkpoint: id, Payload: []byte("tx")}
}

// child takes checkpoints until it is killed, and says what is durable.
func child(dir string) error {
	s, err := Open(dir, storetest.Job)
	if err != nil {
		return err
	}
	for id := s.NextID(); ; id++ {
		if err := s.Begin(id); err != nil {
			return err
		}
		m := meta(id)
		for n := range 5 {
			ref, err := s.PutChunk(content(id, n))
			if err != nil {
				return err
			}
			m.Operators[0].Chunks = append(m.Operators[0].Chunks, ref)
		}
		m.Pending = []checkpoint.Committable{tx(id)}
		if err := s.Save(m); err != nil {
			return err
		}
		fmt.Println("saved", id)
		o := checkpoint.Outcome{Committable: tx(id), Status: checkpoint.Committed,
			Journal: []checkpoint.Entry{{Key: "expected", Value: fmt.Append(nil, id)}}}
		if err := s.SaveOutcomes([]checkpoint.Outcome{o}); err != nil {
			return err
		}
		fmt.Println("settled", id)
		if err := s.Retain(2); err != nil {
			return err
		}
	}
}

// TestKill kills the child again and again, at any point: what it said was
// durable is there, whole, and IDs and references go on.
func TestKill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job")
	var before checkpoint.ID
	for round := range 8 {
		saved, settled := killed(t, dir, 1+rand.IntN(12))
		s := open(t, dir)
		m, err := s.Latest()
		must(t, err)
		if m == nil || m.ID < saved || saved <= before || s.NextID() <= m.ID {
			t.Fatalf("round %d: saved %d, before %d, found %+v", round, saved, before, m)
		}
		before = m.ID
		for n, ref := range m.Chunks() {
			got, err := s.GetChunk(ref)
			must(t, err)
			if !bytes.Equal(got, content(m.ID, n)) {
				t.Fatalf("chunk %d of checkpoint %d differs", n, m.ID)
			}
		}
		expected, err := s.Journal("u2").Get("expected")
		must(t, err)
		if isSettled := len(m.Pending) == 0; settled == m.ID && !isSettled || isSettled != (string(expected) == fmt.Sprint(m.ID)) {
			t.Fatalf("settled %d, pending of %d: %v, journal %s", settled, m.ID, m.Pending, expected)
		}
		must(t, s.Close())
	}
}

// killed runs the child, kills it after some lines, and returns what the last
// ones were.
func killed(t *testing.T, dir string, lines int) (saved, settled checkpoint.ID) {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	r := bufio.NewReader(out)
	for n := 0; ; n++ {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			break
		}
		must(t, err)
		var what string
		var id checkpoint.ID
		if _, err := fmt.Sscan(line, &what, &id); err != nil {
			t.Fatalf("child: %s", line)
		}
		switch what {
		case "saved":
			saved = id
		case "settled":
			settled = id
		}
		if n == lines {
			must(t, cmd.Process.Kill())
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the child was not killed")
	}
	return saved, settled
}

// TestKilledWhileAFileIsMadeOrDeleted: Badger does not open a database with
// an empty memtable or log.
func TestKilledWhileAFileIsMadeOrDeleted(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, storetest.Job)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Begin(1), s.Close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"00001.mem", "00099.mem", "000099.vlog"} {
		if err := os.WriteFile(filepath.Join(dir, dbName, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err = Open(dir, storetest.Job)
	if err != nil {
		t.Fatal(err)
	}
	if id := s.NextID(); id != 2 {
		t.Errorf("the next checkpoint is %d, expected 2", id)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

const openEnv = "SQLSTREAM_BADGER_OPEN_DIR"

// openAgainAndAgain is a child that opens and closes the directory.
func openAgainAndAgain(dir string) error {
	for {
		s, err := Open(dir, storetest.Job)
		if err != nil {
			return err
		}
		if err := errors.Join(s.Begin(s.NextID()), s.Close()); err != nil {
			return err
		}
	}
}

// TestKilledWhileItOpens kills processes at any moment of an open, the first
// one of a directory included, or of a close.
func TestKilledWhileItOpens(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "0")
	for i := range 24 {
		if i%4 == 0 {
			dir = filepath.Join(t.TempDir(), fmt.Sprint(i))
		}
		var out bytes.Buffer
		cmd := exec.Command(self)
		cmd.Env, cmd.Stdout = append(os.Environ(), openEnv+"="+dir), &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(10+rand.IntN(50))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		timer.Stop()
		if out.Len() > 0 {
			t.Fatalf("kill %d: %s", i, &out)
		}
	}
}
