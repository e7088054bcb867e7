package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
)

// clientConfig reads properties.*. No network is touched; a file with
// certificates is read.
func clientConfig(o *connectors.Options) (client.Config, error) {
	servers, err := client.ParseBootstrap(o.Text(optServers))
	if err != nil {
		return client.Config{}, err
	}
	c := client.Config{
		Bootstrap:      servers,
		ClientID:       o.Text("properties.client.id"),
		RequestTimeout: time.Duration(o.Int("properties.request.timeout.ms")) * time.Millisecond,
		DialFunc:       dialForTests,
	}
	protocol := strings.ToUpper(o.Text("properties.security.protocol"))
	if strings.HasSuffix(protocol, "SSL") {
		if c.TLS, err = tlsConfig(o); err != nil {
			return c, err
		}
	}
	if strings.HasPrefix(protocol, "SASL") {
		if c.SASL, err = saslConfig(o); err != nil {
			return c, err
		}
	}
	return c, nil
}

// dialForTests, if set, replaces the network.
var dialForTests = client.Config{}.DialFunc

func tlsConfig(o *connectors.Options) (*tls.Config, error) {
	const location, certificates = "properties.ssl.truststore.location", "properties.ssl.truststore.certificates"
	conf := &tls.Config{MinVersion: tls.VersionTLS12}
	pem := []byte(o.Text(certificates))
	if file := o.Text(location); file != "" {
		var err error
		if pem, err = os.ReadFile(file); err != nil {
			return nil, fmt.Errorf("'%s': %w", location, err)
		}
	}
	if len(pem) == 0 {
		return conf, nil // the system's authorities
	}
	conf.RootCAs = x509.NewCertPool()
	if !conf.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("'%s' holds no certificate in PEM form; a Java trust store is converted by `keytool -exportcert -rfc`", location)
	}
	return conf, nil
}

var jaasField = regexp.MustCompile(`(username|password)\s*=\s*(?:"([^"]*)"|'([^']*)')`)

func saslConfig(o *connectors.Options) (*client.SASL, error) {
	const key = "properties.sasl.jaas.config"
	s := &client.SASL{Mechanism: strings.ToUpper(o.Text("properties.sasl.mechanism"))}
	for _, m := range jaasField.FindAllStringSubmatch(o.Text(key), -1) {
		if m[1] == "username" {
			s.User = m[2] + m[3]
		} else {
			s.Password = m[2] + m[3]
		}
	}
	if s.User == "" || s.Password == "" {
		return nil, fmt.Errorf(`'%s' must hold username="…" password="…"`, key)
	}
	return s, nil
}
