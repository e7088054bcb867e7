package client

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ErrClosed is the error of requests on a connection that was closed.
var ErrClosed = errors.New("connection is closed")

// maxResponseBytes bounds what a broken or hostile peer makes us allocate.
const maxResponseBytes = 1 << 30

// Conn is one connection to one broker. Requests are pipelined: the broker
// answers in order. Safe for concurrent use. After any error of transport the
// connection is dead and every later request fails at once.
type Conn struct {
	addr    string
	nc      net.Conn
	format  *kmsg.RequestFormatter
	timeout time.Duration
	max     map[int16]int16 // API key → the broker's greatest version

	writing sync.Mutex // held over a write, so that waiting has the order of the requests
	buf     []byte
	next    int32

	mu      sync.Mutex // never held over I/O
	waiting []waiter   // in the order of the requests
	err     error
	wake    chan struct{} // one element: waiting is not empty, or err is set
	done    chan struct{} // closed when the reading goroutine has ended
}

type waiter struct {
	correlation int32
	req         kmsg.Request
	alloc       func(n int) []byte
	answer      func(kmsg.Response, error)
}

// Dial opens a connection: transport, TLS, versions, authentication.
func Dial(ctx context.Context, c Config, addr string) (*Conn, error) {
	nc, err := c.dialRaw(ctx, addr)
	if err != nil {
		return nil, err
	}
	if c.TLS != nil {
		t := tls.Client(nc, c.tlsFor(addr))
		if err := t.HandshakeContext(ctx); err != nil {
			nc.Close()
			return nil, &Unreachable{addr, c.hint(err)}
		}
		nc = t
	}
	conn := &Conn{
		addr: addr, nc: nc, timeout: c.requestTimeout(),
		format: kmsg.NewRequestFormatter(kmsg.FormatterClientID(c.clientID())),
		wake:   make(chan struct{}, 1), done: make(chan struct{}),
	}
	go conn.read()
	if err := conn.open(ctx, c); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

func (c *Conn) open(ctx context.Context, conf Config) error {
	resp, err := c.Do(ctx, kmsg.NewPtrApiVersionsRequest()) // version 0: every broker answers it
	if err != nil {
		return &Unreachable{c.addr, conf.hint(err)}
	}
	c.max = map[int16]int16{}
	for _, k := range resp.(*kmsg.ApiVersionsResponse).ApiKeys {
		c.max[k.ApiKey] = k.MaxVersion
	}
	if conf.SASL == nil {
		return nil
	}
	if err = c.authenticate(ctx, conf.SASL); err == nil {
		return nil
	}
	if _, answered := codes.Of(err); answered {
		return fmt.Errorf("broker %s: %w", c.addr, err)
	}
	return &Unreachable{c.addr, conf.hint(err)}
}

// Version is the greatest version ≤ want of a request that the broker speaks.
func (c *Conn) Version(key kmsg.Key, want int16) int16 { return min(want, c.max[key.Int16()]) }

// Addr is the broker's address.
func (c *Conn) Addr() string { return c.addr }

// Send writes a request and returns; answer is called once, on the reading
// goroutine, with the response or the error of transport, and must not block.
// (If Send itself returns an error, answer is not called.) alloc gives the
// memory for the response, which the response refers to; nil means make.
func (c *Conn) Send(req kmsg.Request, alloc func(int) []byte, answer func(kmsg.Response, error)) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.next++
	c.buf = c.format.AppendRequest(c.buf[:0], req, c.next)
	if err := c.expect(waiter{c.next, req, alloc, answer}); err != nil {
		return err
	}
	c.nc.SetWriteDeadline(time.Now().Add(c.timeout))
	if _, err := c.nc.Write(c.buf); err != nil {
		c.fail(err) // the reading goroutine tells all waiting requests
	}
	if cap(c.buf) > 4<<20 {
		c.buf = nil
	}
	return nil
}

func (c *Conn) expect(w waiter) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	c.waiting = append(c.waiting, w)
	c.signal()
	return nil
}

// Do sends a request and waits for its response.
func (c *Conn) Do(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	type result struct {
		resp kmsg.Response
		err  error
	}
	ch := make(chan result, 1)
	if err := c.Send(req, nil, func(r kmsg.Response, err error) { ch <- result{r, err} }); err != nil {
		return nil, err
	}
	select {
	case r := <-ch:
		return r.resp, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close ends the connection and waits for the reading goroutine; waiting
// requests are answered with ErrClosed.
func (c *Conn) Close() error {
	c.fail(ErrClosed)
	<-c.done
	return nil
}

// Err is the error that killed the connection, nil while it lives.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		if err != ErrClosed {
			err = fmt.Errorf("connection to %s: %w", c.addr, err)
		}
		c.err = err
		c.nc.Close()
	}
	c.signal()
}

func (c *Conn) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// read answers waiting requests until the connection dies, then fails those
// that are left.
func (c *Conn) read() {
	defer close(c.done)
	r := bufio.NewReaderSize(c.nc, 64<<10)
	for {
		w, ok := c.oldest()
		if !ok {
			return
		}
		resp, err := c.readResponse(r, w)
		if err != nil {
			c.fail(err)
			continue
		}
		c.mu.Lock()
		c.waiting = c.waiting[1:]
		c.mu.Unlock()
		w.answer(resp, nil)
	}
}

// oldest waits for a request to be answered. When the connection is dead it
// fails all of them and returns false.
func (c *Conn) oldest() (waiter, bool) {
	for {
		c.mu.Lock()
		if c.err != nil {
			waiting, err := c.waiting, c.err
			c.waiting = nil
			c.mu.Unlock()
			for _, w := range waiting {
				w.answer(nil, err)
			}
			return waiter{}, false
		}
		if len(c.waiting) > 0 {
			w := c.waiting[0]
			c.mu.Unlock()
			return w, true
		}
		c.mu.Unlock()
		<-c.wake
	}
}

func (c *Conn) readResponse(r *bufio.Reader, w waiter) (kmsg.Response, error) {
	wait := c.timeout
	if t, ok := w.req.(interface{ Timeout() int32 }); ok {
		wait += time.Duration(t.Timeout()) * time.Millisecond
	}
	c.nc.SetReadDeadline(time.Now().Add(wait))
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := int64(binary.BigEndian.Uint32(head[:])) - 4
	if size < 0 || size > maxResponseBytes {
		return nil, fmt.Errorf("a response of %d bytes: is this a Kafka broker, and does it expect TLS?", size+4)
	}
	if got := int32(binary.BigEndian.Uint32(head[4:])); got != w.correlation {
		return nil, fmt.Errorf("response to request %d where %d was due", got, w.correlation)
	}
	return decodeResponse(r, w, int(size))
}

func decodeResponse(r io.Reader, w waiter, size int) (kmsg.Response, error) {
	var body []byte
	if w.alloc != nil {
		body = w.alloc(size)
	} else {
		body = make([]byte, size)
	}
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	resp := w.req.ResponseKind()
	if resp.IsFlexible() && w.req.Key() != kmsg.ApiVersions.Int16() {
		if len(body) == 0 || body[0] != 0 {
			return nil, errors.New("response header with tags")
		}
		body = body[1:]
	}
	if err := resp.ReadFrom(body); err != nil {
		return nil, fmt.Errorf("response to %s: %w", kmsg.NameForKey(w.req.Key()), err)
	}
	return resp, nil
}
