package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
)

// hintTLS says which setting a failed handshake is about; false for errors
// that are none. shown: a client certificate was there to be shown.
func hintTLS(err error, shown bool) (error, bool) {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var plain tls.RecordHeaderError
	hint := ""
	switch {
	case errors.As(err, &authority):
		hint = "no authority of 'properties.ssl.truststore.location' vouches for the broker's certificate"
	case errors.As(err, &name):
		hint = "the broker's certificate is for another name; 'properties.ssl.endpoint.identification.algorithm' = '' accepts it"
	case errors.As(err, &plain):
		hint = "the broker does not speak TLS there; is it the right port, and 'properties.security.protocol' right?"
	case strings.Contains(err.Error(), "certificate required"), !shown && strings.Contains(err.Error(), "bad certificate"):
		hint = "the broker asks for a client certificate: 'properties.ssl.keystore.location' names it"
	case strings.Contains(err.Error(), "remote error: tls:"):
		hint = "the broker refused the handshake; does it trust the certificate of 'properties.ssl.keystore.location'?"
	}
	if hint == "" {
		return err, false
	}
	return fmt.Errorf("TLS: %s: %w", hint, err), true
}
