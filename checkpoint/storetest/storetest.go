// Package storetest is what every checkpoint.Store must pass.
package storetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/sqlstream/sqlstream/checkpoint"
)

// Open opens one and the same directory again and again; every test gets one
// of its own.
type Open func(checkpoint.Job) (checkpoint.Store, error)

// Job is what the tests' directories belong to.
var Job = checkpoint.Job{Name: "j", Hash: "h1", Operators: []checkpoint.JobOperator{
	{UID: "u1", Name: "TableSourceScan(flights)"}, {UID: "u2", Name: "GroupAggregate(origin)"},
}}

// Run runs the suite.
func Run(t *testing.T, dir func(*testing.T) Open) {
	for _, c := range []struct {
		name string
		f    func(*harness)
	}{
		{"Fresh", fresh}, {"Chunks", chunks}, {"ChunksConcurrent", chunksConcurrent}, {"Refused", refused},
		{"IDs", ids}, {"Outcomes", outcomes}, {"Replaced", replaced}, {"Journal", journal}, {"Retain", retain},
		{"RetainInFlight", retainInFlight}, {"RetainBuiltUpon", retainBuiltUpon}, {"OtherJob", otherJob}, {"Locked", locked},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &harness{T: t, dir: dir(t)}
			h.reopen()
			c.f(h)
			h.must(h.s.Close())
		})
	}
}

type harness struct {
	*testing.T
	dir Open
	s   checkpoint.Store
}

func (h *harness) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *harness) reopen() {
	h.Helper()
	if h.s != nil {
		h.must(h.s.Close())
	}
	var err error
	h.s, err = h.dir(Job)
	h.must(err)
}

func (h *harness) equal(what string, got, want any) {
	h.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		h.Errorf("%s (-want +got): %s", what, d)
	}
}

func (h *harness) fails(err error, kind error, texts ...string) {
	h.Helper()
	if err == nil || kind != nil && !errors.Is(err, kind) {
		h.Fatalf("got error %v, want %v", err, kind)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			h.Errorf("error %q does not say %q", err, text)
		}
	}
}

func (h *harness) put(data string) uint64 {
	h.Helper()
	ref, err := h.s.PutChunk([]byte(data))
	h.must(err)
	return ref
}

func (h *harness) meta(id checkpoint.ID, refs ...uint64) *checkpoint.Metadata {
	return &checkpoint.Metadata{
		Header: checkpoint.Header{RunID: h.s.RunID(), JobHash: Job.Hash}, ID: id,
		Operators: []checkpoint.OperatorState{{UID: "u2", Parallelism: 1, Chunks: refs}},
	}
}

func (h *harness) save(m *checkpoint.Metadata) {
	h.Helper()
	h.must(h.s.Begin(m.ID))
	h.must(h.s.Save(m))
}

// listed is the IDs of List.
func (h *harness) listed() (l []int) {
	h.Helper()
	infos, err := h.s.List()
	h.must(err)
	for _, i := range infos {
		l = append(l, int(i.ID))
	}
	return l
}

func fresh(h *harness) {
	run := h.s.RunID()
	if run == "" || h.s.Start() != 1 || h.s.NextID() != 1 {
		h.Fatalf("run %q, start %d, next %d", run, h.s.Start(), h.s.NextID())
	}
	m, err := h.s.Latest()
	h.must(err)
	h.equal("latest", m, (*checkpoint.Metadata)(nil))
	_, err = h.s.Load(1)
	h.fails(err, checkpoint.ErrNotFound, "checkpoint 1")
	h.reopen()
	if h.s.RunID() != run || h.s.Start() != 2 {
		h.Fatalf("run %q, was %q; start %d", h.s.RunID(), run, h.s.Start())
	}
}

func chunks(h *harness) {
	a, big := h.put("a"), strings.Repeat("x", 3<<20)
	b, empty := h.put(big), h.put("")
	m := h.meta(1, a, b, empty)
	h.save(m)
	lost := h.put("never saved")
	h.reopen()
	for ref, want := range map[uint64]string{a: "a", b: big, empty: ""} {
		got, err := h.s.GetChunk(ref)
		h.must(err)
		if !bytes.Equal(got, []byte(want)) {
			h.Errorf("chunk %x has %d bytes, want %d", ref, len(got), len(want))
		}
	}
	latest, err := h.s.Latest()
	h.must(err)
	h.equal("latest", latest, m)
	if again := h.put("b"); slices.Contains([]uint64{a, b, empty, lost}, again) {
		h.Errorf("reference %x is used again", again)
	}
	_, err = h.s.GetChunk(1)
	h.fails(err, checkpoint.ErrNotFound, "state chunk 1")
}

func chunksConcurrent(h *harness) {
	const n = 8
	refs := make([]uint64, 20*n)
	var wg sync.WaitGroup
	for g := range n {
		wg.Go(func() {
			for i := range 20 {
				ref, err := h.s.PutChunk(bytes.Repeat([]byte{byte(g)}, 100_000))
				if err != nil {
					h.Error(err)
				}
				refs[g*20+i] = ref
			}
		})
	}
	wg.Wait()
	h.save(h.meta(1, refs...))
	h.reopen()
	for i, ref := range refs {
		got, err := h.s.GetChunk(ref)
		h.must(err)
		if len(got) != 100_000 || got[99_999] != byte(i/20) {
			h.Fatalf("chunk %d of %d bytes ends with another goroutine's byte", i, len(got))
		}
	}
}

func refused(h *harness) {
	h.save(h.meta(3))
	h.fails(h.s.Save(h.meta(3)), nil, "checkpoint 3 cannot be stored after 3")
	h.fails(h.s.Save(h.meta(4, 99)), nil, "names state chunk 63, which was never stored")
	h.fails(h.s.Retain(0), nil, "cannot keep 0")
	h.equal("list", h.listed(), []int{3})
}

func ids(h *harness) {
	h.must(h.s.Begin(1))
	h.must(h.s.Begin(5))
	h.fails(h.s.Begin(5), nil, "checkpoint 5 cannot begin: 5 has begun already")
	h.equal("next", h.s.NextID(), checkpoint.ID(6))
	h.reopen()
	h.equal("next", h.s.NextID(), checkpoint.ID(6))
}

func committable(writer int, id checkpoint.ID, name string) checkpoint.Committable {
	return checkpoint.Committable{Writer: checkpoint.Subtask{UID: "u2", Index: writer}, Checkpoint: id, Version: 1, Payload: []byte(name)}
}

func outcomes(h *harness) {
	a, b, c, d := committable(0, 1, "a"), committable(1, 1, "b"), committable(2, 1, "c"), committable(3, 1, "d")
	m := h.meta(1)
	m.Pending = []checkpoint.Committable{a, b, c, d}
	h.save(m)
	entry := func(k string) []checkpoint.Entry { return []checkpoint.Entry{{Key: k, Value: []byte("expected " + k)}} }
	h.must(h.s.Journal("u2").Put("old", []byte("x")))
	h.must(h.s.SaveOutcomes([]checkpoint.Outcome{
		{Committable: a, Status: checkpoint.Committed, Detail: "answer 0", Journal: append(entry("a"), checkpoint.Entry{Key: "old"})},
		{Committable: b, Status: checkpoint.Lost, Detail: "marker of 7", Journal: entry("b")},
		{Committable: c, Status: checkpoint.Lost, Fatal: true, Journal: entry("c")},
		{Committable: d, Journal: entry("d")},
	}))
	h.must(h.s.SaveOutcomes(nil))
	h.reopen()
	latest, err := h.s.Latest()
	h.must(err)
	h.equal("still pending", latest.Pending, []checkpoint.Committable{c, d})
	loaded, err := h.s.Load(1)
	h.must(err)
	h.equal("as saved", loaded, m)
	got, err := h.s.Outcomes()
	h.must(err)
	h.equal("outcomes", got, []checkpoint.Outcome{
		{Committable: a, Status: checkpoint.Committed, Detail: "answer 0"},
		{Committable: b, Status: checkpoint.Lost, Detail: "marker of 7"},
	})
	h.equal("journal", h.scan("u2", ""), []string{"a=expected a", "b=expected b"})
	infos, err := h.s.List()
	h.must(err)
	if i := infos[0]; i.Pending != 4 || i.Unsettled != 2 || !i.Latest {
		h.Errorf("%+v", i)
	}
}

// replaced: a lost committable's place is taken by its rewrite, and by the
// rewrite of that, in one write each.
func replaced(h *harness) {
	a, b := committable(0, 1, "a"), committable(1, 1, "b")
	a2, a3 := committable(0, 1, "a, anew"), committable(0, 1, "a, anew again")
	m := h.meta(1)
	m.Pending = []checkpoint.Committable{a, b}
	h.save(m)
	pending := func(want ...checkpoint.Committable) {
		h.Helper()
		for range 2 { // before and after a reopen
			latest, err := h.s.Latest()
			h.must(err)
			h.equal("pending", latest.Pending, want)
			infos, err := h.s.List()
			h.must(err)
			h.equal("unsettled", infos[0].Unsettled, len(want))
			h.reopen()
		}
	}
	h.must(h.s.SaveOutcomes([]checkpoint.Outcome{{Committable: a, Status: checkpoint.Replaced, Records: 7, Replacement: &a2}}))
	pending(a2, b)
	h.must(h.s.SaveOutcomes([]checkpoint.Outcome{{Committable: a2, Status: checkpoint.Replaced, Replacement: &a3}}))
	h.must(h.s.Retain(1)) // the chain is needed as long as checkpoint 1 is kept
	pending(a3, b)
	h.must(h.s.SaveOutcomes([]checkpoint.Outcome{{Committable: a3, Status: checkpoint.Committed}}))
	h.must(h.s.Retain(1))
	pending(b)
	h.equal("losses", h.s.Losses(), checkpoint.Losses{})
	for range 2 { // the second one is known
		h.must(h.s.SaveOutcomes([]checkpoint.Outcome{{Committable: b, Status: checkpoint.Lost, Records: 5}}))
		h.reopen()
		h.equal("losses", h.s.Losses(), checkpoint.Losses{Committables: 1, Records: 5})
	}
	h.save(h.meta(2))
	h.must(h.s.Retain(1))
	h.reopen()
	got, err := h.s.Outcomes()
	h.must(err)
	h.equal("outcomes that nothing needs", len(got), 0)
	h.equal("losses", h.s.Losses(), checkpoint.Losses{Committables: 1, Records: 5})
}

func (h *harness) scan(uid, prefix string) (l []string) {
	h.Helper()
	h.must(h.s.Journal(uid).Scan(prefix, func(k string, v []byte) error {
		l = append(l, k+"="+string(v))
		return nil
	}))
	return l
}

func journal(h *harness) {
	for _, uid := range []string{"a", "a/b", "ab"} {
		h.must(h.s.Journal(uid).Put("k/1", []byte(uid)))
		h.must(h.s.Journal(uid).Put("k/2", nil))
	}
	h.must(h.s.Journal("a").Put("b/k/1", []byte("not of a/b")))
	h.must(h.s.Journal("a/b").Delete("k/2"))
	h.must(h.s.Journal("a/b").Delete("not there"))
	batch := h.s.Journal("c").(checkpoint.BatchJournal)
	h.must(batch.Put("gone", []byte("x")))
	h.must(batch.Apply([]checkpoint.Entry{{Key: "gone"}, {Key: "there", Value: []byte("y")}}))
	h.equal("c", h.scan("c", ""), []string{"there=y"})
	h.reopen()
	h.equal("a", h.scan("a", ""), []string{"b/k/1=not of a/b", "k/1=a", "k/2="})
	h.equal("a, k/", h.scan("a", "k/"), []string{"k/1=a", "k/2="})
	h.equal("a/b", h.scan("a/b", ""), []string{"k/1=a/b"})
	v, err := h.s.Journal("ab").Get("k/1")
	h.must(err)
	h.equal("ab", string(v), "ab")
	if v, err := h.s.Journal("ab").Get("k/3"); v != nil || err != nil {
		h.Errorf("not there: %q, %v", v, err)
	}
	stop := errors.New("stop")
	if err := h.s.Journal("a").Scan("", func(string, []byte) error { return stop }); err != stop {
		h.Errorf("Scan returned %v", err)
	}
}

func retain(h *harness) {
	shared, own := h.put("shared"), map[checkpoint.ID]uint64{}
	for id := checkpoint.ID(1); id <= 5; id++ {
		own[id] = h.put(fmt.Sprint(id))
		m := h.meta(id, shared, own[id])
		m.Pending = []checkpoint.Committable{committable(0, id, "tx")}
		if id == 2 {
			m.Kind = checkpoint.Savepoint
		}
		h.save(m)
		h.must(h.s.SaveOutcomes([]checkpoint.Outcome{{Committable: m.Pending[0], Status: checkpoint.Committed}}))
	}
	for range 3 { // the chunks go when nobody can build upon them any more
		h.must(h.s.Retain(2))
	}
	for range 2 { // before and after a reopen
		h.equal("kept", h.listed(), []int{2, 4, 5})
		for id, ref := range own {
			_, err := h.s.GetChunk(ref)
			if kept := id == 2 || id >= 4; kept != (err == nil) {
				h.Errorf("chunk of %d: %v", id, err)
			}
		}
		got, err := h.s.Outcomes()
		h.must(err)
		h.equal("outcomes", len(got), 3)
		_, err = h.s.GetChunk(shared)
		h.must(err)
		h.reopen()
	}
}

// retainInFlight: a chunk of a checkpoint that is not stored yet is named by
// nothing, and must not go. Once a checkpoint begun later is stored, it may.
func retainInFlight(h *harness) {
	h.must(h.s.Begin(1))
	h.must(h.s.Begin(2))
	early := h.put("of 2, before 1 is stored")
	h.must(h.s.Save(h.meta(1)))
	h.must(h.s.Retain(1))
	h.must(h.s.Save(h.meta(2, early)))
	_, err := h.s.GetChunk(early)
	h.must(err)

	h.must(h.s.Begin(3))
	aborted := h.put("of 3, which is aborted")
	for id := checkpoint.ID(4); id <= 6; id++ {
		h.save(h.meta(id))
		h.must(h.s.Retain(1))
	}
	_, err = h.s.GetChunk(aborted)
	h.fails(err, checkpoint.ErrNotFound)
	_, err = h.s.GetChunk(early)
	h.fails(err, checkpoint.ErrNotFound)
	h.equal("kept", h.listed(), []int{6})
}

// retainBuiltUpon: a checkpoint in flight may build upon one that is no longer
// kept, and name chunks of it that the newest does not.
func retainBuiltUpon(h *harness) {
	a := h.put("a")
	h.save(h.meta(1, a))
	h.must(h.s.Retain(1))
	h.must(h.s.Begin(2))
	h.must(h.s.Begin(3))
	h.must(h.s.Save(h.meta(2, h.put("b"))))
	h.must(h.s.Retain(1))
	h.equal("kept", h.listed(), []int{2})
	h.must(h.s.Save(h.meta(3, a)))
	h.must(h.s.Retain(1))
	_, err := h.s.GetChunk(a)
	h.must(err)
	for id := checkpoint.ID(4); id <= 6; id++ {
		h.save(h.meta(id))
		h.must(h.s.Retain(1))
	}
	_, err = h.s.GetChunk(a)
	h.fails(err, checkpoint.ErrNotFound)
}

func otherJob(h *harness) {
	h.save(h.meta(1))
	h.must(h.s.Close())
	other := checkpoint.Job{Name: "j", Hash: "h2", Operators: []checkpoint.JobOperator{
		Job.Operators[0], {UID: "u3", Name: "GroupAggregate(dest)"},
	}}
	_, err := h.dir(other)
	h.fails(err, checkpoint.ErrOtherJob, "GroupAggregate(dest)", "GroupAggregate(origin)", "--fresh")
	_, err = h.dir(checkpoint.Job{Hash: "h2", Operators: Job.Operators[:1]})
	h.fails(err, checkpoint.ErrOtherJob, "GroupAggregate(origin) of the job that made it is missing now")
	_, err = h.dir(checkpoint.Job{Hash: "h2", Operators: Job.Operators})
	h.fails(err, checkpoint.ErrOtherJob, "hash h2, was h1")
	h.s, err = h.dir(Job)
	h.must(err)
}

func locked(h *harness) {
	_, err := h.dir(Job)
	h.fails(err, checkpoint.ErrLocked)
	h.reopen()
}

// NewerVersion returns a record as a program with the next format would have
// written it: version raised, CRC right.
func NewerVersion(rec []byte) []byte {
	body := bytes.Clone(rec[:len(rec)-4])
	binary.LittleEndian.PutUint16(body[4:], binary.LittleEndian.Uint16(body[4:])+1)
	return binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
}
