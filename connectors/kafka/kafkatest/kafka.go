package kafkatest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Options of Start.
type Options struct {
	Dir      string            // data and settings; "" makes a temporary folder that Close removes
	Settings map[string]string // added to, or instead of, the defaults; one that begins with a comma is added to the default
}

// Broker is one real Kafka node, broker and controller in one but for the
// second of a Pair. Its address stays the same over Kill and Restart.
type Broker struct {
	node      int32
	dir, libs string
	temporary bool
	addr      string

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{} // closed when cmd has ended
	log  *tail
}

// Start formats a data folder, starts Kafka and waits until it answers: some
// 6 seconds, and 10 more for the jars at the first call on a machine.
func Start(o Options) (*Broker, error) {
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	return start(1, o, ports[0], defaults(ports[0], ports[1]), newClusterID())
}

// start makes a node that listens to its clients on a port.
func start(node int32, o Options, port int, settings map[string]string, cluster string) (*Broker, error) {
	libs, err := jars()
	if err != nil {
		return nil, err
	}
	b := &Broker{node: node, dir: o.Dir, libs: libs, addr: fmt.Sprintf("127.0.0.1:%d", port), log: &tail{}}
	if b.dir == "" {
		b.temporary = true
		if b.dir, err = os.MkdirTemp("", "sqlstream-kafka"); err != nil {
			return nil, err
		}
	}
	settings["log.dirs"] = filepath.Join(b.dir, "data")
	if err := b.format(settings, o.Settings, cluster); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	if err := b.Restart(); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// format writes the settings and the data folder.
func (b *Broker) format(settings, extra map[string]string, cluster string) error {
	for k, v := range extra {
		if strings.HasPrefix(v, ",") {
			v = settings[k] + v
		}
		settings[k] = v
	}
	var text strings.Builder
	for k, v := range settings {
		fmt.Fprintf(&text, "%s=%s\n", k, v)
	}
	if err := os.WriteFile(b.properties(), []byte(text.String()), 0o644); err != nil {
		return err
	}
	out, err := b.java("kafka.tools.StorageTool", "format", "-t", cluster, "-c", b.properties()).CombinedOutput()
	if err != nil {
		return fmt.Errorf("format of Kafka's data folder: %w\n%s", err, out)
	}
	return nil
}

// defaults are the settings of one node on loopback: short sessions, or a
// restart after kill -9 takes 14 s, and quick aborts of timed-out
// transactions.
func defaults(port, controller int) map[string]string {
	return map[string]string{
		"process.roles":                            "broker,controller",
		"node.id":                                  "1",
		"listeners":                                fmt.Sprintf("PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d", port, controller),
		"advertised.listeners":                     fmt.Sprintf("PLAINTEXT://127.0.0.1:%d", port),
		"controller.listener.names":                "CONTROLLER",
		"listener.security.protocol.map":           "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
		"controller.quorum.voters":                 fmt.Sprintf("1@127.0.0.1:%d", controller),
		"num.partitions":                           "1",
		"auto.create.topics.enable":                "false",
		"broker.session.timeout.ms":                "2000",
		"broker.heartbeat.interval.ms":             "250",
		"offsets.topic.num.partitions":             "4",
		"offsets.topic.replication.factor":         "1",
		"transaction.state.log.num.partitions":     "4",
		"transaction.state.log.replication.factor": "1",
		"transaction.state.log.min.isr":            "1",
		"min.insync.replicas":                      "1",
		"group.initial.rebalance.delay.ms":         "0",
		"transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
	}
}

func (b *Broker) properties() string { return filepath.Join(b.dir, "server.properties") }

func (b *Broker) java(class string, args ...string) *exec.Cmd {
	args = append([]string{"-Xmx768m", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(b.libs, "*"), class}, args...)
	cmd := exec.Command("java", args...)
	cmd.Dir = b.dir
	return cmd
}

// Addr is the bootstrap server.
func (b *Broker) Addr() string { return b.addr }

// Restart starts the process of a broker that was killed or stopped, and
// waits until it answers.
func (b *Broker) Restart() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	cmd := b.java("kafka.Kafka", b.properties())
	cmd.Stdout, cmd.Stderr = b.log, b.log
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		cmd.Wait() // its exit status says nothing: it is killed on purpose
		close(done)
	}()
	b.cmd, b.done = cmd, done
	return b.awaitReady()
}

// Kill is kill -9: what Kafka has not written is lost.
func (b *Broker) Kill() { b.end(syscall.SIGKILL) }

// Stop is an orderly shutdown.
func (b *Broker) Stop() { b.end(syscall.SIGTERM) }

func (b *Broker) end(sig syscall.Signal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cmd == nil {
		return
	}
	b.cmd.Process.Signal(sig) // an error means that it has ended already
	<-b.done
	b.cmd = nil
}

// Close kills the process and removes a temporary folder.
func (b *Broker) Close() error {
	b.Kill()
	if b.temporary {
		return os.RemoveAll(b.dir)
	}
	return nil
}

// awaitReady polls until a topic could be listed: an open port alone answers
// metadata requests before the broker is registered.
func (b *Broker) awaitReady() error {
	deadline := time.Now().Add(60 * time.Second)
	for time.Now().Before(deadline) {
		select {
		case <-b.done:
			return fmt.Errorf("the Kafka process ended while starting\n%s", b.log)
		case <-time.After(100 * time.Millisecond):
		}
		if answers(b.addr, b.node) {
			return nil
		}
	}
	return fmt.Errorf("the Kafka process does not answer at %s\n%s", b.addr, b.log)
}

func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// tail keeps the last output of the process for error messages.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.buf.Len() > 64<<10 {
		t.buf.Next(t.buf.Len() - 16<<10)
	}
	return t.buf.Write(p)
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}
