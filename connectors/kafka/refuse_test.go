package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/broker"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// refusal is the error of opening and running a table.
func refusal(connector string, key []int, given map[string]string) error {
	table, err := newTable(connector, idColumns, key, given)
	if err != nil {
		return err
	}
	c, _ := connectors.Lookup(connector)
	src, err := c.Source(table)
	if err != nil {
		return err
	}
	scan, err := src.Scan(fullScan(table))
	if err != nil {
		return err
	}
	sink, err := c.Sink(table)
	if err != nil {
		return err
	}
	if _, err = sink.Sink(); err != nil {
		return err
	}
	_, err = scan.Splits(context.Background())
	return err
}

func TestRefusals(t *testing.T) {
	b := startBroker(t, broker.Topic{Name: "t"})
	ok := jsonOptions(b.Addr())
	up := upsertJSON(b.Addr())
	less := func(m map[string]string, keys ...string) map[string]string {
		m = with(m)
		for _, k := range keys {
			delete(m, k)
		}
		return m
	}
	for name, c := range map[string]struct {
		connector string
		key       []int
		given     map[string]string
		want      []string
	}{
		"two names, two values": {"kafka", nil, with(ok, optSemantic, "none", optGuarantee, "exactly-once"), []string{"'sink.semantic' = 'none'", "'sink.delivery-guarantee' = 'exactly-once'"}},
		"pre-commit log":        {"kafka", nil, with(ok, optLog, "true"), []string{"'sink.pre-commit-log'", "'sink.delivery-guarantee' = 'exactly-once'"}},
		"log without markers":   {"kafka", nil, with(ok, optSemantic, "exactly-once", optLog, "true", optMarker, "false"), []string{"'sink.pre-commit-log'", "'sink.commit-marker' = 'false'"}},
		"misspelt option":       {"kafka", nil, with(ok, "scan.startup.mod", "x"), []string{"did you mean 'scan.startup.mode'"}},
		"unknown property":      {"kafka", nil, with(ok, "properties.foo", "x"), []string{"'properties.foo' is not supported yet"}},
		"discovery":             {"kafka", nil, with(ok, "scan.topic-partition-discovery.interval", "5 min"), []string{"'scan.topic-partition-discovery.interval'", "not supported yet"}},
		"no topic":              {"kafka", nil, less(ok, "topic"), []string{"option 'topic' is missing"}},
		"missing topic":         {"kafka", nil, with(ok, "topic", "nowhere"), []string{`topic "nowhere"`, "create the topic"}},
		"no servers":            {"kafka", nil, less(ok, optServers), []string{"'properties.bootstrap.servers' is missing"}},
		"bad servers":           {"kafka", nil, with(ok, optServers, "localhost"), []string{`"localhost" is not host:port`}},
		"key of plain kafka":    {"kafka", []int{0}, ok, []string{"upsert-kafka"}},
		"two formats":           {"kafka", nil, with(ok, "value.format", "json"), []string{"'format'", "'value.format'"}},
		"key fields alone":      {"kafka", nil, with(ok, "key.fields", "id"), []string{"'key.fields' needs 'key.format'"}},
		"unknown key field":     {"kafka", nil, with(ok, "key.fields", "x", "key.format", "json"), []string{`no physical column "x"`}},
		"upsert without key":    {"upsert-kafka", nil, up, []string{"PRIMARY KEY"}},
		"upsert without format": {"upsert-kafka", []int{0}, less(up, "key.format"), []string{"'key.format' is missing"}},
		"no group":              {"kafka", nil, less(ok, "scan.startup.mode"), []string{"'scan.startup.mode' = 'earliest-offset'", "'properties.group.id' is not set"}},
		"no group offset":       {"kafka", nil, with(less(ok, "scan.startup.mode"), optGroup, "g"), []string{"group 'g' has no offset for partition t/0", "auto.offset.reset"}},
		"no timestamp":          {"kafka", nil, with(ok, optStartup, "timestamp"), []string{"'scan.startup.timestamp-millis'"}},
		"bad offsets":           {"kafka", nil, with(ok, optStartup, "specific-offsets", "scan.startup.specific-offsets", "0:5"), []string{"'partition:0,offset:42'"}},
		"no such partition":     {"kafka", nil, with(ok, optStartup, "specific-offsets", "scan.startup.specific-offsets", "partition:7,offset:5"), []string{"no partition 7"}},
		"no password":           {"kafka", nil, with(ok, "properties.security.protocol", "SASL_PLAINTEXT"), []string{"properties.sasl.jaas.config", "username"}},
		"java trust store":      {"kafka", nil, with(ok, "properties.ssl.truststore.type", "JKS"), []string{"'PEM'"}},
		"tiny time-out":         {"kafka", nil, with(ok, optSemantic, "exactly-once", optTxnTimeout, "5000"), []string{"5000", "10000"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := refusal(c.connector, c.key, c.given)
			if err == nil {
				t.Fatal("accepted")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q does not say %q", err, w)
				}
			}
		})
	}
	if err := refusal("kafka", nil, with(ok, optSemantic, "exactly-once", optGuarantee, "exactly-once")); err != nil {
		t.Errorf("the same value under both names: %v", err)
	}
}

func TestExactlyOnceWithoutCheckpointsIsRefused(t *testing.T) {
	table := mustTable(t, "kafka", idColumns, nil, jsonOptions("127.0.0.1:1", optSemantic, "exactly-once"))
	table.Env.CheckpointInterval = 0
	if _, err := openSink(table, false); err == nil || !strings.Contains(err.Error(), "execution.checkpointing.interval") {
		t.Fatalf("got %v", err)
	}
}

func TestUnreachableBroker(t *testing.T) {
	err := refusal("kafka", nil, jsonOptions("127.0.0.1:1"))
	var u *client.Unreachable
	if !errors.As(err, &u) || !strings.Contains(err.Error(), "127.0.0.1:1") || !strings.Contains(err.Error(), "bootstrap.servers") {
		t.Fatalf("got %v", err)
	}
}

// nextError reads until the reader fails.
func nextError(t *testing.T, table *connectors.Table, splits []exec.Split) error {
	t.Helper()
	scan := fullScan(table)
	r := openReader(t, "kafka", table, scan, splits)
	defer r.Close()
	b := batchOf(scan)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for {
		if _, _, err := r.Next(ctx, b); err != nil {
			return err
		}
	}
}

func TestOffsetsThatAreGone(t *testing.T) {
	b := startBroker(t, broker.Topic{Name: "t"})
	table := mustTable(t, "kafka", idColumns, nil, jsonOptions(b.Addr(), "scan.bounded.mode", "unbounded"))
	writeAll(t, openWriterOf(t, "kafka", table), rowsOf(1, 2, 3))
	if err := b.Cluster().DeleteRecords("t", 0, 2); err != nil {
		t.Fatal(err)
	}
	err := nextError(t, table, []exec.Split{{ID: "t-0", Position: []byte("0")}})
	var fatal *exec.FatalError
	if !errors.As(err, &fatal) || !strings.Contains(err.Error(), "offset 0") || !strings.Contains(err.Error(), "2 to 3") {
		t.Fatalf("got %v", err)
	}
	err = nextError(t, table, []exec.Split{{ID: "t-0", Position: []byte("7")}})
	if !errors.As(err, &fatal) || !strings.Contains(err.Error(), "offset 7") {
		t.Fatalf("a truncated topic gave %v", err)
	}
}

func TestBadRecordIsLocated(t *testing.T) {
	b := startBroker(t, broker.Topic{Name: "t"})
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for _, v := range []string{`{"id":1}`, `{"id":"x"`, `{"id":3}`} {
		if err := cl.ProduceSync(context.Background(), &kgo.Record{Topic: "t", Value: []byte(v)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	table := mustTable(t, "kafka", idColumns[:1], nil, jsonOptions(b.Addr()))
	if err := nextError(t, table, nil); !strings.Contains(err.Error(), "partition t/0, offset 1") {
		t.Fatalf("got %v", err)
	}
	table = mustTable(t, "kafka", idColumns[:1], nil, jsonOptions(b.Addr(), "on-error", "skip"))
	if got := fmt.Sprint(readAll(t, "kafka", table)); got != "[+I|1 +I|3]" {
		t.Fatalf("with skip: %s", got)
	}
}

// TestAuthentication: SCRAM and PLAIN, right and wrong, over both kinds of
// connection (control calls, and fetch and produce).
func TestAuthentication(t *testing.T) {
	for _, mechanism := range client.Mechanisms {
		t.Run(mechanism, func(t *testing.T) {
			cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.Superuser(mechanism, "ann", "secret"), kfake.SeedTopics(1, "t"))
			if err != nil {
				t.Fatal(err)
			}
			defer cluster.Close()
			login := func(password string) map[string]string {
				return jsonOptions(cluster.ListenAddrs()[0], "properties.security.protocol", "SASL_PLAINTEXT", "properties.sasl.mechanism", mechanism,
					"properties.sasl.jaas.config", `org.apache.kafka.common.security.plain.PlainLoginModule required username="ann" password="`+password+`";`)
			}
			table := mustTable(t, "kafka", idColumns, nil, login("secret"))
			writeAll(t, openWriterOf(t, "kafka", table), rowsOf(1))
			if got := len(readAll(t, "kafka", table)); got != 1 {
				t.Fatalf("%d rows", got)
			}
			err = refusal("kafka", nil, login("guess"))
			if err == nil || strings.Contains(err.Error(), "guess") || !strings.Contains(err.Error(), "properties.sasl.jaas.config") {
				t.Fatalf("a wrong password gave %v", err)
			}
		})
	}
}

// TestAuthorisation: each missing permission is named, with what to allow.
func TestAuthorisation(t *testing.T) {
	allow := func(kind kmsg.ACLResourceType, name string, op kmsg.ACLOperation) kfake.ACL {
		return kfake.ACL{Resource: kind, Name: name, Pattern: kmsg.ACLResourcePatternTypePrefixed, Operation: op, Allow: true}
	}
	topic := []kfake.ACL{allow(kmsg.ACLResourceTypeTopic, "t", kmsg.ACLOperationWrite), allow(kmsg.ACLResourceTypeTopic, "t", kmsg.ACLOperationDescribe), allow(kmsg.ACLResourceTypeTopic, "t", kmsg.ACLOperationRead)}
	txn := []kfake.ACL{allow(kmsg.ACLResourceTypeTransactionalId, "t", kmsg.ACLOperationWrite), allow(kmsg.ACLResourceTypeTransactionalId, "t", kmsg.ACLOperationDescribe)}
	group := []kfake.ACL{allow(kmsg.ACLResourceTypeGroup, "t", kmsg.ACLOperationRead), allow(kmsg.ACLResourceTypeGroup, "t", kmsg.ACLOperationDescribe)}
	for name, c := range map[string]struct {
		acls []kfake.ACL
		more []string
		want []string
	}{
		"nothing":             {nil, nil, []string{"TRANSACTIONAL_ID_AUTHORIZATION_FAILED", "sink.transactional-id-prefix"}},
		"topic only":          {topic, nil, []string{"TRANSACTIONAL_ID_AUTHORIZATION_FAILED", "sink.transactional-id-prefix"}},
		"no group":            {slices.Concat(topic, txn), nil, []string{"GROUP_AUTHORIZATION_FAILED", "'sink.commit-marker'='false'"}},
		"no group, no marker": {slices.Concat(topic, txn), []string{"sink.commit-marker", "false"}, nil},
		"all":                 {slices.Concat(topic, txn, group), nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.EnableACLs(), kfake.User("PLAIN", "bob", "pw", c.acls...), kfake.SeedTopics(2, "t"))
			if err != nil {
				t.Fatal(err)
			}
			defer cluster.Close()
			j := newJob(t, cluster.ListenAddrs()[0], "t")
			login := jsonOptions(cluster.ListenAddrs()[0], append([]string{"sink.semantic", "exactly-once", "sink.transactional-id-prefix", "t",
				"properties.security.protocol", "SASL_PLAINTEXT", "properties.sasl.jaas.config", `x required username="bob" password="pw";`}, c.more...)...)
			j.table = mustTable(t, "kafka", idColumns, nil, login)
			if err := refusal("kafka", nil, login); c.acls == nil && !strings.Contains(fmt.Sprint(err), "TOPIC_AUTHORIZATION_FAILED") {
				t.Errorf("a source without permission: %v", err)
			}
			err = j.run(newProcess())
			if c.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				if err := j.check(); err != nil {
					t.Fatal(err)
				}
				return
			}
			var fatal *exec.FatalError
			if !errors.As(err, &fatal) {
				t.Fatalf("got %v, want a fatal error", err)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q does not say %q", err, w)
				}
			}
		})
	}
}
