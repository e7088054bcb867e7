package txnlog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/badger"
	"github.com/sqlstream/sqlstream/connectors/kafka/recordbatch"
	"pgregory.net/rapid"
)

// newJournal is a journal in memory.
func newJournal(t testing.TB) checkpoint.Journal {
	t.Helper()
	s, err := checkpoint.NewMemStore(checkpoint.Job{Name: "j"})
	if err != nil {
		t.Fatal(err)
	}
	return s.Journal("sink")
}

func drawRecord(t *rapid.T) Record {
	bytes := rapid.Custom(func(t *rapid.T) []byte {
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return []byte{}
		}
		return rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "bytes")
	})
	r := Record{Partition: rapid.Int32Range(0, 1<<20).Draw(t, "partition"), Millis: rapid.Int64().Draw(t, "millis"), Key: bytes.Draw(t, "key"), Value: bytes.Draw(t, "value")}
	for range rapid.IntRange(0, 2).Draw(t, "headers") {
		r.Headers = append(r.Headers, recordbatch.Header{Key: rapid.StringN(0, 5, -1).Draw(t, "name"), Value: bytes.Draw(t, "header")})
	}
	return r
}

// TestRoundTrip: null and empty are kept apart, the order is kept.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.SliceOfN(rapid.Custom(drawRecord), 1, 20).Draw(rt, "records")
		var chunk []byte
		for i := range want {
			chunk = appendRecord(chunk, &want[i])
		}
		got, err := decodeChunk(seal(chunk), nil)
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			rt.Fatal(d)
		}
	})
}

// TestChunkFormat pins version 1.
func TestChunkFormat(t *testing.T) {
	r := Record{Partition: 1, Millis: 100, Key: nil, Value: []byte("v"), Headers: []recordbatch.Header{{Key: "h", Value: []byte{}}}}
	const want = "02" + "c801" + "01" + "0276" + "02" + "0268" + "00"
	got := fmt.Sprintf("%x", appendRecord(nil, &r))
	if c := seal(appendRecord(nil, &r)); got != want || fmt.Sprintf("%x", c[:len(c)-4]) != "01"+"0a24"+want {
		t.Fatalf("version 1 is now %s in %x, was %s: make a version 2", got, c, want)
	}
}

func FuzzDecodeChunk(f *testing.F) {
	f.Add(appendRecord(nil, &Record{Key: []byte("k"), Headers: []recordbatch.Header{{Key: "h"}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		records, err := decodeChunk(seal(b), nil)
		if err == nil && len(records) > len(b) {
			t.Fatalf("%d records of %d bytes", len(records), len(b))
		}
	})
}

func write(t testing.TB, l *Log, name string, n int) {
	t.Helper()
	ctx := context.Background()
	l.Begin(name)
	value, random := make([]byte, 1000), rand.NewChaCha8([32]byte{})
	for i := range n {
		random.Read(value) // so that nothing is gained by packing
		l.Append(0, int64(i), nil, value, nil)
		if err := l.Push(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.End(ctx); err != nil {
		t.Fatal(err)
	}
}

func count(t testing.TB, j checkpoint.Journal, name string) int {
	t.Helper()
	next := int64(0)
	err := Read(j, name, func(records []Record) error {
		for _, r := range records {
			if r.Millis != next {
				t.Fatalf("record %d, want %d", r.Millis, next)
			}
			next++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return int(next)
}

// TestLogOfManyChunks writes, keeps, drops and sweeps logs.
func TestLogOfManyChunks(t *testing.T) {
	t.Run("memory", func(t *testing.T) { manyChunks(t, newJournal(t)) })
	t.Run("badger", func(t *testing.T) {
		s, err := badger.Open(t.TempDir(), checkpoint.Job{Name: "j"})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		manyChunks(t, s.Journal("sink"))
	})
}

func manyChunks(t *testing.T, j checkpoint.Journal) {
	const records = 3000 // 3 MB that cannot be packed
	u := NewUsage(1 << 30)
	l := New(j, u)
	ctx := context.Background()
	for _, name := range []string{"a/1", "a/1/2", "b"} { // one name is the beginning of another
		write(t, l, name, records)
		if err := l.Sync(ctx, 1, false); err != nil {
			t.Fatal(err)
		}
		if n := count(t, j, name); n != records {
			t.Fatalf("%s holds %d records when Sync returns", name, n)
		}
		l.Keep(1)
	}
	full := u.total()
	if err := l.Drop(ctx, "a/1"); err != nil {
		t.Fatal(err)
	}
	if err := l.Drop(ctx, "of another writer"); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if a, b := count(t, j, "a/1"), count(t, j, "a/1/2"); a != 0 || b != records || u.total() >= full {
		t.Fatalf("after Drop of the first: %d, %d records, %d bytes of %d", a, b, u.total(), full)
	}
	if err := Sweep(j, map[string]bool{"b": true}); err != nil {
		t.Fatal(err)
	}
	if a, b := count(t, j, "a/1/2"), count(t, j, "b"); a != 0 || b != records {
		t.Fatalf("after Sweep: %d, %d records", a, b)
	}
	if err := Sweep(j, nil); err != nil {
		t.Fatal(err)
	}
	if err := j.Scan("", func(key string, _ []byte) error { return errors.New(key + " is left") }); err != nil {
		t.Fatal(err)
	}
}

// failing is a journal whose n-th write fails.
type failing struct {
	checkpoint.Journal
	mu  sync.Mutex
	n   int
	err error
}

func (f *failing) Put(key string, value []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n--; f.n == 0 {
		return f.err
	}
	return f.Journal.Put(key, value)
}

// TestGapIsNeverHidden: after a chunk that was not written no later one is,
// and Sync says so, until another transaction begins.
func TestGapIsNeverHidden(t *testing.T) {
	for _, c := range []struct {
		err      error
		declines bool
	}{{checkpoint.ErrNoSpace, true}, {errors.New("disk on fire"), false}} {
		j := &failing{Journal: newJournal(t), n: 2, err: c.err}
		l := New(j, NewUsage(1<<30))
		write(t, l, "a", 1000)
		err := l.Sync(context.Background(), 1, false)
		if !errors.Is(err, c.err) || Declines(err) != c.declines {
			t.Fatalf("got %v, declines: %v", err, Declines(err))
		}
		if v, err := j.Get(chunkKey("a", 2)); v != nil || err != nil {
			t.Fatal("a chunk was written after the gap", err)
		}
		write(t, l, "b", 10)
		if err := l.Sync(context.Background(), 1, false); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLimit: beyond it Sync declines while an earlier checkpoint's log may make
// room, but Final, and one that has all to itself, may use what the slack has
// taken; beyond the slack nothing is logged any more.
func TestLimit(t *testing.T) {
	ctx := context.Background()
	shared := NewUsage(400_000)
	l, other := New(newJournal(t), shared), New(newJournal(t), shared)
	defer l.Close()
	defer other.Close()
	write(t, l, "a", 100)
	if err := l.Sync(ctx, 1, false); err != nil {
		t.Fatal(err)
	}
	l.Keep(1)
	write(t, l, "b", 300)
	write(t, other, "c", 200)
	var full *FullError
	if err := l.Sync(ctx, 2, false); !errors.As(err, &full) || full.Limit != 400_000 || !Declines(err) {
		t.Fatalf("got %v", err)
	}
	if err := l.Sync(ctx, 2, true); err != nil {
		t.Fatalf("final: %v", err)
	}
	if err := l.Drop(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	for _, log := range []*Log{l, other} {
		if err := log.Sync(ctx, 3, false); err != nil {
			t.Fatalf("with nothing of an earlier checkpoint left: %v", err)
		}
		log.Keep(3)
	}
	u := NewUsage(400_000)
	over := New(newJournal(t), u)
	defer over.Close()
	write(t, over, "b", 3000)
	if err := over.Sync(ctx, 1, true); !errors.As(err, &full) {
		t.Fatalf("final beyond the slack: %v", err)
	}
	if u.total() > slack*400_000+chunkBytes+2000 {
		t.Fatalf("%d bytes were logged", u.total())
	}
}

// TestAsksForCheckpoint: when half of the limit is open, and again after each
// quarter more; what is pre-committed does not count.
func TestAsksForCheckpoint(t *testing.T) {
	u := NewUsage(1000)
	for i, step := range []struct {
		add, keep int64
		want      bool
	}{{400, 0, false}, {200, 0, true}, {100, 0, false}, {200, 0, true}, {0, 500, false}, {50, 0, false}, {100, 0, true}, {0, 550, false}, {501, 0, true}} {
		u.add(step.add)
		u.keep(1, step.keep)
		if got := u.WantsCheckpoint(); got != step.want || u.WantsCheckpoint() {
			t.Fatalf("step %d: asks %v, want %v once; %d open", i, got, step.want, u.open)
		}
	}
	u.Started(false)
	if u.add(400); u.WantsCheckpoint() || u.Presses() {
		t.Fatal("a start begins with an empty log")
	}
	// A checkpoint that was declined is asked for again when there is room.
	u.keep(1, 400)
	u.add(700)
	if !u.WantsCheckpoint() || !u.Presses() || u.room(2, 0, false) == nil || u.WantsCheckpoint() {
		t.Fatal("a log that is full asks, and declines")
	}
	u.drop(1, 400)
	if !u.WantsCheckpoint() || u.Presses() || u.room(3, 0, false) != nil {
		t.Fatal("what was declined is not asked for again when there is room")
	}
}

// TestStopsAfterRestarts: a log that is full again and again stops the job,
// unless something is committed in between.
func TestStopsAfterRestarts(t *testing.T) {
	u := NewUsage(1000)
	full := func(want bool) {
		t.Helper()
		u.keep(1, 1)
		u.add(1500)
		var f *FullError
		if err := u.room(2, 0, false); !errors.As(err, &f) || f.Stop != want || Declines(err) == want {
			t.Fatalf("got %v, want that it stops the job: %v", err, want)
		}
	}
	attempts := func(progress func()) {
		t.Helper()
		for range maxRestarts {
			full(false)
			u.Started(false)
		}
		progress()
	}
	attempts(func() { u.Started(true) })
	attempts(func() { u.drop(1, 1) })
	attempts(func() {})
	full(true)
	u.Started(false) // a restart for another reason does not help
	full(true)
	quiet := NewUsage(1000)
	for range 10 { // restarts that have nothing to do with the log
		quiet.add(100)
		quiet.Started(false)
	}
	quiet.keep(1, 1)
	quiet.add(1500)
	if err := quiet.room(2, 0, false); !Declines(err) {
		t.Fatal(err)
	}
}

// TestCorruptChunk is refused, not written anew.
func TestCorruptChunk(t *testing.T) {
	j := newJournal(t)
	l := New(j, NewUsage(1<<30))
	write(t, l, "a", 10)
	if err := l.Sync(context.Background(), 1, false); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	v, err := j.Get(chunkKey("a", 0))
	if err != nil {
		t.Fatal(err)
	}
	v = slices.Clone(v)
	v[len(v)/2] ^= 1
	if err := j.Put(chunkKey("a", 0), v); err != nil {
		t.Fatal(err)
	}
	err = Read(j, "a", func([]Record) error { return nil })
	if !errors.Is(err, errCorrupt) {
		t.Fatalf("got %v", err)
	}
}
