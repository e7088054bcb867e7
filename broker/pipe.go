package broker

import (
	"context"
	"fmt"
	"net"
	"sync"
)

// Pipe is a network of its own in memory: a broker listens on it and clients
// dial it, over net.Pipe. It exists for testing/synctest, where a goroutine
// that waits for a socket keeps the fake clock from advancing.
type Pipe struct {
	mu        sync.Mutex
	listeners map[string]*pipeListener
	nextPort  int
}

// NewPipe returns an empty network.
func NewPipe() *Pipe { return &Pipe{listeners: map[string]*pipeListener{}, nextPort: 20000} }

// Listen has the signature of net.Listen; port 0 takes a free one.
func (p *Pipe) Listen(network, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if port == "0" {
		p.nextPort++
		address = fmt.Sprintf("%s:%d", host, p.nextPort)
	}
	if p.listeners[address] != nil {
		return nil, fmt.Errorf("listen %s: address already in use", address)
	}
	l := &pipeListener{pipe: p, addr: pipeAddr(address), conns: make(chan net.Conn), done: make(chan struct{})}
	p.listeners[address] = l
	return l, nil
}

// Dial has the signature of net.Dial.
func (p *Pipe) Dial(network, address string) (net.Conn, error) {
	return p.DialContext(context.Background(), network, address)
}

// DialContext connects to a listener of this network.
func (p *Pipe) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	p.mu.Lock()
	l := p.listeners[address]
	p.mu.Unlock()
	if l == nil {
		return nil, fmt.Errorf("dial %s: connection refused", address)
	}
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
		return nil, fmt.Errorf("dial %s: connection refused", address)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type pipeAddr string

func (a pipeAddr) Network() string { return "pipe" }
func (a pipeAddr) String() string  { return string(a) }

type pipeListener struct {
	pipe  *Pipe
	addr  pipeAddr
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() {
		close(l.done)
		l.pipe.mu.Lock()
		delete(l.pipe.listeners, string(l.addr))
		l.pipe.mu.Unlock()
	})
	return nil
}

func (l *pipeListener) Addr() net.Addr { return l.addr }
