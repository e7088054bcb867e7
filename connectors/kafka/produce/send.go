package produce

import (
	"context"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/connectors/kafka/recordbatch"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// produceVersion is the greatest at which a transaction's partitions must
// have been added by AddPartitionsToTxn (protocol TV1).
const produceVersion = 9

// shipment is what one request carries.
type shipment struct {
	part int32
	s    *sealed
}

// send is the sending goroutine: it closes batches, gives them their sequence
// numbers, and sends what may be sent, one request a leader.
func (p *Producer) send(ctx context.Context) {
	defer close(p.done)
	for {
		part, ok := p.next(ctx)
		if !ok {
			return
		}
		conn, err := p.connect(ctx, part)
		if err != nil {
			p.retryLater(part, err)
			continue
		}
		if load, id := p.collect(conn.Addr(), part); len(load) > 0 {
			p.ship(conn, load, id)
		}
	}
}

// next waits for a partition with something to send.
func (p *Producer) next(ctx context.Context) (int32, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if p.closing || p.err != nil {
			return 0, false
		}
		now := p.c.Clock.Now()
		var earliest time.Time
		for i := range p.parts {
			q := &p.parts[i]
			if !q.sendable() {
				continue
			}
			at := p.sendAt(q)
			if !at.After(now) {
				return int32(i), true
			}
			if earliest.IsZero() || at.Before(earliest) {
				earliest = at
			}
		}
		if !earliest.IsZero() {
			p.pause(ctx, earliest.Sub(now))
			continue
		}
		p.cond.Wait()
	}
}

// sendAt is when what is sendable may be sent: after a back-off, and an open
// batch after it has lingered.
func (p *Producer) sendAt(q *partition) time.Time {
	at := q.notBefore
	if p.c.Linger > 0 && !q.failed && len(q.ready) == 0 {
		if leave := q.opened.Add(p.c.Linger); leave.After(at) {
			at = leave
		}
	}
	return at
}

// pause waits without the lock, until a batch is closed at the latest.
func (p *Producer) pause(ctx context.Context, d time.Duration) {
	p.mu.Unlock()
	select {
	case <-p.c.Clock.After(d):
	case <-p.kick:
	case <-ctx.Done():
	}
	p.mu.Lock()
}

// sendable: a batch may be sent now. An open batch goes only if nothing is in
// flight, so that many small writes become few batches.
func (q *partition) sendable() bool {
	if q.failed {
		return q.waiting == 0 && len(q.flight) > 0
	}
	if len(q.flight) >= maxInFlight || len(q.flight) > 0 && !q.known {
		return false
	}
	return len(q.ready) > 0 || q.open.Len() > 0 && len(q.flight) == 0
}

// collect takes what may be sent to the broker at addr: of partition first,
// and of the others that it leads.
func (p *Producer) collect(addr string, first int32) ([]shipment, Identity) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.c.Clock.Now()
	var load []shipment
	for i := range p.parts {
		q := &p.parts[i]
		part := int32(i)
		if part != first && p.leaders[i] != addr || !q.sendable() || p.sendAt(q).After(now) || p.err != nil {
			continue
		}
		if q.failed {
			load = append(load, p.resend(q, part)...)
			continue
		}
		if s := p.seal(q); s != nil {
			load = append(load, shipment{part, s})
		}
	}
	return load, p.identity
}

// resend offers the whole flight again. Only one batch a partition fits in a
// request, so the rest follows in further ones, in order.
func (p *Producer) resend(q *partition, part int32) []shipment {
	q.failed = false
	load := make([]shipment, len(q.flight))
	for i, s := range q.flight {
		load[i] = shipment{part, s}
	}
	q.waiting = len(load)
	return load
}

// seal closes the next batch and moves it to the flight.
func (p *Producer) seal(q *partition) *sealed {
	if len(q.ready) == 0 {
		p.closeBatch(q)
	}
	s := q.ready[0]
	q.ready = q.ready[1:]
	s.first = q.next
	q.next = int32((int64(q.next) + int64(s.builder.Len())) & 0x7fffffff)
	id := p.identity
	bytes, err := s.builder.Finish(recordbatch.Producer{ID: id.Producer.ID, Epoch: id.Producer.Epoch, Sequence: s.first, Transactional: id.TransactionalID != ""}, p.c.Codec, nil)
	if err != nil {
		p.fail(err)
		return nil
	}
	s.bytes = bytes
	q.flight = append(q.flight, s)
	q.waiting++
	return s
}

// ship sends the load: one request, and more where a partition has several
// batches.
func (p *Producer) ship(conn *client.Conn, load []shipment, id Identity) {
	for len(load) > 0 {
		var now, later []shipment
		seen := map[int32]bool{}
		for _, s := range load {
			if seen[s.part] {
				later = append(later, s)
			} else {
				seen[s.part] = true
				now = append(now, s)
			}
		}
		p.request(conn, now, id)
		load = later
	}
}

func (p *Producer) request(conn *client.Conn, load []shipment, id Identity) {
	req := kmsg.NewPtrProduceRequest()
	req.Version = conn.Version(kmsg.Produce, produceVersion)
	req.Acks, req.TimeoutMillis = -1, requestMillis
	if id.TransactionalID != "" {
		req.TransactionID = &id.TransactionalID
	}
	t := kmsg.NewProduceRequestTopic()
	t.Topic = p.c.Topic
	for _, s := range load {
		rp := kmsg.NewProduceRequestTopicPartition()
		rp.Partition, rp.Records = s.part, s.s.bytes
		t.Partitions = append(t.Partitions, rp)
	}
	req.Topics = append(req.Topics, t)
	err := conn.Send(req, nil, func(resp kmsg.Response, err error) { p.answered(load, resp, err) })
	if err != nil {
		p.answered(load, nil, err)
	}
}

// answered is called on a connection's goroutine.
func (p *Producer) answered(load []shipment, resp kmsg.Response, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range load {
		partErr := err
		if err == nil {
			partErr = answerFor(resp.(*kmsg.ProduceResponse), s.part)
		}
		p.settle(s, partErr)
	}
	p.cond.Broadcast()
}

func answerFor(resp *kmsg.ProduceResponse, part int32) error {
	for _, t := range resp.Topics {
		for _, a := range t.Partitions {
			if a.Partition == part {
				return codes.Missing(codes.Err(a.ErrorCode), "WRITE", codes.OnTopic, t.Topic)
			}
		}
	}
	return codes.UnknownServerError
}

// settle takes one batch's answer.
func (p *Producer) settle(s shipment, err error) {
	q := &p.parts[s.part]
	q.waiting--
	head := len(q.flight) > 0 && q.flight[0] == s.s
	switch {
	case err == nil && head, codes.Is(err, codes.DuplicateSequence) && head:
		q.flight, q.known = q.flight[1:], true
		p.buffered -= s.s.sized
		q.failingSince = time.Time{}
		if len(p.free) < 8 && p.c.Codec == recordbatch.None {
			p.free = append(p.free, s.s.bytes[:0])
		}
	case err == nil:
		// Written although one before it was not: cannot happen, as brokers
		// check sequence numbers. Its repeat is answered the same.
		q.failed = true
	case repeatable(err), !head && codes.Is(err, codes.OutOfOrderSequence):
		p.repeat(q, err)
	default:
		p.fail(err)
	}
}

// repeat has the flight sent again once all its requests are answered.
func (p *Producer) repeat(q *partition, err error) {
	q.failed = true
	p.later(q, err)
}

// later puts the partition's next attempt off, or gives up.
func (p *Producer) later(q *partition, err error) {
	now := p.c.Clock.Now()
	if q.failingSince.IsZero() {
		q.failingSince = now
	}
	if now.Sub(q.failingSince) > p.c.Patience {
		p.fail(err)
	}
	if p.c.Waiting != nil {
		p.c.Waiting(now.Sub(q.failingSince), err)
	}
	q.notBefore = now.Add(50 * time.Millisecond)
}

// retryLater is for a partition whose leader is not known or not reachable.
func (p *Producer) retryLater(part int32, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if repeatable(err) {
		p.later(&p.parts[part], err)
	} else {
		p.fail(err)
	}
}

// repeatable: sending the same batch again is safe, and may help. No answer
// counts, too: sequence numbers make the repeat harmless.
func repeatable(err error) bool {
	if _, answered := codes.Of(err); !answered {
		return true
	}
	return codes.Is(err, codes.NotLeader, codes.LeaderNotAvailable, codes.UnknownTopic, codes.RequestTimedOut, codes.NetworkException,
		codes.NotEnoughReplicas, codes.NotEnoughAfterAppend, codes.ReplicaNotAvailable, codes.KafkaStorageError, codes.FencedLeaderEpoch,
		codes.UnknownLeaderEpoch, codes.CorruptMessage, codes.ThrottlingQuota, codes.ConcurrentTransactions, codes.CoordinatorLoading,
		codes.CoordinatorNotAvailable, codes.NotCoordinator)
}

// connect returns a live connection to the partition's leader.
func (p *Producer) connect(ctx context.Context, part int32) (*client.Conn, error) {
	if c := p.conns[p.leaders[part]]; c != nil && c.Err() == nil && !p.doubtful(part) {
		return c, nil
	}
	topic, err := p.control.Topic(ctx, p.c.Topic)
	if err != nil {
		return nil, err
	}
	for i := range p.leaders {
		p.leaders[i] = ""
		if i < len(topic.Partitions) {
			p.leaders[i] = topic.Partitions[i].Leader
		}
	}
	addr := p.leaders[part]
	if addr == "" {
		return nil, codes.LeaderNotAvailable
	}
	if c := p.conns[addr]; c != nil {
		if c.Err() == nil {
			return c, nil
		}
		c.Close()
		delete(p.conns, addr)
	}
	c, err := client.Dial(ctx, p.c.Client, addr)
	if err == nil {
		p.conns[addr] = c
	}
	return c, err
}

// doubtful: the partition failed, so its leader is looked up anew.
func (p *Producer) doubtful(part int32) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.parts[part].failed
}
