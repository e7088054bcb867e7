//go:build kafka

package kafka

import (
	"context"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/kafkatest"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// secured is a real Kafka with listeners for mutual TLS and for SASL over
// TLS, and an authorizer; the plaintext one is the administrator's.
type secured struct {
	*kafkatest.Broker
	authority *authority
	tls, sasl string // addresses
	admin     *kgo.Client
}

func startSecured(t *testing.T) *secured {
	t.Helper()
	s := &secured{authority: newAuthority(t)}
	s.tls, s.sasl = freeAddr(t), freeAddr(t)
	store, _, _ := s.authority.issue("broker", loopback)
	const scram = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
	listeners := fmt.Sprintf(",MTLS://%s,SECURE://%s", s.tls, s.sasl)
	s.Broker = kafkatest.Require(t, kafkatest.Options{Settings: map[string]string{
		"listeners":                                           listeners,
		"advertised.listeners":                                listeners,
		"listener.security.protocol.map":                      ",MTLS:SSL,SECURE:SASL_SSL",
		"ssl.keystore.type":                                   "PEM",
		"ssl.keystore.location":                               store,
		"ssl.truststore.type":                                 "PEM",
		"ssl.truststore.location":                             s.authority.file,
		"listener.name.mtls.ssl.client.auth":                  "required",
		"inter.broker.listener.name":                          "PLAINTEXT",
		"listener.name.secure.ssl.client.auth":                "none",
		"sasl.enabled.mechanisms":                             "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
		"listener.name.secure.plain.sasl.jaas.config":         `org.apache.kafka.common.security.plain.PlainLoginModule required user_ann="hunter2";`,
		"listener.name.secure.scram-sha-256.sasl.jaas.config": scram,
		"listener.name.secure.scram-sha-512.sasl.jaas.config": scram,
		"authorizer.class.name":                               "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
		"super.users":                                         "User:ANONYMOUS;User:ann;User:CN=client",
	}})
	var err error
	if s.admin, err = kgo.NewClient(kgo.SeedBrokers(s.Addr())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.admin.Close)
	return s
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (s *secured) context(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func (s *secured) topic(t *testing.T, name string) {
	t.Helper()
	if err := kafkatest.CreateTopic(s.context(t), s.Addr(), name, 2); err != nil {
		t.Fatal(err)
	}
}

// user makes a user of both SCRAM mechanisms.
func (s *secured) user(t *testing.T, name, password string) {
	t.Helper()
	const iterations = 4096
	salt := make([]byte, 16)
	rand.Read(salt)
	for mechanism, h := range map[int8]func() hash.Hash{1: sha256.New, 2: sha512.New} {
		salted, err := pbkdf2.Key(h, password, salt, iterations, h().Size())
		if err != nil {
			t.Fatal(err)
		}
		u := kmsg.NewAlterUserSCRAMCredentialsRequestUpsertion()
		u.Name, u.Mechanism, u.Iterations, u.Salt, u.SaltedPassword = name, mechanism, iterations, salt, salted
		req := kmsg.NewPtrAlterUserSCRAMCredentialsRequest() // a user may be in it once only
		req.Upsertions = append(req.Upsertions, u)
		resp, err := req.RequestWith(s.context(t), s.admin)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range resp.Results {
			if err := kerr.ErrorForCode(r.ErrorCode); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// grants gives a user permissions, those of a case, on its own topic.
func (s *secured) grants(t *testing.T, user, topic string, list []grant) {
	t.Helper()
	req := kmsg.NewPtrCreateACLsRequest()
	for _, g := range list {
		name, pattern := g.pattern()
		c := kmsg.NewCreateACLsRequestCreation()
		c.ResourceType, c.ResourceName, c.ResourcePatternType = g.on, topic+strings.TrimPrefix(name, "t"), pattern
		c.Principal, c.Host, c.Operation, c.PermissionType = "User:"+user, "*", g.op, kmsg.ACLPermissionTypeAllow
		req.Creations = append(req.Creations, c)
	}
	if len(req.Creations) == 0 {
		return
	}
	resp, err := req.RequestWith(s.context(t), s.admin)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range resp.Results {
		if err := kerr.ErrorForCode(r.ErrorCode); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKafkaSecurity: mutual TLS, each SASL mechanism over TLS, and each
// missing permission, on one broker.
func TestKafkaSecurity(t *testing.T) {
	s := startSecured(t)
	trust := []string{optTrustFile, s.authority.file}
	t.Run("mutual TLS", func(t *testing.T) {
		s.topic(t, "tls")
		store, _, _ := s.authority.issue("client")
		passes(t, securedJob(t, s.tls, "tls", append(trust, "properties.security.protocol", "SSL", optKeyFile, store)...))
		fails(t, jsonOptions(s.tls, append(trust, "topic", "tls", "properties.security.protocol", "SSL")...), "asks for a client certificate", optKeyFile)
		stranger, _, _ := newAuthority(t).issue("stranger")
		fails(t, jsonOptions(s.tls, append(trust, "topic", "tls", "properties.security.protocol", "SSL", optKeyFile, stranger)...), "refused the handshake")
		fails(t, jsonOptions(s.tls, "topic", "tls", "properties.request.timeout.ms", "3000"), "properties.security.protocol")
	})
	s.user(t, "ann", "hunter2")
	for i, m := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		t.Run(m, func(t *testing.T) {
			topic := fmt.Sprintf("sasl%d", i)
			s.topic(t, topic)
			passes(t, securedJob(t, s.sasl, topic, append(trust, sasl("SASL_SSL", m, "ann", "hunter2")...)...))
			fails(t, jsonOptions(s.sasl, append(append(trust, "topic", topic), sasl("SASL_SSL", m, "ann", "wrong-one")...)...), "SASL_AUTHENTICATION_FAILED", "sasl.jaas.config")
		})
	}
	for i, c := range deniedCases() {
		t.Run("denied/"+c.name, func(t *testing.T) {
			// A user and a topic a case: permissions are cached for a moment.
			user, topic := fmt.Sprintf("eve%d", i), fmt.Sprintf("denied%d", i)
			s.topic(t, topic)
			s.user(t, user, "hunter2")
			s.grants(t, user, topic, c.has)
			j := securedJob(t, s.sasl, topic, append(trust, sasl("SASL_SSL", "SCRAM-SHA-256", user, "hunter2")...)...)
			checkDenied(t, j, strings.NewReplacer(" t-", " "+topic+"-", "topic t", "topic "+topic).Replace(c.lacks))
		})
	}
}
