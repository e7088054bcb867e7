package main

import (
	"fmt"
	"hash/fnv"
	"time"
)

// digest is a multiset of rows: their number and the sum of their hashes, so
// that order does not count.
type digest struct {
	rows int64
	sum  uint64
}

func (d *digest) add(row []byte) {
	h := fnv.New64a()
	h.Write(row)
	d.rows++
	d.sum += h.Sum64()
}

func (d digest) String() string { return fmt.Sprintf("%d rows (digest %016x)", d.rows, d.sum) }

// oracle computes the rows that a query must give, from the generator's
// bids, without the engine.
type oracle interface {
	bid(b *bid)
	// end returns the expected rows.
	end() digest
}

// perBid is an oracle of a row a bid, or none.
type perBid struct {
	digest
	row func(dst []byte, b *bid) []byte
	buf []byte
}

func (o *perBid) bid(b *bid) {
	if o.buf = o.row(o.buf[:0], b); len(o.buf) > 0 {
		o.add(o.buf)
	}
}

func (o *perBid) end() digest { return o.digest }

func q0Row(dst []byte, b *bid) []byte {
	return fmt.Appendf(dst, `{"auction":%d,"bidder":%d,"price":%d,"dateTime":"%s","extra":"%s"}`, b.auction, b.bidder, b.price, stamp(b.at), b.extra)
}

// q1Row: 0.908·price in thousandths is exact.
func q1Row(dst []byte, b *bid) []byte {
	p := b.price * 908
	return fmt.Appendf(dst, `{"auction":%d,"bidder":%d,"price":%d.%03d,"dateTime":"%s","extra":"%s"}`, b.auction, b.bidder, p/1000, p%1000, stamp(b.at), b.extra)
}

func q2Row(dst []byte, b *bid) []byte {
	if b.auction%123 != 0 {
		return dst
	}
	return fmt.Appendf(dst, `{"auction":%d,"price":%d}`, b.auction, b.price)
}

// stamp is a timestamp as the JSON format writes it: fraction digits as
// needed.
func stamp(t time.Time) string { return t.Format("2006-01-02 15:04:05.999") }

// q5Oracle counts bids per auction in windows of 10 s that slide by 2 s.
type q5Oracle struct{ windows map[int64]map[int64]int64 }

func (o *q5Oracle) bid(b *bid) {
	if o.windows == nil {
		o.windows = map[int64]map[int64]int64{}
	}
	const slide, size = 2000, 10_000
	at := b.at.UnixMilli()
	for start := at - at%slide; start > at-size; start -= slide {
		if o.windows[start] == nil {
			o.windows[start] = map[int64]int64{}
		}
		o.windows[start][b.auction]++
	}
}

func (o *q5Oracle) end() (d digest) {
	for _, w := range o.windows {
		var most int64
		for _, n := range w {
			most = max(most, n)
		}
		for auction, n := range w {
			if n == most {
				d.add(fmt.Appendf(nil, `{"auction":%d,"num":%d}`, auction, n))
			}
		}
	}
	return d
}

// q17Oracle aggregates bids per auction and day.
type q17Oracle struct{ groups map[q17Key]*q17Group }

type q17Key struct {
	auction int64
	day     string
}

type q17Group struct{ total, low, mid, high, min, max, sum int64 }

func (o *q17Oracle) bid(b *bid) {
	if o.groups == nil {
		o.groups = map[q17Key]*q17Group{}
	}
	k := q17Key{b.auction, b.at.Format(time.DateOnly)}
	g := o.groups[k]
	if g == nil {
		g = &q17Group{min: b.price, max: b.price}
		o.groups[k] = g
	}
	g.total++
	g.sum += b.price
	g.min, g.max = min(g.min, b.price), max(g.max, b.price)
	switch {
	case b.price < 10_000:
		g.low++
	case b.price < 1_000_000:
		g.mid++
	default:
		g.high++
	}
}

func (o *q17Oracle) end() (d digest) {
	for k, g := range o.groups {
		d.add(fmt.Appendf(nil, `{"auction":%d,"day":"%s","total_bids":%d,"rank1_bids":%d,"rank2_bids":%d,"rank3_bids":%d,"min_price":%d,"max_price":%d,"avg_price":%d,"sum_price":%d}`,
			k.auction, k.day, g.total, g.low, g.mid, g.high, g.min, g.max, g.sum/g.total, g.sum))
	}
	return d
}

// query is one that can be run.
type query struct {
	name   string
	target float64 // events per CPU-second, the first target
	upsert bool    // the output is folded by key before it is compared
	oracle func() oracle
}

// topic of the output of a run, which is the job's name, too.
func (q query) topic(run int) string {
	if run == 0 {
		return q.name
	}
	return fmt.Sprintf("%s-%d", q.name, run+1)
}

var queries = []query{
	{"q0", 0.8e6, false, func() oracle { return &perBid{row: q0Row} }},
	{"q1", 0.8e6, false, func() oracle { return &perBid{row: q1Row} }},
	{"q2", 1.8e6, false, func() oracle { return &perBid{row: q2Row} }},
	{"q5", 0.8e6, false, func() oracle { return &q5Oracle{} }},
	{"q17", 1.5e6, true, func() oracle { return &q17Oracle{} }},
}
