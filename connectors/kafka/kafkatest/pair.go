package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Pair is a cluster of two nodes with everything on both. One is also the
// controller, without which nothing moves: only Two is to be killed.
type Pair struct{ One, Two *Broker }

// StartPair starts two nodes, some 12 seconds. advertised.listeners, if
// given, is that for clients: the nodes talk to each other elsewhere.
func StartPair(one, two Options) (*Pair, error) {
	ports, err := freePorts(5)
	if err != nil {
		return nil, err
	}
	cluster := newClusterID()
	one.Settings, two.Settings = withInternal(one.Settings, ports[1]), withInternal(two.Settings, ports[3])
	p := &Pair{}
	if p.One, err = start(1, one, ports[0], pairDefaults(1, ports[0], ports[1], ports[4]), cluster); err != nil {
		return nil, err
	}
	if p.Two, err = start(2, two, ports[2], pairDefaults(2, ports[2], ports[3], ports[4]), cluster); err != nil {
		return nil, errors.Join(err, p.One.Close())
	}
	return p, nil
}

// RequirePair starts a pair for one test, as Require does a broker.
func RequirePair(t testing.TB, one, two Options) *Pair {
	t.Helper()
	p, err := StartPair(one, two)
	Check(t, err)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func withInternal(m map[string]string, port int) map[string]string {
	m = maps.Clone(m)
	if v, ok := m["advertised.listeners"]; ok {
		m["advertised.listeners"] = fmt.Sprintf("%s,INTERNAL://127.0.0.1:%d", v, port)
	}
	return m
}

func pairDefaults(node, port, internal, controller int) map[string]string {
	m := defaults(port, controller)
	m["node.id"] = fmt.Sprint(node)
	inside := fmt.Sprintf("INTERNAL://127.0.0.1:%d", internal)
	m["listeners"] = fmt.Sprintf("PLAINTEXT://127.0.0.1:%d,%s", port, inside)
	if node == 1 {
		m["listeners"] += fmt.Sprintf(",CONTROLLER://127.0.0.1:%d", controller)
	} else {
		m["process.roles"] = "broker"
	}
	m["advertised.listeners"] = m["advertised.listeners"] + "," + inside
	m["listener.security.protocol.map"] += ",INTERNAL:PLAINTEXT"
	m["inter.broker.listener.name"] = "INTERNAL"
	m["auto.leader.rebalance.enable"] = "false" // Lead says who leads
	for _, k := range []string{"default.replication.factor", "offsets.topic.replication.factor", "transaction.state.log.replication.factor"} {
		m[k] = "2"
	}
	return m
}

// Close ends both.
func (p *Pair) Close() error { return errors.Join(p.Two.Close(), p.One.Close()) }

// Topics whose partitions' leaders are the coordinators.
const (
	TransactionState = "__transaction_state"
	ConsumerOffsets  = "__consumer_offsets"
)

// Lead makes a node the leader of all partitions of topics, and so the
// coordinator of what they hold. It waits until the node has caught up, and
// until both nodes know.
func (p *Pair) Lead(ctx context.Context, node int32, topics ...string) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(p.One.Addr()))
	if err != nil {
		return err
	}
	defer cl.Close()
	for {
		done, err := lead(ctx, cl, node, topics)
		if done {
			return nil
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("node %d does not come to lead %v: %w", node, topics, errors.Join(ctx.Err(), err))
		}
	}
}

// lead is one try: a node that was just started may not answer yet, or lag
// behind.
func lead(ctx context.Context, cl *kgo.Client, node int32, topics []string) (done bool, err error) {
	req := kmsg.NewPtrMetadataRequest()
	for _, name := range topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = &name
		req.Topics = append(req.Topics, t)
	}
	assign, elect := kmsg.NewPtrAlterPartitionAssignmentsRequest(), kmsg.NewPtrElectLeadersRequest()
	assign.TimeoutMillis, elect.TimeoutMillis = 5000, 5000
	done = true
	for _, broker := range []int{1, 2} { // both know
		resp, err := req.RequestWith(ctx, cl.Broker(broker))
		if err != nil {
			return false, err
		}
		for _, t := range resp.Topics {
			if t.ErrorCode != 0 {
				return false, fmt.Errorf("topic %s: %w", *t.Topic, kerr.ErrorForCode(t.ErrorCode))
			}
			for _, part := range t.Partitions {
				if part.Leader != node {
					done = false
					collect(assign, elect, *t.Topic, part.Partition, node)
				}
			}
		}
	}
	if done {
		return true, nil
	}
	if _, err := assign.RequestWith(ctx, cl); err != nil {
		return false, err
	}
	_, err = elect.RequestWith(ctx, cl)
	return false, err
}

// collect adds a partition, once, to what is asked of the controller.
func collect(assign *kmsg.AlterPartitionAssignmentsRequest, elect *kmsg.ElectLeadersRequest, topic string, part, node int32) {
	i := slices.IndexFunc(elect.Topics, func(t kmsg.ElectLeadersRequestTopic) bool { return t.Topic == topic })
	if i < 0 {
		i = len(elect.Topics)
		et, at := kmsg.NewElectLeadersRequestTopic(), kmsg.NewAlterPartitionAssignmentsRequestTopic()
		et.Topic, at.Topic = topic, topic
		elect.Topics, assign.Topics = append(elect.Topics, et), append(assign.Topics, at)
	}
	if slices.Contains(elect.Topics[i].Partitions, part) {
		return
	}
	elect.Topics[i].Partitions = append(elect.Topics[i].Partitions, part)
	ap := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
	ap.Partition, ap.Replicas = part, []int32{node, 3 - node}
	assign.Topics[i].Partitions = append(assign.Topics[i].Partitions, ap)
}
