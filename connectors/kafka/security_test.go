package kafka

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// authority makes certificates in a folder.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // its own certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	self := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, key := a.sign(self, nil, nil)
	var err error
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.key, a.file = key, filepath.Join(a.dir, "authority.pem")
	a.write(a.file, block("CERTIFICATE", der))
	return a
}

func (a *authority) sign(c, parent *x509.Certificate, by *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	if parent == nil {
		parent, by = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, by)
	if err != nil {
		a.t.Fatal(err)
	}
	return der, key
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func (a *authority) write(file string, parts ...[]byte) {
	a.t.Helper()
	var text []byte
	for _, p := range parts {
		text = append(text, p...)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// issue makes a certificate for a name and addresses; file holds key and
// chain, as Kafka's PEM stores do.
func (a *authority) issue(name string, ips ...net.IP) (file string, key, chain []byte) {
	a.t.Helper()
	c := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, IPAddresses: ips, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, private := a.sign(c, a.cert, a.key)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	key, chain = block("PRIVATE KEY", pkcs8), append(block("CERTIFICATE", der), block("CERTIFICATE", a.cert.Raw)...)
	file = filepath.Join(a.dir, name+".pem")
	a.write(file, key, chain)
	return file, key, chain
}

// server is the TLS side of an embedded broker that asks for certificates.
func (a *authority) server(name string, ips ...net.IP) *tls.Config {
	a.t.Helper()
	_, key, chain := a.issue(name, ips...)
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		a.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}
}

var loopback = net.IPv4(127, 0, 0, 1)

func startKfake(t *testing.T, opts ...kfake.Opt) string {
	t.Helper()
	c, err := kfake.NewCluster(append(opts, kfake.NumBrokers(1), kfake.SeedTopics(2, "t"))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.ListenAddrs()[0]
}

// securedJob is the job in small with settings of a client.
func securedJob(t *testing.T, addr, topic string, more ...string) *job {
	t.Helper()
	j := newJob(t, addr, topic)
	given := jsonOptions(addr, append([]string{"topic", topic, optSemantic, "exactly-once", optTxnPrefix, topic, "properties.request.timeout.ms", "5000"}, more...)...)
	j.table = mustTable(t, "kafka", idColumns, nil, given)
	return j
}

// passes runs the job to its end and reads everything back.
func passes(t *testing.T, j *job) {
	t.Helper()
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.check(); err != nil {
		t.Fatal(err)
	}
}

// fails opens a source's splits, which is the first request of all.
func fails(t *testing.T, given map[string]string, words ...string) {
	t.Helper()
	err := refusal("kafka", nil, given)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
	for _, secret := range []string{"hunter2", "wrong-one", "PRIVATE KEY"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("error %q shows a secret", err)
		}
	}
}

func TestMutualTLS(t *testing.T) {
	a := newAuthority(t)
	store, key, chain := a.issue("client")
	addr := startKfake(t, kfake.TLS(a.server("broker", loopback)))
	trust := []string{"properties.security.protocol", "SSL", optTrustFile, a.file}
	t.Run("by file", func(t *testing.T) { passes(t, securedJob(t, addr, "t", append(trust, optKeyFile, store)...)) })
	t.Run("by text", func(t *testing.T) {
		text, err := os.ReadFile(a.file)
		if err != nil {
			t.Fatal(err)
		}
		j := securedJob(t, addr, "t", "properties.security.protocol", "SSL", optTrustText, string(text), optKeyText, string(key), optKeyChain, string(chain))
		if got := readAll(t, "kafka", j.table); len(got) != j.records {
			t.Fatalf("%d rows, want those of the first run", len(got))
		}
		for _, kv := range j.table.Options.All() {
			if strings.Contains(kv[1], "PRIVATE KEY") {
				t.Errorf("option %s shows the key", kv[0])
			}
		}
	})
	ok := jsonOptions(addr, append(trust, "properties.request.timeout.ms", "2000")...)
	other := newAuthority(t)
	stranger, _, _ := other.issue("stranger")
	t.Run("no certificate", func(t *testing.T) { fails(t, ok, "asks for a client certificate", optKeyFile) })
	t.Run("of another authority", func(t *testing.T) { fails(t, with(ok, optKeyFile, stranger), "refused the handshake") })
	t.Run("broker not trusted", func(t *testing.T) {
		fails(t, with(ok, optTrustFile, other.file, optKeyFile, store), "no authority of", optTrustFile)
	})
	t.Run("plaintext", func(t *testing.T) {
		fails(t, jsonOptions(addr, "properties.request.timeout.ms", "2000"), "does the broker expect TLS")
	})
	t.Run("key without chain", func(t *testing.T) { fails(t, with(ok, optKeyText, string(key)), optKeyChain, "together") })
	t.Run("no key in the file", func(t *testing.T) { fails(t, with(ok, optKeyFile, a.file), optKeyFile, "private key") })
	t.Run("key twice", func(t *testing.T) {
		fails(t, with(ok, optKeyFile, store, optKeyText, string(key)), "must not be given beside")
	})
	t.Run("encrypted key", func(t *testing.T) {
		fails(t, with(ok, optKeyFile, store, "properties.ssl.key.password", "hunter2"), "'properties.ssl.key.password' is not supported yet")
	})
	t.Run("a broker without TLS", func(t *testing.T) {
		fails(t, with(ok, optServers, startKfake(t), optKeyFile, store), "properties.security.protocol")
	})
}

// TestHostName: the certificate is for another name than the broker's.
func TestHostName(t *testing.T) {
	a := newAuthority(t)
	store, _, _ := a.issue("client")
	addr := startKfake(t, kfake.TLS(a.server("elsewhere", net.IPv4(10, 0, 0, 1))))
	more := []string{"properties.security.protocol", "SSL", optTrustFile, a.file, optKeyFile, store}
	fails(t, jsonOptions(addr, append(more, "properties.request.timeout.ms", "2000")...), "for another name", optIdentify)
	passes(t, securedJob(t, addr, "t", append(more, optIdentify, "")...))
	// Without a name it still has to be vouched for.
	other := newAuthority(t)
	fails(t, jsonOptions(addr, append(more, optTrustFile, other.file, optIdentify, "", "properties.request.timeout.ms", "2000")...), "no authority of")
}

// jaas is the login of a mechanism.
func jaas(user, password string) string {
	return `org.apache.kafka.common.security.scram.ScramLoginModule required username="` + user + `" password="` + password + `";`
}

func sasl(protocol, mechanism, user, password string) []string {
	return []string{"properties.security.protocol", protocol, "properties.sasl.mechanism", mechanism, "properties.sasl.jaas.config", jaas(user, password)}
}

func TestSASL(t *testing.T) {
	for _, m := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		t.Run(m, func(t *testing.T) {
			addr := startKfake(t, kfake.EnableSASL(), kfake.Superuser(m, "ann", "hunter2"))
			passes(t, securedJob(t, addr, "t", sasl("SASL_PLAINTEXT", m, "ann", "hunter2")...))
			fails(t, jsonOptions(addr, sasl("SASL_PLAINTEXT", m, "ann", "wrong-one")...), "sasl.jaas.config")
			fails(t, jsonOptions(addr, "properties.request.timeout.ms", "2000"), "SASL")
		})
	}
}

func TestJaas(t *testing.T) {
	for text, want := range map[string]string{
		`x.PlainLoginModule required username="u" password="p";`:       "u p",
		`x.PlainLoginModule required password='p' username='u' ;`:      "u p",
		`x required username=u password=p;`:                            "u p",
		`x required username="u" password="a\"b\\c";`:                  `u a"b\c`,
		`x required username = "u" password = "it's; = \"username\"";`: `u it's; = "username"`,
		`x required username="u";`:                                     "",
		`x required user_u="p";`:                                       "",
	} {
		table := mustTable(t, "kafka", idColumns, nil, jsonOptions("127.0.0.1:1", "properties.sasl.jaas.config", text))
		s, err := saslConfig(table.Options)
		switch {
		case want == "" && err == nil:
			t.Errorf("%s: accepted as %+v", text, s)
		case want != "" && (err != nil || s.User+" "+s.Password != want):
			t.Errorf("%s: %+v, %v; want %s", text, s, err, want)
		}
	}
}

// grant is a permission; names of prefixed ones end in '*'.
type grant struct {
	on   kmsg.ACLResourceType
	name string
	op   kmsg.ACLOperation
}

func (g grant) pattern() (string, kmsg.ACLResourcePatternType) {
	if p, ok := strings.CutSuffix(g.name, "*"); ok {
		return p, kmsg.ACLResourcePatternTypePrefixed
	}
	return g.name, kmsg.ACLResourcePatternTypeLiteral
}

// deniedCase lacks one permission that a job needs.
type deniedCase struct {
	name  string
	has   []grant
	lacks string // "" : nothing
	real  bool   // the embedded broker does not check it
}

func deniedCases() []deniedCase {
	const topic, group, id = kmsg.ACLResourceTypeTopic, kmsg.ACLResourceTypeGroup, kmsg.ACLResourceTypeTransactionalId
	describe, write, read := grant{topic, "t", kmsg.ACLOperationDescribe}, grant{topic, "t", kmsg.ACLOperationWrite}, grant{topic, "t", kmsg.ACLOperationRead}
	idDescribe, idWrite, groupRead := grant{id, "t-*", kmsg.ACLOperationDescribe}, grant{id, "t-*", kmsg.ACLOperationWrite}, grant{group, "t-*", kmsg.ACLOperationRead}
	return []deniedCase{
		{"nothing", nil, "on transactional.id t-sink-owner", false},
		{"no write on the id", []grant{describe, idDescribe}, "WRITE on transactional.id t-sink-owner", false},
		{"no describe on the topic", []grant{idWrite}, "DESCRIBE on topic t", false},
		{"no write on the topic", []grant{describe, idWrite, groupRead}, "WRITE on topic t", false},
		{"no group", []grant{write, idWrite}, "READ on group t-sink-0-", false},
		{"no read for the marker", []grant{write, idWrite, groupRead}, "READ on topic t (a commit marker", true},
		{"all", []grant{write, read, idWrite, groupRead}, "", false},
	}
}

// TestDenied: a missing permission stops the job with one error that names
// it.
func TestDenied(t *testing.T) {
	for _, c := range deniedCases() {
		if c.real {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			var acls []kfake.ACL
			for _, g := range c.has {
				name, pattern := g.pattern()
				acls = append(acls, kfake.ACL{Resource: g.on, Name: name, Pattern: pattern, Operation: g.op, Allow: true})
			}
			addr := startKfake(t, kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "root", "root"), kfake.User("PLAIN", "eve", "hunter2", acls...))
			checkDenied(t, securedJob(t, addr, "t", sasl("SASL_PLAINTEXT", "PLAIN", "eve", "hunter2")...), c.lacks)
		})
	}
}

func checkDenied(t *testing.T, j *job, lacks string) {
	t.Helper()
	if lacks == "" {
		passes(t, j)
		return
	}
	err := j.run(newProcess())
	var fatal *exec.FatalError
	if !errors.As(err, &fatal) {
		t.Fatalf("got %v, want an error that no restart repeats", err)
	}
	if !strings.Contains(err.Error(), "the missing permission is ") || !strings.Contains(err.Error(), lacks) {
		t.Fatalf("error %q does not name %q", err, lacks)
	}
}

// TestDeniedRead: a source that may describe the topic and not read it.
func TestDeniedRead(t *testing.T) {
	addr := startKfake(t, kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "root", "root"),
		kfake.User("PLAIN", "eve", "hunter2", kfake.ACL{Resource: kmsg.ACLResourceTypeTopic, Name: "t", Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: kmsg.ACLOperationDescribe, Allow: true}))
	passes(t, securedJob(t, addr, "t", sasl("SASL_PLAINTEXT", "PLAIN", "root", "root")...))
	err := nextError(t, mustTable(t, "kafka", idColumns, nil, jsonOptions(addr, sasl("SASL_PLAINTEXT", "PLAIN", "eve", "hunter2")...)), nil)
	var fatal *exec.FatalError
	if !errors.As(err, &fatal) || !strings.Contains(err.Error(), "the missing permission is READ on topic t") {
		t.Fatalf("got %v", err)
	}
}
