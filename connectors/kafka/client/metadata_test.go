package client

import (
	"context"
	"net"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

// dying is a broker that the cluster still names, and that ends every
// connection.
type dying struct{ net.Listener }

func (d dying) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c.Close()
	}
}

// TestBrokerConfigOfAnother: the broker with the lowest id has just died; the
// next one says its settings.
func TestBrokerConfigOfAnother(t *testing.T) {
	n := 0
	c, err := kfake.NewCluster(kfake.NumBrokers(2), kfake.ListenFn(func(network, addr string) (net.Listener, error) {
		l, err := net.Listen(network, addr)
		if n++; n == 1 {
			return dying{l}, err
		}
		return l, err
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	control := NewControl(Config{Bootstrap: c.ListenAddrs()[1:]})
	defer control.Close()
	const name = "transaction.max.timeout.ms"
	m, err := control.BrokerConfig(context.Background(), name)
	if err != nil || m[name] == "" {
		t.Fatalf("got %v, %v", m, err)
	}
}
