//go:build kafka

package torture

import (
	"io"
	"net"
	"sync"
)

// proxy puts a wire in front of a broker that listens elsewhere, and that
// tells its clients the proxy's address.
type proxy struct {
	net.Listener
	wire *wire

	mu     sync.Mutex
	target string
}

func newProxy(w *wire) (*proxy, error) {
	l, err := w.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{Listener: l, wire: w}
	go p.serve()
	return p, nil
}

func (p *proxy) setTarget(addr string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = addr
}

func (p *proxy) serve() {
	for {
		c, err := p.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		target := p.target
		p.mu.Unlock()
		go forward(c, target)
	}
}

func forward(client net.Conn, target string) {
	defer client.Close()
	broker, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer broker.Close()
	done := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{broker, client}, {client, broker}} {
		go func() {
			_, _ = io.Copy(struct{ io.Writer }{way[0]}, struct{ io.Reader }{way[1]})
			if way[0] == broker {
				// A late request is still under way when its client is gone.
				_ = broker.(*net.TCPConn).CloseWrite()
			} else {
				done <- struct{}{}
			}
		}()
	}
	<-done
}
