// Package client talks to a Kafka cluster: a raw connection for fetch and
// produce, whose bytes never become objects (Conn), and sarama's low-level
// Broker calls for everything else (Control). Request versions are set
// explicitly throughout.
package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/IBM/sarama"
	"github.com/rcrowley/go-metrics"
)

func init() {
	// sarama's meters would start a goroutine with a ticker that nobody stops.
	metrics.UseNilMetrics = true
}

// Config says how to reach a cluster. The zero value of all but Bootstrap is
// usable.
type Config struct {
	Bootstrap      []string // host:port
	ClientID       string
	DialTimeout    time.Duration // 0: 10 s
	RequestTimeout time.Duration // 0: 30 s; the wait for an answer
	TLS            *tls.Config   // nil: no TLS
	SASL           *SASL         // nil: no authentication

	// DialFunc replaces the dialler of package net, for tests.
	DialFunc func(ctx context.Context, network, address string) (net.Conn, error)
}

// SASL is a user who authenticates.
type SASL struct {
	Mechanism      string // PLAIN, SCRAM-SHA-256, SCRAM-SHA-512
	User, Password string
}

// Unreachable means that no broker answered. Commands end with exit code 3.
type Unreachable struct {
	Addr string
	Err  error
}

func (e *Unreachable) Error() string {
	return fmt.Sprintf("broker %s is unreachable: %v; is it running, and is 'properties.bootstrap.servers' right?", e.Addr, e.Err)
}

func (e *Unreachable) Unwrap() error { return e.Err }

// External marks the error as one outside the program and the job.
func (e *Unreachable) External() bool { return true }

// hint says what a connection that breaks off at once may mean.
func (c Config) hint(err error) error {
	if c.TLS != nil {
		if err, ok := hintTLS(err, len(c.TLS.Certificates) > 0); ok {
			return err
		}
	}
	var late net.Error
	if c.TLS != nil && errors.As(err, &late) && late.Timeout() {
		return fmt.Errorf("no answer within %s (does the broker speak TLS there: 'properties.security.protocol'?): %w", c.requestTimeout(), err)
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	switch {
	case c.SASL != nil:
		return fmt.Errorf("the connection was closed during authentication as %q (wrong password in 'properties.sasl.jaas.config'?): %w", c.SASL.User, err)
	case c.TLS == nil:
		return fmt.Errorf("the connection was closed at once (does the broker expect TLS or SASL: 'properties.security.protocol'?): %w", err)
	}
	return err
}

// explainFirst explains why the first request of a connection got no answer:
// only then does sarama shake hands. A request that TLS kept back was not
// sent.
func (c Config) explainFirst(addr string, err error) error {
	if c.TLS != nil {
		if err, ok := hintTLS(err, len(c.TLS.Certificates) > 0); ok {
			return &Unreachable{addr, err}
		}
	}
	return c.hint(err)
}

func (c Config) dialTimeout() time.Duration {
	if c.DialTimeout > 0 {
		return c.DialTimeout
	}
	return 10 * time.Second
}

func (c Config) requestTimeout() time.Duration {
	if c.RequestTimeout > 0 {
		return c.RequestTimeout
	}
	return 30 * time.Second
}

func (c Config) clientID() string {
	if c.ClientID != "" {
		return c.ClientID
	}
	return "sqlstream"
}

// dialRaw opens the transport without TLS.
func (c Config) dialRaw(ctx context.Context, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.dialTimeout())
	defer cancel()
	dial := c.DialFunc
	if dial == nil {
		dial = (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext
	}
	nc, err := dial(ctx, "tcp", addr)
	if err != nil {
		return nil, &Unreachable{addr, err}
	}
	return nc, nil
}

func (c Config) tlsFor(addr string) *tls.Config {
	conf := c.TLS.Clone()
	if conf.ServerName == "" {
		conf.ServerName, _, _ = net.SplitHostPort(addr)
	}
	return conf
}

// sarama returns the settings of one sarama.Broker; conn is told the
// transport, so that a call can be given up.
func (c Config) sarama(ctx context.Context, conn func(net.Conn)) *sarama.Config {
	s := sarama.NewConfig()
	s.Version = sarama.MaxVersion
	s.ClientID = c.clientID()
	s.Net.DialTimeout = c.dialTimeout()
	s.Net.ReadTimeout = c.requestTimeout()
	s.Net.WriteTimeout = c.requestTimeout()
	s.Net.Proxy.Enable = true
	s.Net.Proxy.Dialer = dialer(func(addr string) (net.Conn, error) {
		nc, err := c.dialRaw(ctx, addr)
		if err == nil {
			conn(nc)
		}
		return nc, err
	})
	if c.TLS != nil {
		s.Net.TLS.Enable, s.Net.TLS.Config = true, c.TLS
	}
	if c.SASL != nil {
		s.Net.SASL.Enable = true
		s.Net.SASL.User, s.Net.SASL.Password = c.SASL.User, c.SASL.Password
		s.Net.SASL.Mechanism = sarama.SASLMechanism(c.SASL.Mechanism)
		s.Net.SASL.Version = sarama.SASLHandshakeV1
		s.Net.SASL.SCRAMClientGeneratorFunc = func() sarama.SCRAMClient { return &scramClient{mechanism: c.SASL.Mechanism} }
	}
	return s
}

// dialer is the shape that sarama wants.
type dialer func(addr string) (net.Conn, error)

func (d dialer) Dial(_, addr string) (net.Conn, error) { return d(addr) }

// ParseBootstrap splits the value of properties.bootstrap.servers.
func ParseBootstrap(s string) ([]string, error) {
	var addrs []string
	for a := range strings.SplitSeq(s, ",") {
		a = strings.TrimSpace(a)
		if a == "" {
			continue
		}
		if _, _, err := net.SplitHostPort(a); err != nil {
			return nil, fmt.Errorf("'properties.bootstrap.servers': %q is not host:port", a)
		}
		addrs = append(addrs, a)
	}
	if len(addrs) == 0 {
		return nil, fmt.Errorf("'properties.bootstrap.servers' names no broker; expected host:port,host:port")
	}
	return addrs, nil
}
