package kafka

import (
	"fmt"
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

// jaasField is username or password in a login module's line; the value is
// in quotes, in which a backslash goes before a quote or backslash, or bare.
var jaasField = regexp.MustCompile(`\b(username|password)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s"';]+))`)

var jaasEscape = regexp.MustCompile(`\\(.)`)

func saslConfig(o *connectors.Options) (*client.SASL, error) {
	const key = "properties.sasl.jaas.config"
	s := &client.SASL{Mechanism: strings.ToUpper(o.Text("properties.sasl.mechanism"))}
	for _, m := range jaasField.FindAllStringSubmatch(o.Text(key), -1) {
		value := jaasEscape.ReplaceAllString(m[2]+m[3], "$1") + m[4]
		if m[1] == "username" {
			s.User = value
		} else {
			s.Password = value
		}
	}
	if s.User == "" || s.Password == "" {
		return nil, fmt.Errorf(`'%s' must hold username="…" password="…"`, key)
	}
	return s, nil
}
