package checkpoint_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/storetest"
)

func TestMemDir(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Open {
		d := checkpoint.NewMemDir()
		return func(j checkpoint.Job) (checkpoint.Store, error) {
			s, err := d.Open(j)
			if err != nil {
				return nil, err
			}
			return s, nil
		}
	})
}

func open(t *testing.T, d *checkpoint.MemDir) *checkpoint.KVStore {
	t.Helper()
	s, err := d.Open(storetest.Job)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func meta(id checkpoint.ID, refs ...uint64) *checkpoint.Metadata {
	return &checkpoint.Metadata{ID: id, Operators: []checkpoint.OperatorState{{UID: "u1", Chunks: refs}}}
}

// TestCrash: what a Save covered is there, chunks put after it are not, and
// the dead store can do nothing any more.
func TestCrash(t *testing.T) {
	d := checkpoint.NewMemDir()
	s := open(t, d)
	must(t, s.Begin(1))
	saved, err := s.PutChunk([]byte("saved"))
	must(t, err)
	must(t, s.Save(meta(1, saved)))
	lost, err := s.PutChunk([]byte("lost"))
	must(t, err)
	d.Crash()
	if err := s.Save(meta(2, lost)); err == nil {
		t.Error("a dead store saves")
	}
	if s.Begin(3) == nil || s.Close() != nil {
		t.Error("a dead store begins, or cannot be closed")
	}
	s = open(t, d)
	if m, err := s.Latest(); err != nil || m.ID != 1 {
		t.Fatal(m, err)
	}
	_, err = s.GetChunk(saved)
	must(t, err)
	if _, err := s.GetChunk(lost); !errors.Is(err, checkpoint.ErrNotFound) {
		t.Error(err)
	}
}

// TestDiskFull: nothing is written, and the store is as good as before.
func TestDiskFull(t *testing.T) {
	d := checkpoint.NewMemDir()
	s := open(t, d)
	must(t, s.Begin(1))
	d.SetFull(true)
	_, chunk := s.PutChunk([]byte("x"))
	for _, err := range []error{chunk, s.Save(meta(1)), s.Begin(2)} {
		if !errors.Is(err, checkpoint.ErrNoSpace) {
			t.Error(err)
		}
	}
	d.SetFull(false)
	must(t, s.Save(meta(1)))
	must(t, s.Begin(2))
}

// TestStaleCopy: a copy goes on by itself, with the same run.
func TestStaleCopy(t *testing.T) {
	d := checkpoint.NewMemDir()
	s := open(t, d)
	must(t, s.Save(meta(1)))
	old := d.Copy()
	must(t, s.Save(meta(2)))
	c := open(t, old)
	if m, err := c.Latest(); err != nil || m.ID != 1 || c.RunID() != s.RunID() {
		t.Fatal(m, err)
	}
}

// faulty is an engine whose n-th Apply, or WriteLatest, fails.
type faulty struct {
	checkpoint.Engine
	apply, latest int // fail when it counts down to 0
	written       bool
}

var errFault = errors.New("input/output error")

func (f *faulty) Apply(e []checkpoint.Entry) error {
	if f.apply--; f.apply == 0 {
		if f.written {
			f.Engine.Apply(e)
		}
		return errFault
	}
	return f.Engine.Apply(e)
}

func (f *faulty) WriteLatest(rec []byte) error {
	if f.latest--; f.latest == 0 {
		return errFault
	}
	return f.Engine.WriteLatest(rec)
}

func openFaulty(t *testing.T, d *checkpoint.MemDir) (*checkpoint.KVStore, *faulty) {
	t.Helper()
	eng, err := d.Engine()
	must(t, err)
	f := &faulty{Engine: eng}
	s, err := checkpoint.OpenKVStore(f, "memory", storetest.Job)
	must(t, err)
	return s, f
}

// TestAmbiguousSave: Save failed, but the metadata is durable. Nothing more is
// stored or deleted, for its chunks must stay; the next open finds it.
func TestAmbiguousSave(t *testing.T) {
	d := checkpoint.NewMemDir()
	s, f := openFaulty(t, d)
	ref, err := s.PutChunk([]byte("x"))
	must(t, err)
	f.apply, f.written = 1, true
	if err := s.Save(meta(1, ref)); !errors.Is(err, errFault) || !strings.Contains(err.Error(), "metadata of checkpoint 1") {
		t.Fatal(err)
	}
	for _, err := range []error{s.Save(meta(2)), s.Retain(1)} {
		if !errors.Is(err, errFault) || !strings.Contains(err.Error(), "start the job again") {
			t.Error(err)
		}
	}
	d.Crash()
	s = open(t, d)
	if m, err := s.Latest(); err != nil || m.ID != 1 {
		t.Fatal(m, err)
	}
	_, err = s.GetChunk(ref)
	must(t, err)
}

// TestLatestFails: the metadata is durable, LATEST is not: no commit (an
// error), and whoever starts from it brings LATEST up, in the same process or
// the next.
func TestLatestFails(t *testing.T) {
	d := checkpoint.NewMemDir()
	s, f := openFaulty(t, d)
	must(t, s.Save(meta(1)))
	f.latest = 1
	if err := s.Save(meta(2)); !errors.Is(err, errFault) {
		t.Fatal(err)
	}
	behind, err := f.ReadLatest()
	must(t, err)
	if m, err := s.Latest(); err != nil || m.ID != 2 {
		t.Fatal(m, err)
	}
	if up, err := f.ReadLatest(); err != nil || string(up) == string(behind) {
		t.Fatalf("LATEST is still %q, %v", up, err)
	}
	must(t, s.Save(meta(3)))
	f.latest = 1
	if err := s.Save(meta(4)); !errors.Is(err, errFault) {
		t.Fatal(err)
	}
	behind, err = f.ReadLatest()
	must(t, err)
	d.Crash()
	s, f = openFaulty(t, d)
	if m, err := s.Latest(); err != nil || m.ID != 4 {
		t.Fatal(m, err)
	}
	if up, err := f.ReadLatest(); err != nil || string(up) == string(behind) {
		t.Fatalf("LATEST is still %q, %v", up, err)
	}
}

// tamper changes the map behind a closed store.
func tamper(t *testing.T, d *checkpoint.MemDir, f func(checkpoint.Engine) error) error {
	t.Helper()
	eng, err := d.Engine()
	must(t, err)
	must(t, f(eng))
	must(t, eng.Close())
	_, err = d.Open(storetest.Job)
	return err
}

// TestContradictions: each is refused as corrupt, with what is wrong.
func TestContradictions(t *testing.T) {
	delkey := func(prefix string) func(checkpoint.Engine) error {
		return func(e checkpoint.Engine) error {
			var keys []checkpoint.Entry
			err := e.Scan(prefix, true, func(k string, _ []byte) error {
				keys = append(keys, checkpoint.Entry{Key: k})
				return nil
			})
			return errors.Join(err, e.Apply(keys))
		}
	}
	flip := func(prefix string) func(checkpoint.Engine) error {
		return func(e checkpoint.Engine) error {
			var last checkpoint.Entry
			err := e.Scan(prefix, false, func(k string, v []byte) error {
				last = checkpoint.Entry{Key: k, Value: v}
				return nil
			})
			last.Value[len(last.Value)/2] ^= 0x40
			return errors.Join(err, e.Apply([]checkpoint.Entry{last}))
		}
	}
	for _, c := range []struct {
		name   string
		tamper func(checkpoint.Engine) error
		text   string
	}{
		{"metadata gone", delkey("meta/"), "file LATEST names checkpoint 2, the newest in the database is 0"},
		{"metadata flipped", flip("meta/"), "checkpoint 2: state directory is corrupt: checksum of checkpoint metadata is wrong"},
		{"chunk gone", delkey("chunk/"), "checkpoint 1 needs state chunk 10000000001, which is gone"},
		{"job gone", delkey("sys/job"), "there is a file LATEST but no job in the database"},
		{"job flipped", flip("sys/job"), "checksum of state directory is wrong"},
		{"counter", func(e checkpoint.Engine) error {
			return e.Apply([]checkpoint.Entry{{Key: "sys/start", Value: []byte("many")}})
		}, `key sys/start is "many", expected a number`},
		{"LATEST torn", func(e checkpoint.Engine) error { return e.WriteLatest([]byte("sqLT\x01")) }, "file LATEST is cut off at 5 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := checkpoint.NewMemDir()
			s := open(t, d)
			ref, err := s.PutChunk([]byte("x"))
			must(t, err)
			must(t, s.Save(meta(1, ref)))
			must(t, s.Save(meta(2, ref)))
			must(t, s.Close())
			err = tamper(t, d, c.tamper)
			if !errors.Is(err, checkpoint.ErrCorrupt) || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), "--fresh") {
				t.Errorf("got %v, want %q", err, c.text)
			}
		})
	}
}

// TestForeignLatest: LATEST and database of two histories.
func TestForeignLatest(t *testing.T) {
	a, b := checkpoint.NewMemDir(), checkpoint.NewMemDir()
	for _, d := range []*checkpoint.MemDir{a, b} {
		s := open(t, d)
		must(t, s.Save(meta(1)))
		must(t, s.Close())
	}
	eng, err := b.Engine()
	must(t, err)
	rec, err := eng.ReadLatest()
	must(t, err)
	err = tamper(t, a, func(e checkpoint.Engine) error { return e.WriteLatest(rec) })
	if !errors.Is(err, checkpoint.ErrCorrupt) || !strings.Contains(err.Error(), "file LATEST is of run") {
		t.Error(err)
	}
}

// TestFlippedChunk: found when it is read.
func TestFlippedChunk(t *testing.T) {
	d := checkpoint.NewMemDir()
	s := open(t, d)
	ref, err := s.PutChunk([]byte("xyz"))
	must(t, err)
	must(t, s.Save(meta(1, ref)))
	must(t, s.Close())
	err = tamper(t, d, func(e checkpoint.Engine) error {
		return e.Scan("chunk/", false, func(k string, v []byte) error {
			v[7] ^= 1
			return e.Apply([]checkpoint.Entry{{Key: k, Value: v}})
		})
	})
	must(t, err)
	d.Crash()
	if _, err := open(t, d).GetChunk(ref); !errors.Is(err, checkpoint.ErrCorrupt) || !strings.Contains(err.Error(), "state chunk 10000000001") {
		t.Error(err)
	}
}

// TestInspect: another job's directory, no start counted.
func TestInspect(t *testing.T) {
	d := checkpoint.NewMemDir()
	eng, err := d.Engine()
	must(t, err)
	if _, err := checkpoint.InspectKVStore(eng, "memory"); !errors.Is(err, checkpoint.ErrNotFound) {
		t.Error(err)
	}
	must(t, eng.Close())
	s := open(t, d)
	must(t, s.Save(meta(1)))
	must(t, s.Close())
	eng, err = d.Engine()
	must(t, err)
	i, err := checkpoint.InspectKVStore(eng, "memory")
	must(t, err)
	if list, err := i.List(); err != nil || len(list) != 1 || i.Start() != 1 || i.Job().Name != "j" {
		t.Error(list, err, i.Start(), i.Job())
	}
	must(t, i.Close())
	if s := open(t, d); s.Start() != 2 {
		t.Error(s.Start())
	}
}

// TestNewerMetadata: one checkpoint of a newer program is enough.
func TestNewerMetadata(t *testing.T) {
	for _, prefix := range []string{"meta/", "sys/job"} {
		d := checkpoint.NewMemDir()
		s := open(t, d)
		must(t, s.Save(meta(1)))
		must(t, s.Close())
		err := tamper(t, d, func(e checkpoint.Engine) error {
			var newer []checkpoint.Entry
			err := e.Scan(prefix, false, func(k string, v []byte) error {
				newer = append(newer, checkpoint.Entry{Key: k, Value: storetest.NewerVersion(v)})
				return nil
			})
			return errors.Join(err, e.Apply(newer))
		})
		if !errors.Is(err, checkpoint.ErrNewerFormat) || !strings.Contains(err.Error(), "has format 2, this program reads up to 1; use a newer sqlstream") {
			t.Errorf("%s: %v", prefix, err)
		}
	}
}
