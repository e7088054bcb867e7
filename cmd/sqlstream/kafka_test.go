//go:build kafka

package main

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/kafkatest"
)

// The demo's job on a real Apache Kafka: killed three times, its result is
// what the file says.
func TestKafkaDelaysKilled(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	b := kafkatest.Require(t, kafkatest.Options{})
	for topic, partitions := range map[string]int32{"flights": 3, "delays": 1} {
		if err := kafkatest.CreateTopic(ctx, b.Addr(), topic, partitions); err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	a := &app{out: io.Discard, err: testLog{t}}
	if err := unpack(folder); err != nil {
		t.Fatal(err)
	}
	if err := a.loadFlights(ctx, folder, b.Addr()); err != nil {
		t.Fatal(err)
	}
	d := &demo{app: a, folder: folder, bootstrap: b.Addr()}
	d.job = &crashes{
		app: a, binary: program(t), file: filepath.Join(folder, "sql", "delays.sql"), stateDir: filepath.Join(folder, "state"),
		defines: map[string]string{"bootstrap": b.Addr(), "rate": "3000"},
		kills:   []kill{{2, 0, 600 * time.Millisecond}, {5, 0, 600 * time.Millisecond}, {9, 0, 600 * time.Millisecond}},
		random:  rand.New(rand.NewPCG(1, 1)),
	}
	if err := d.job.run(ctx); err != nil {
		t.Fatal(err)
	}
	want, err := expectedDelays(filepath.Join(folder, "data", "flights-2013-01.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.read(ctx, "read_committed")
	if err != nil {
		t.Fatal(err)
	}
	if lost, duplicated := difference(want, got); lost+duplicated > 0 || d.job.late > 0 {
		t.Errorf("%d windows expected, %d lost, %d duplicated, %d late rows", len(want), lost, duplicated, d.job.late)
	}
}

// program is the test binary under the name by which it is sqlstream; see
// TestMain.
func program(t *testing.T) string {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sqlstream")
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// testLog writes to the test's log.
type testLog struct{ t *testing.T }

func (l testLog) Write(b []byte) (int, error) {
	l.t.Helper()
	l.t.Log(string(b))
	return len(b), nil
}
