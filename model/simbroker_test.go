package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
)

// simBroker is the model's broker for any number of ids and records: the
// rules are those of broker.go, which TestBrokersAgree checks.
type simBroker struct {
	ids  map[string]*simID
	list []int        // visible records, in the order of their commits
	gen  byte         // of the topic
	gone map[int]bool // records that were visible when the topic was deleted
}

type simID struct {
	epoch             int16
	state             int // sEmpty …
	marker, committed string
	open              []int
	timeout           time.Duration  // of the last InitProducerId
	won, dead, hole   map[int16]bool // ghosts: epochs that were committed; that a time-out aborted; that were open when the topic was deleted
}

func newSimBroker() *simBroker { return &simBroker{ids: map[string]*simID{}, gone: map[int]bool{}} }

func (b *simBroker) id(name string) *simID {
	if b.ids[name] == nil {
		b.ids[name] = &simID{epoch: -1, won: map[int16]bool{}, dead: map[int16]bool{}, hole: map[int16]bool{}}
	}
	return b.ids[name]
}

// topicMade deletes the topic and makes it again. Its markers go at once or
// never.
func (b *simBroker) topicMade(markersToo bool) {
	b.gen++
	for _, r := range b.list {
		b.gone[r] = true
	}
	b.list = nil
	for _, i := range b.ids {
		if i.state == sOngoing {
			i.open, i.hole[i.epoch] = nil, true
		}
		if markersToo {
			i.marker, i.committed = "", ""
		}
	}
}

func (i *simID) abort() {
	i.open, i.marker, i.state = nil, "", sAborted
}

func (b *simBroker) timeOut(name string) {
	i := b.id(name)
	i.dead[i.epoch] = true
	i.abort()
	i.epoch++
}

func (b *simBroker) initPlain(name string) int16 {
	i := b.id(name)
	if i.state == sOngoing {
		i.abort()
		i.epoch++
	}
	i.epoch, i.state = i.epoch+1, sEmpty
	return i.epoch
}

func (b *simBroker) endTxn(name string, epoch int16, commit bool) codes.Code {
	i := b.id(name)
	switch {
	case epoch != i.epoch:
		return codes.ProducerFenced
	case i.state == sOngoing && commit:
		b.list = append(b.list, i.open...)
		if i.marker != "" {
			i.committed = i.marker
		}
		i.open, i.marker, i.state = nil, "", sCommitted
		i.won[epoch] = true
		return 0
	case i.state == sOngoing:
		i.abort()
		return 0
	case commit && i.state == sCommitted:
		return 0
	}
	return codes.InvalidTxnState
}

// produce adds a record, AddPartitions included.
func (b *simBroker) produce(name string, epoch int16, record int) bool {
	i := b.id(name)
	if i.epoch != epoch {
		return false
	}
	i.state = sOngoing
	i.open = append(i.open, record)
	return true
}

// TestBrokersAgree runs the same random requests against the model's broker
// and the one that the code is tested with.
func TestBrokersAgree(t *testing.T) {
	opt = fix("agree")
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		m, s := &State{}, newSimBroker()
		names := []string{"a", "b"}
		for i := range names { // the model's ids exist from the start
			m.t[i].last = 255
			s.id(names[i]).epoch = 0
		}
		next := uint8(0)
		for range 14 {
			i := rnd.IntN(2)
			e := uint8(max(0, int(m.t[i].ep)-rnd.IntN(2)))
			switch rnd.IntN(5) {
			case 0, 1:
				if next < 4 {
					got, want := s.produce(names[i], int16(e), int(next)), m.produce(uint8(i), e, 0, next)
					if got != want {
						t.Fatalf("seed %d: produce %v, the model %v", seed, got, want)
					}
					if want {
						next++
					}
				}
			case 2:
				if got, want := int(s.endTxn(names[i], int16(e), true)), m.endTxn(uint8(i), e); got != want {
					t.Fatalf("seed %d: EndTxn %d, the model %d", seed, got, want)
				}
			case 3:
				if got, want := s.initPlain(names[i]), m.initPlain(uint8(i), byDesign); got != int16(want) {
					t.Fatalf("seed %d: InitProducerId %d, the model %d", seed, got, want)
				}
			case 4:
				if m.t[i].st == sOngoing {
					s.timeOut(names[i])
					m.timeout(uint8(i))
				}
			}
			var seen uint8
			for _, r := range s.list {
				seen |= 1 << r
			}
			if seen != m.committed(0) {
				t.Fatalf("seed %d: records %b are visible, in the model %b", seed, seen, m.committed(0))
			}
		}
	}
}

// simCluster is the broker as a process reaches it: requests and answers are
// lost, and the process may die at any of them.
type simCluster struct{ p *simProc }

var errSilent = errors.New("no answer")

func (c simCluster) call(what string, f func() error) error {
	p, s := c.p, c.p.s
	if p.dead {
		return context.Canceled
	}
	s.trace("%s%s", p.name, what)
	switch {
	case s.fault(3) && p.mayDie():
		p.kill()
		return context.Canceled
	case s.fault(6):
		return errSilent
	case s.made > 0 && s.fault(1):
		s.topicMade()
	}
	err := f()
	switch {
	case s.fault(3) && p.mayDie():
		p.kill()
		return context.Canceled
	case s.fault(6):
		return errSilent
	}
	return err
}

func code(c codes.Code) error {
	if c == 0 {
		return nil
	}
	return c
}

func (c simCluster) InitProducerID(_ context.Context, id string, timeout time.Duration) (p client.Producer, err error) {
	s := c.p.s
	carryOut := func() error {
		p = client.Producer{ID: 7, Epoch: s.b.initPlain(id)}
		s.b.id(id).timeout = timeout
		return nil
	}
	if s.lateOwner > 0 && strings.HasSuffix(id, "-owner") && s.fault(30) { // it arrives later, while the process lives
		s.lateOwner--
		s.late = append(s.late, func() {
			if !c.p.dead {
				s.trace("a late InitProducerId for the owner id arrives")
				carryOut()
			}
		})
		return p, errSilent
	}
	err = c.call("InitProducerId "+id, carryOut)
	return p, err
}

func (c simCluster) DescribeTransaction(_ context.Context, id string) (t client.TxnState, err error) {
	err = c.call("describe "+id, func() error {
		t.Timeout = c.p.s.b.id(id).timeout
		return nil
	})
	return t, err
}

func (c simCluster) TopicIDs(context.Context, string, bool) (ids []client.TopicID, err error) {
	err = c.call("topic id", func() error {
		ids = []client.TopicID{{ID: client.UUID{c.p.s.b.gen + 1}}}
		return nil
	})
	return ids, err
}

func (c simCluster) EndTxn(_ context.Context, id string, p client.Producer, commit bool) error {
	b := c.p.s.b
	if commit && c.p.s.fault(6) { // it arrives later, if the process lives or not
		c.p.s.late = append(c.p.s.late, func() {
			c.p.s.trace("a late EndTxn arrives")
			b.endTxn(id, p.Epoch, true)
		})
		return errSilent
	}
	return c.call("EndTxn "+id, func() error { return code(b.endTxn(id, p.Epoch, commit)) })
}

func (c simCluster) WriteMarker(_ context.Context, id string, p client.Producer, _ string, _ client.TP, _ int64, text string) error {
	return c.call("marker "+id, func() error {
		i := c.p.s.b.id(id)
		switch {
		case i.epoch != p.Epoch:
			return codes.InvalidProducerEpoch
		case i.state != sOngoing:
			return codes.InvalidTxnState
		}
		i.marker = text
		return nil
	})
}

func (c simCluster) GroupOffsets(_ context.Context, group string, parts []client.TP, stable bool) (map[client.TP]client.Committed, error) {
	m := map[client.TP]client.Committed{}
	err := c.call("offsets "+group, func() error {
		i := c.p.s.b.id(group)
		if stable && i.marker != "" {
			return codes.UnstableOffsetCommit
		}
		m[parts[0]] = client.Committed{Metadata: i.committed}
		return nil
	})
	return m, err
}

func (c simCluster) TransactionalIDs(context.Context) (ids []string, err error) {
	err = c.call("list", func() error {
		for id := range c.p.s.b.ids {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		return nil
	})
	return ids, err
}

func (c simCluster) BrokerConfig(context.Context, ...string) (map[string]string, error) {
	return map[string]string{}, nil
}
