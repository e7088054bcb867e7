package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"github.com/sqlstream/sqlstream/connectors"
)

// Keys of the stores. Both are PEM: a file, or the text itself.
const (
	optTrustFile = "properties.ssl.truststore.location"
	optTrustText = "properties.ssl.truststore.certificates"
	optKeyFile   = "properties.ssl.keystore.location"
	optKeyChain  = "properties.ssl.keystore.certificate.chain"
	optKeyText   = "properties.ssl.keystore.key"
	optIdentify  = "properties.ssl.endpoint.identification.algorithm"
)

// tlsOptions are about the client's own certificate and the broker's name;
// those of the trust store are in commonOptions.
var tlsOptions = []connectors.Option{
	{Key: "properties.ssl.keystore.type", Kind: connectors.Enum, Default: "PEM", Values: []string{"PEM"}, Doc: "kind of the key store: PEM only"},
	{Key: optKeyFile, Doc: "file with the client's private key and certificate chain (PEM), for brokers that ask for one (mutual TLS)"},
	{Key: optKeyChain, Doc: "the client's certificate chain (PEM) itself"},
	{Key: optKeyText, Secret: true, Doc: "the client's private key (PEM, PKCS#8, not encrypted) itself"},
	{Key: "properties.ssl.key.password", Secret: true, Unsupported: true, Doc: "password of an encrypted private key"},
	{Key: "properties.ssl.keystore.password", Secret: true, Unsupported: true, Doc: "PEM stores have none"},
	{Key: "properties.ssl.truststore.password", Secret: true, Unsupported: true, Doc: "PEM stores have none"},
	{Key: optIdentify, Kind: connectors.Enum, Default: "https", Values: []string{"https", ""}, Doc: "https: the broker's certificate must be for its host name; '': any name that an authority vouches for"},
}

// tlsConfig reads ssl.*; files are read.
func tlsConfig(o *connectors.Options) (*tls.Config, error) {
	conf := &tls.Config{MinVersion: tls.VersionTLS12}
	pem, from, err := pemOf(o, optTrustFile, optTrustText)
	if err != nil {
		return nil, err
	}
	if len(pem) > 0 { // else the system's authorities
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("'%s' holds no certificate in PEM form; a Java trust store is converted by `keytool -exportcert -rfc`", from)
		}
	}
	if conf.Certificates, err = clientCertificate(o); err != nil {
		return nil, err
	}
	if o.Text(optIdentify) == "" {
		conf.InsecureSkipVerify = true // VerifyConnection does all but the name
		conf.VerifyConnection = func(s tls.ConnectionState) error { return vouchedFor(s, conf.RootCAs) }
	}
	return conf, nil
}

// pemOf is the text of a file, or the text itself, and which key it is from.
func pemOf(o *connectors.Options, file, text string) ([]byte, string, error) {
	path := o.Text(file)
	if path == "" {
		return []byte(o.Text(text)), text, nil
	}
	if o.Given(text) {
		return nil, "", fmt.Errorf("'%s' and '%s' exclude each other", file, text)
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, "", fmt.Errorf("'%s': %w", file, err)
	}
	return pem, file, nil
}

// clientCertificate is what the client shows to a broker that asks; none if
// no key store is given.
func clientCertificate(o *connectors.Options) ([]tls.Certificate, error) {
	chain, from, err := pemOf(o, optKeyFile, optKeyChain)
	if err != nil {
		return nil, err
	}
	key := []byte(o.Text(optKeyText))
	switch {
	case from == optKeyFile && len(key) > 0:
		return nil, fmt.Errorf("'%s' holds the key, too: '%s' must not be given beside it", optKeyFile, optKeyText)
	case from == optKeyFile:
		key = chain
	case len(chain) == 0 && len(key) == 0:
		return nil, nil
	case len(chain) == 0 || len(key) == 0:
		return nil, fmt.Errorf("'%s' and '%s' must be given together", optKeyChain, optKeyText)
	}
	// The error names what is wrong, and no content.
	c, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return nil, fmt.Errorf("'%s': %w; expected a private key (PEM, not encrypted) and the certificates of its chain; a Java key store is converted by `openssl pkcs12 -nodes`", from, err)
	}
	return []tls.Certificate{c}, nil
}

// vouchedFor checks the broker's chain, whatever name it is for.
func vouchedFor(s tls.ConnectionState, roots *x509.CertPool) error {
	others := x509.NewCertPool()
	for _, c := range s.PeerCertificates[1:] {
		others.AddCert(c)
	}
	_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: others})
	return err
}
