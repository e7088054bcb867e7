package state

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

const benchKeys = 1_000_000

var benchLayout = Layout{Name: "agg", Keys: []Class{I64}, Values: []Class{I64, I64, F64}}

// mixed is a stand-in for the hash that exec/vec computes.
func mixed(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// i64Probe is a batch of single-column keys.
func i64Probe(p *Probe, keys []int64) {
	p.Keys = append(p.Keys[:0], KeyCol{Class: I64, I64: keys})
	p.Hashes = p.Hashes[:0]
	for _, k := range keys {
		p.Hashes = append(p.Hashes, mixed(uint64(k)))
	}
	p.Groups, p.N = p.Hashes, len(keys)
}

// filled is a table with the keys 0..n-1.
func filled(tb testing.TB, n int) (*Backend, *Table) {
	b, err := Open(Options{Operator: "agg", Range: AllGroups})
	if err != nil {
		tb.Fatal(err)
	}
	t, err := b.Table(benchLayout)
	if err != nil {
		tb.Fatal(err)
	}
	update(t, 0, n)
	return b, t
}

// update adds 1 to the first value of keys from..to-1, in batches, as an aggregate does.
func update(t *Table, from, to int) {
	var p Probe
	keys := make([]int64, 0, 4096)
	col := t.I64Col(0)
	for i := from; i < to; {
		keys = keys[:0]
		for ; i < to && len(keys) < 4096; i++ {
			keys = append(keys, int64(i))
		}
		i64Probe(&p, keys)
		t.FindOrInsert(&p)
		t.Touch(p.Slots)
		for _, s := range p.Slots {
			col.Set(s, col.At(s)+1)
		}
	}
}

func BenchmarkFindOrInsert(b *testing.B) {
	_, t := filled(b, benchKeys)
	probes := make([]Probe, 64)
	for i := range probes {
		keys := make([]int64, 4096)
		for j := range keys {
			keys[j] = rand.Int64N(benchKeys)
		}
		i64Probe(&probes[i], keys)
	}
	col := t.I64Col(0)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		p := &probes[i%len(probes)]
		t.FindOrInsert(p)
		t.Touch(p.Slots)
		for _, s := range p.Slots {
			col.Set(s, col.At(s)+1)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/row")
}

func BenchmarkFindBytes(b *testing.B) {
	t := newTable(&clock{cur: 1}, Layout{Name: "t", Keys: []Class{Bytes}}, AllGroups)
	probes := make([]Probe, benchKeys/4096)
	for i := range probes {
		p := &probes[i]
		k := KeyCol{Class: Bytes}
		for j := range 4096 {
			n := uint64(i*4096 + j)
			k.Spans = append(k.Spans, Span{uint32(len(k.Data)), 20})
			k.Data = fmt.Appendf(k.Data, "customer-%011d", n)
			p.Hashes = append(p.Hashes, mixed(n))
		}
		p.Keys, p.N = []KeyCol{k}, 4096
		t.FindOrInsert(p)
	}
	b.ResetTimer()
	for i := range b.N {
		t.Find(&probes[i*97%len(probes)])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/row")
}

func BenchmarkInsert(b *testing.B) {
	for range b.N {
		filled(b, benchKeys)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchKeys, "ns/row")
}

func BenchmarkFreeze(b *testing.B) {
	back, t := filled(b, benchKeys)
	var longest time.Duration
	for i := range b.N {
		update(t, i%benchKeys, i%benchKeys+1)
		start := time.Now()
		s, err := back.Freeze()
		longest = max(longest, time.Since(start))
		if err != nil {
			b.Fatal(err)
		}
		s.Release()
	}
	b.ReportMetric(float64(longest.Microseconds()), "longest-µs")
}

func BenchmarkWriteFull(b *testing.B) {
	back, _ := filled(b, benchKeys)
	var w Written
	for range b.N {
		s, err := back.Freeze()
		if err == nil {
			w, err = s.Write(&memChunks{data: map[uint64][]byte{}})
		}
		if err != nil {
			b.Fatal(err)
		}
		s.Release()
	}
	b.ReportMetric(float64(w.Bytes)/benchKeys, "bytes/row")
}

func BenchmarkRestore(b *testing.B) {
	back, _ := filled(b, benchKeys)
	chunks := &memChunks{data: map[uint64][]byte{}}
	s, err := back.Freeze()
	if err != nil {
		b.Fatal(err)
	}
	w, err := s.Write(chunks)
	if err != nil {
		b.Fatal(err)
	}
	for _, part := range []struct {
		name string
		r    Range
	}{{"same", AllGroups}, {"half", RangeOf(0, 2)}} {
		b.Run(part.name, func(b *testing.B) {
			for range b.N {
				back, err := Open(Options{Operator: "agg", Range: part.r, Manifests: [][]byte{w.Manifest}, Chunks: chunks})
				if err == nil {
					_, err = back.Table(benchLayout)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkTimers(b *testing.B) {
	_, t := filled(b, benchKeys)
	l := benchLayout
	l.Timers = []string{"event"}
	t = newTable(t.clk, l, AllGroups)
	update(t, 0, benchKeys)
	due := make([]Due, 4096)
	b.ResetTimer()
	for i := range b.N {
		for s := range int32(benchKeys) {
			t.Timers(0).SetOne(s, int64(i)*10+int64(s%10))
		}
		for t.Timers(0).PopDue(int64(i)*10+10, due) > 0 {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchKeys, "ns/timer")
}

// What a barrier adds to a subtask's batches: the freeze, and copying the pages that the next batches write. The rows are
// uniform, so nearly every page is copied in the first batch.
func BenchmarkBarrier(b *testing.B) {
	back, t := filled(b, benchKeys)
	probes := make([]Probe, 32)
	for i := range probes {
		i64Probe(&probes[i], some(4096, benchKeys))
	}
	batch := func(i int) time.Duration {
		start := time.Now()
		p := &probes[i%len(probes)]
		t.FindOrInsert(p)
		t.Touch(p.Slots)
		for _, s := range p.Slots {
			t.I64Col(0).Set(s, 1)
		}
		return time.Since(start)
	}
	var plain, pause, longest time.Duration
	for i := range b.N {
		plain += batch(2 * i)
		start := time.Now()
		s, err := back.Freeze()
		if err != nil {
			b.Fatal(err)
		}
		took := time.Since(start) + batch(2*i+1)
		pause += took
		longest = max(longest, took)
		s.Release()
	}
	b.ReportMetric(float64(plain.Microseconds())/float64(b.N), "plain-µs")
	b.ReportMetric(float64(pause.Microseconds())/float64(b.N), "barrier-µs")
	b.ReportMetric(float64(longest.Microseconds()), "longest-µs")
}

// The collector's mark of a table with 1 M rows: it has no pointers a row.
func BenchmarkMark(b *testing.B) {
	_, t := filled(b, benchKeys)
	b.ResetTimer()
	for range b.N {
		runtime.GC()
	}
	runtime.KeepAlive(t)
}

// A join side: rows appended to the lists of uniform keys, the oldest removed beyond four.
func BenchmarkList(b *testing.B) {
	l := benchLayout
	l.Lists = []ListLayout{{"rows", []Class{I64, I64, Bytes}}}
	t := newTable(&clock{cur: 1}, l, AllGroups)
	update(t, 0, benchKeys)
	list, text := t.List(0), []byte("a text of twenty bytes")
	c0, c1, c2 := list.I64Col(0), list.I64Col(1), list.BytesCol(2)
	slots, rows := make([]int32, 4096), make([]int32, 4096)
	b.ResetTimer()
	for range b.N {
		for i := range slots {
			slots[i] = rand.Int32N(benchKeys)
		}
		list.Append(slots, rows)
		for i, r := range rows {
			c0.Set(r, 1)
			c1.Set(r, 2)
			c2.Set(r, text)
			if list.Len(slots[i]) > 4 {
				list.Remove(list.First(slots[i]))
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/row")
}

// A Top-10: rows inserted by a random key, the last one removed.
func BenchmarkSorted(b *testing.B) {
	l := benchLayout
	l.Sorted = []ListLayout{{"top", []Class{I64}}}
	t := newTable(&clock{cur: 1}, l, AllGroups)
	update(t, 0, 10_000)
	m, key := t.Sorted(0), []byte(nil)
	b.ResetTimer()
	for range b.N {
		slot := rand.Int32N(10_000)
		key = AppendSortI64(key[:0], rand.Int64(), true)
		m.Insert(slot, key)
		if m.Len(slot) > 10 {
			m.Remove(m.Last(slot))
		}
	}
}
