package broker

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func produce(t *testing.T, value string, opts ...kgo.Opt) {
	t.Helper()
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.ProduceSync(context.Background(), &kgo.Record{Topic: "t", Value: []byte(value)}).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

func TestCloseKeepsDataAndTopics(t *testing.T) {
	dir := t.TempDir()
	b, err := Start(Options{DataDir: dir, Topics: []Topic{{Name: "t"}}})
	if err != nil {
		t.Fatal(err)
	}
	produce(t, "kept", kgo.SeedBrokers(b.Addr()))
	b.Close()

	b, err = Start(Options{DataDir: dir, Topics: []Topic{{Name: "t"}, {Name: "later", Partitions: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if p := b.Cluster().PartitionInfo("t", 0); p == nil || p.HighWatermark != 1 {
		t.Fatalf("partition after restart: %+v, want one record", p)
	}
	if n := len(b.Cluster().PartitionInfos("later")); n != 3 {
		t.Fatalf("a topic added at a later start has %d partitions, want 3", n)
	}
}

// TestMadeTopicsAreWrittenDown: a topic that a client had made is on disk
// before the broker is closed.
func TestMadeTopicsAreWrittenDown(t *testing.T) {
	dir := t.TempDir()
	b, err := Start(Options{DataDir: dir, AutoCreate: true, DefaultPartitions: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	produce(t, "v", kgo.SeedBrokers(b.Addr()), kgo.AllowAutoTopicCreation())
	text, err := os.ReadFile(filepath.Join(dir, "topics.json"))
	if err != nil || !strings.Contains(string(text), `"name":"t"`) || !strings.Contains(string(text), `"partitions":2`) {
		t.Errorf("topics.json holds %s, error %v", text, err)
	}
}

func TestRefusesAddressesThatClientsCannotUse(t *testing.T) {
	for _, addr := range []string{"9092", ":9092", "0.0.0.0:9092"} {
		b, err := Start(Options{Listen: addr})
		if err == nil {
			b.Close()
			t.Fatalf("%q was accepted", addr)
		}
		if !strings.Contains(err.Error(), addr) {
			t.Errorf("error %q does not name %q", err, addr)
		}
	}
}

func TestPipeLetsFakeTimePass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipe := NewPipe()
		b, err := Start(Options{Listen: "127.0.0.1:9092", ListenFn: pipe.Listen, Topics: []Topic{{Name: "t"}}})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		begin := time.Now()
		produce(t, "v", kgo.SeedBrokers(b.Addr()), kgo.Dialer(pipe.DialContext))
		time.Sleep(time.Hour)
		if d := time.Since(begin); d < time.Hour {
			t.Fatalf("only %v passed", d)
		}
	})
}
