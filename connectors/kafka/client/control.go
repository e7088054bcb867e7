package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"

	"github.com/IBM/sarama"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
)

// Control makes requests of small answers, one at a time a broker, by
// sarama's low-level calls. A slow call (a long poll) delays the next one to
// the same broker, so sources, sinks and committers have a Control each.
// Safe for concurrent use. Errors hold the broker's answer as a codes.Code,
// or none if no answer came.
type Control struct {
	conf Config

	mu           sync.Mutex
	brokers      map[string]*link
	addrs        map[int32]string // broker id → address, of the last metadata
	coordinators map[coordinatorKey]string
	closed       bool
}

type coordinatorKey struct {
	kind sarama.CoordinatorType
	key  string
}

// link is one sarama connection; used by one call at a time.
type link struct {
	call     sync.Mutex // held over a call
	broker   *sarama.Broker
	answered bool // once

	mu   sync.Mutex
	conn net.Conn
	dead bool
}

// NewControl connects lazily: nothing is dialled before the first call.
func NewControl(c Config) *Control {
	return &Control{conf: c, brokers: map[string]*link{}, addrs: map[int32]string{}, coordinators: map[coordinatorKey]string{}}
}

// Close ends all connections.
func (c *Control) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.Disconnect()
	return nil
}

// Disconnect ends all connections; the next call opens new ones.
func (c *Control) Disconnect() {
	c.mu.Lock()
	links := c.brokers
	c.brokers = map[string]*link{}
	c.mu.Unlock()
	for _, l := range links {
		l.abandon()
	}
}

// call runs f on the connection to addr. When ctx ends, the connection is
// broken off, for sarama's calls know no context.
func call[R any](ctx context.Context, c *Control, addr string, f func(*sarama.Broker) (R, error)) (R, error) {
	var zero R
	l, err := c.link(addr)
	if err != nil {
		return zero, err
	}
	l.call.Lock()
	defer l.call.Unlock()
	if err := l.open(ctx, c.conf, addr); err != nil {
		c.drop(addr, l)
		return zero, err
	}
	stop := context.AfterFunc(ctx, l.abandon)
	defer stop()
	r, err := f(l.broker)
	if err != nil {
		c.drop(addr, l)
		if ctx.Err() != nil {
			return zero, ctx.Err()
		}
		if err = asCode(err); !l.answered {
			err = c.conf.explainFirst(addr, err)
		}
		return zero, fmt.Errorf("broker %s: %w", addr, err)
	}
	l.answered = true
	return r, nil
}

// asCode turns sarama's errors with a code into ours.
func asCode(err error) error {
	var k sarama.KError
	switch {
	case errors.As(err, &k):
		return codes.Code(k)
	case errors.Is(err, sarama.ErrSASLAuthenticationFailed): // wrapped so that As does not find it
		return codes.SASLAuthentication
	case errors.Is(err, sarama.ErrUnsupportedSASLMechanism):
		return codes.UnsupportedSASL
	}
	return err
}

func (c *Control) link(addr string) (*link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	l := c.brokers[addr]
	if l == nil {
		l = &link{}
		c.brokers[addr] = l
	}
	return l, nil
}

// drop forgets a connection after an error: what it would answer next is not
// known.
func (c *Control) drop(addr string, l *link) {
	c.mu.Lock()
	if c.brokers[addr] == l {
		delete(c.brokers, addr)
	}
	c.mu.Unlock()
	l.abandon()
}

// abandon breaks the connection off; a call under way fails. sarama's own
// Close would wait for it.
func (l *link) abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		l.conn.Close()
	}
	if l.broker != nil && !l.dead {
		go l.broker.Close() // ends its goroutine, as soon as the call has failed
	}
	l.dead = true
}

// connected notes the transport of sarama's connection.
func (l *link) connected(nc net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn = nc
	if l.dead {
		nc.Close()
	}
}

func (l *link) open(ctx context.Context, conf Config, addr string) error {
	if l.broker != nil {
		return nil
	}
	b := sarama.NewBroker(addr)
	if err := b.Open(conf.sarama(ctx, l.connected)); err != nil {
		return err
	}
	if ok, err := b.Connected(); !ok {
		var u *Unreachable
		if errors.As(err, &u) {
			return u
		}
		if code := asCode(err); codes.Is(code, codes.SASLAuthentication, codes.UnsupportedSASL) {
			return fmt.Errorf("broker %s: %w", addr, code)
		}
		return &Unreachable{addr, conf.hint(err)}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broker = b
	if l.dead { // meanwhile
		go b.Close()
		return ErrClosed
	}
	return nil
}

// any tries f on the known brokers and the bootstrap servers until one
// answers.
func anyBroker[R any](ctx context.Context, c *Control, f func(*sarama.Broker) (R, error)) (R, error) {
	var zero R
	var first error
	for _, addr := range c.candidates() {
		r, err := call(ctx, c, addr, f)
		if err == nil {
			return r, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return zero, first
}

func (c *Control) candidates() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var addrs []string
	for _, a := range c.addrs {
		addrs = append(addrs, a)
	}
	slices.Sort(addrs)
	for _, a := range c.conf.Bootstrap {
		if !slices.Contains(addrs, a) {
			addrs = append(addrs, a)
		}
	}
	return addrs
}

// onCoordinator runs f on the coordinator of a group or transactional.id. An
// error of transport, or an answer that the coordinator is another one, makes
// the next call look it up again.
func onCoordinator[R any](ctx context.Context, c *Control, k coordinatorKey, f func(*sarama.Broker) (R, error)) (R, error) {
	var zero R
	addr, err := c.coordinator(ctx, k)
	if err != nil {
		return zero, err
	}
	r, err := call(ctx, c, addr, f)
	if err != nil {
		c.forget(k)
	}
	return r, err
}

func (c *Control) coordinator(ctx context.Context, k coordinatorKey) (string, error) {
	c.mu.Lock()
	addr, ok := c.coordinators[k]
	c.mu.Unlock()
	if ok {
		return addr, nil
	}
	resp, err := anyBroker(ctx, c, func(b *sarama.Broker) (*sarama.FindCoordinatorResponse, error) {
		return b.FindCoordinator(&sarama.FindCoordinatorRequest{Version: 2, CoordinatorKey: k.key, CoordinatorType: k.kind})
	})
	if err == nil {
		err = codes.Err(int16(resp.Err))
	}
	if err != nil {
		return "", fmt.Errorf("coordinator of %s: %w", k.key, codes.Missing(err, "DESCRIBE", codes.OnTxnID, k.key))
	}
	c.mu.Lock()
	c.coordinators[k] = resp.Coordinator.Addr()
	c.mu.Unlock()
	return resp.Coordinator.Addr(), nil
}

func (c *Control) forget(k coordinatorKey) {
	c.mu.Lock()
	delete(c.coordinators, k)
	c.mu.Unlock()
}

// moved forgets the coordinator if the answer says that it is another one.
func (c *Control) moved(k coordinatorKey, err error) error {
	if codes.Is(err, codes.NotCoordinator, codes.CoordinatorNotAvailable) {
		c.forget(k)
	}
	return err
}
