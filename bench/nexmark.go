package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"time"
)

// Nexmark events by our own seeded generator: the same seed gives the same
// bytes. Of 50 ids one is a person, three are auctions, 46 are bids; ids begin
// at 1000. Half of the bids are on the hot auction (the first of the current
// hundred), three quarters by the hot bidder; prices are log-uniform between
// 1e2 and 1e8; half of the channels are one of four, the others of 10,000.
type nexmark struct {
	n         int
	perSecond int // events per second of event time
	random    *rand.Rand
	pads      [26]string
}

const (
	firstID       = 1000
	group         = 50
	auctionsOf    = 3
	hotGroup      = 100
	activePersons = 1000
	inFlight      = 100
)

var (
	epoch      = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	channels   = [...]string{"Google", "Facebook", "Baidu", "Apple"}
	firstNames = [...]string{"Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter"}
	lastNames  = [...]string{"Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris"}
	cities     = [...]string{"Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Redmond", "Seattle", "Kent", "Cheyenne"}
	states     = [...]string{"AZ", "CA", "CA", "ID", "OR", "OR", "WA", "WA", "WA", "WY"}
)

// bid is what the checks need of a bid.
type bid struct {
	auction, bidder, price int64
	at                     time.Time
	extra                  string
}

func newNexmark(seed uint64, perSecond int) *nexmark {
	g := &nexmark{perSecond: perSecond, random: rand.New(rand.NewPCG(seed, 7))}
	for i := range g.pads {
		var b []byte
		for j := range 120 {
			b = append(b, byte('a'+(i*7+j*11)%26))
		}
		g.pads[i] = string(b)
	}
	return g
}

// next appends the JSON of the next event to dst; isBid tells whether b was
// filled.
func (g *nexmark) next(dst []byte, b *bid) (_ []byte, isBid bool) {
	n := g.n
	g.n++
	at := epoch.Add(time.Duration(n) * time.Second / time.Duration(g.perSecond)).Truncate(time.Millisecond)
	switch k := n % group; {
	case k == 0:
		return g.person(dst, n, at), false
	case k <= auctionsOf:
		return g.auction(dst, n, at), false
	}
	return g.bid(dst, n, at, b), true
}

// lastPerson and lastAuction are the newest ids before event n.
func lastPerson(n int) int64 { return firstID + int64(n/group) }

func lastAuction(n int) int64 {
	return firstID + int64(n/group)*auctionsOf + int64(min(n%group, auctionsOf)) - 1
}

func appendTime(dst []byte, at time.Time) []byte {
	return at.AppendFormat(dst, "2006-01-02 15:04:05.000")
}

func (g *nexmark) pad(low, high int) string {
	n := low + g.random.IntN(high-low)
	return g.pads[g.random.IntN(len(g.pads))][:n]
}

func (g *nexmark) price() int64 { return int64(math.Round(math.Pow(10, 2+6*g.random.Float64()))) }

func (g *nexmark) person(dst []byte, n int, at time.Time) []byte {
	city := g.random.IntN(len(cities))
	dst = append(dst, `{"event_type":0,"person":{"id":`...)
	dst = strconv.AppendInt(dst, lastPerson(n), 10)
	dst = fmt.Appendf(dst, `,"name":"%s %s","emailAddress":"%s@%s.com","creditCard":"%04d %04d %04d %04d","city":"%s","state":"%s","dateTime":"`,
		firstNames[g.random.IntN(len(firstNames))], lastNames[g.random.IntN(len(lastNames))], g.pad(5, 9), g.pad(4, 7),
		g.random.IntN(10000), g.random.IntN(10000), g.random.IntN(10000), g.random.IntN(10000), cities[city], states[city])
	dst = appendTime(dst, at)
	dst = append(dst, `","extra":"`...)
	dst = append(dst, g.pad(60, 110)...)
	return append(dst, `"},"auction":null,"bid":null}`...)
}

func (g *nexmark) auction(dst []byte, n int, at time.Time) []byte {
	initial := g.price()
	dst = append(dst, `{"event_type":1,"person":null,"auction":{"id":`...)
	dst = strconv.AppendInt(dst, lastAuction(n+1), 10)
	dst = fmt.Appendf(dst, `,"itemName":"%s","description":"%s","initialBid":%d,"reserve":%d,"dateTime":"`, g.pad(8, 20), g.pad(40, 100), initial, initial+g.price())
	dst = appendTime(dst, at)
	dst = append(dst, `","expires":"`...)
	dst = appendTime(dst, at.Add(time.Duration(1+g.random.IntN(20_000))*time.Millisecond))
	dst = fmt.Appendf(dst, `","seller":%d,"category":%d,"extra":"%s"},"bid":null}`, g.seller(n), 10+g.random.IntN(5), g.pad(20, 60))
	return dst
}

// seller: three quarters of the auctions are by the hot seller.
func (g *nexmark) seller(n int) int64 {
	last := lastPerson(n)
	if g.random.IntN(4) > 0 {
		return last - (last-firstID)%hotGroup
	}
	return last - g.random.Int64N(min(last-firstID+1, activePersons))
}

func (g *nexmark) bid(dst []byte, n int, at time.Time, b *bid) []byte {
	last := lastAuction(n)
	b.auction = last - (last-firstID)%hotGroup
	if g.random.IntN(2) == 0 {
		b.auction = last - g.random.Int64N(min(last-firstID+1, inFlight))
	}
	person := lastPerson(n)
	b.bidder = person - (person-firstID)%hotGroup + min(1, (person-firstID)%hotGroup)
	if g.random.IntN(4) == 0 {
		b.bidder = person - g.random.Int64N(min(person-firstID+1, activePersons))
	}
	b.price, b.at, b.extra = g.price(), at, g.pad(60, 110)
	dst = append(dst, `{"event_type":2,"person":null,"auction":null,"bid":{"auction":`...)
	dst = strconv.AppendInt(dst, b.auction, 10)
	dst = append(dst, `,"bidder":`...)
	dst = strconv.AppendInt(dst, b.bidder, 10)
	dst = append(dst, `,"price":`...)
	dst = strconv.AppendInt(dst, b.price, 10)
	dst = g.channel(dst)
	dst = append(dst, `","dateTime":"`...)
	dst = appendTime(dst, at)
	dst = append(dst, `","extra":"`...)
	dst = append(dst, b.extra...)
	return append(dst, `"}}`...)
}

func (g *nexmark) channel(dst []byte) []byte {
	if g.random.IntN(2) == 0 {
		c := channels[g.random.IntN(len(channels))]
		return fmt.Appendf(dst, `,"channel":"%s","url":"https://www.nexmark.com/%s/item.htm?query=1`, c, c)
	}
	i := g.random.IntN(10_000)
	return fmt.Appendf(dst, `,"channel":"channel-%d","url":"https://www.nexmark.com/a%d/b%d/item.htm?query=1&channel_id=%d`, i, i%97, i%89, i*7919%100003)
}
