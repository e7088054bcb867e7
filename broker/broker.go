// Package broker runs a small Kafka-protocol broker inside the process: one
// node, transactions, optional persistence. It is franz-go's kfake behind a
// start/stop helper, for demos, for trying things out and for tests; it is
// not a replacement of Apache Kafka.
//
// What differs from Apache Kafka and matters to callers: with DataDir an
// orderly Close keeps everything, open transactions included, but a kill -9
// aborts open transactions when the data is loaded again. A program that is
// to be crashed must therefore run the broker in another process.
package broker

import (
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Topic is a topic that exists once Start returns. A topic that is already
// there keeps its partitions.
type Topic struct {
	Name       string
	Partitions int // 0: 1
}

// Options of Start. The zero value listens on a free port of the loopback
// interface and keeps everything in memory.
type Options struct {
	Listen            string            // host:port; "" means 127.0.0.1:0
	DataDir           string            // "" keeps everything in memory
	SyncWrites        bool              // fsync every produce; needs DataDir
	Topics            []Topic           // made at start if missing
	AutoCreate        bool              // a metadata request may create a topic
	DefaultPartitions int               // of topics created without a number; 0: 1
	Config            map[string]string // broker settings, as transaction.max.timeout.ms

	// ListenFn replaces net.Listen; see Pipe for a listener without sockets.
	ListenFn func(network, address string) (net.Listener, error)
}

// Broker is a running broker. Its methods are safe for concurrent use.
type Broker struct {
	cluster *kfake.Cluster
	addr    string
}

// Start begins to serve and returns when the broker can be connected to.
func Start(o Options) (*Broker, error) {
	listen, err := listenFn(o)
	if err != nil {
		return nil, err
	}
	if o.DataDir != "" {
		if err := os.MkdirAll(o.DataDir, 0o755); err != nil {
			return nil, fmt.Errorf("broker data folder: %w", err)
		}
	}
	cluster, err := kfake.NewCluster(clusterOpts(o, listen)...)
	if err != nil {
		return nil, fmt.Errorf("broker at %s: %w", listenAddr(o), err)
	}
	b := &Broker{cluster: cluster, addr: cluster.ListenAddrs()[0]}
	if o.AutoCreate && o.DataDir != "" {
		cluster.ControlKey(int16(kmsg.Metadata), b.makeTopics(o.DefaultPartitions))
	}
	for _, t := range o.Topics {
		if err := b.CreateTopic(t.Name, t.Partitions); err != nil {
			b.Close()
			return nil, err
		}
	}
	return b, nil
}

func clusterOpts(o Options, listen func(string, string) (net.Listener, error)) []kfake.Opt {
	opts := []kfake.Opt{
		kfake.NumBrokers(1),
		kfake.ClusterID("sqlstream-embedded"),
		kfake.DefaultNumPartitions(max(o.DefaultPartitions, 1)),
		kfake.ListenFn(listen),
		kfake.BrokerConfigs(o.Config),
	}
	if o.AutoCreate {
		opts = append(opts, kfake.AllowAutoTopicCreation())
	}
	if o.DataDir != "" {
		opts = append(opts, kfake.DataDir(o.DataDir))
		if o.SyncWrites {
			opts = append(opts, kfake.SyncWrites())
		}
	}
	return opts
}

func listenAddr(o Options) string {
	if o.Listen == "" {
		return "127.0.0.1:0"
	}
	return o.Listen
}

// listenFn ignores the address that kfake asks for, which is always on the
// loopback interface, and uses the one of the options.
func listenFn(o Options) (func(string, string) (net.Listener, error), error) {
	addr := listenAddr(o)
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("broker listen address %q: %w; expected host:port", addr, err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return nil, fmt.Errorf("broker listen address %q: clients are told this address, so it must name one host, as 127.0.0.1", addr)
	}
	listen := o.ListenFn
	if listen == nil {
		listen = net.Listen
	}
	return func(network, _ string) (net.Listener, error) { return listen(network, addr) }, nil
}

// makeTopics makes the topics that a request asks for, which the cluster
// would do too, but without writing them down: after a kill -9 a topic of the
// same name would begin anew in the files of the old one.
func (b *Broker) makeTopics(partitions int) func(kmsg.Request) (kmsg.Response, error, bool) {
	return func(r kmsg.Request) (kmsg.Response, error, bool) {
		b.cluster.KeepControl()
		req := r.(*kmsg.MetadataRequest)
		for _, t := range req.Topics {
			if t.Topic != nil && req.AllowAutoTopicCreation {
				_ = b.CreateTopic(*t.Topic, partitions) // the cluster answers for what cannot be made
			}
		}
		return nil, nil, false
	}
}

// Addr is the host:port that clients connect to.
func (b *Broker) Addr() string { return b.addr }

// CreateTopic makes a topic; one that exists already is left as it is.
func (b *Broker) CreateTopic(name string, partitions int) error {
	err := b.cluster.CreateTopic(name, int32(max(partitions, 1)), nil)
	if err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
		return fmt.Errorf("create topic %q: %w", name, err)
	}
	return nil
}

// DeleteTopic removes a topic and its records.
func (b *Broker) DeleteTopic(name string) error {
	if err := b.cluster.DeleteTopic(name); err != nil {
		return fmt.Errorf("delete topic %q: %w", name, err)
	}
	return nil
}

// Cluster gives tests the fake cluster itself, to inject faults.
func (b *Broker) Cluster() *kfake.Cluster { return b.cluster }

// Close stops serving; with DataDir everything is on disk when it returns.
func (b *Broker) Close() { b.cluster.Close() }
