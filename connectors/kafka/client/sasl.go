package client

import (
	"context"
	"fmt"

	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/xdg-go/scram"
)

// Mechanisms are the values of sasl.mechanism that we can speak.
var Mechanisms = []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"}

// scramClient is one SCRAM conversation in the shape that sarama wants.
type scramClient struct {
	mechanism    string
	conversation *scram.ClientConversation
}

func (s *scramClient) Begin(user, password, authzID string) error {
	hash := scram.SHA256
	if s.mechanism == "SCRAM-SHA-512" {
		hash = scram.SHA512
	}
	c, err := hash.NewClient(user, password, authzID)
	if err != nil {
		return err
	}
	s.conversation = c.NewConversation()
	return nil
}

func (s *scramClient) Step(challenge string) (string, error) { return s.conversation.Step(challenge) }
func (s *scramClient) Done() bool                            { return s.conversation.Done() }

// authenticate runs the SASL exchange on a fresh connection.
func (c *Conn) authenticate(ctx context.Context, a *SASL) error {
	shake := kmsg.NewPtrSASLHandshakeRequest()
	shake.Version, shake.Mechanism = 1, a.Mechanism
	resp, err := c.Do(ctx, shake)
	if err != nil {
		return err
	}
	if r := resp.(*kmsg.SASLHandshakeResponse); r.ErrorCode != 0 {
		return fmt.Errorf("sasl.mechanism %s: %w; it offers %v", a.Mechanism, codes.Code(r.ErrorCode), r.SupportedMechanisms)
	}
	if a.Mechanism == "PLAIN" {
		_, err := c.saslStep(ctx, []byte("\x00"+a.User+"\x00"+a.Password))
		return err
	}
	return c.scram(ctx, a)
}

func (c *Conn) scram(ctx context.Context, a *SASL) error {
	s := &scramClient{mechanism: a.Mechanism}
	if err := s.Begin(a.User, a.Password, ""); err != nil {
		return err
	}
	message, err := s.Step("")
	for err == nil {
		var answer []byte
		if answer, err = c.saslStep(ctx, []byte(message)); err != nil {
			break
		}
		message, err = s.Step(string(answer))
		if s.Done() {
			break
		}
	}
	return err
}

func (c *Conn) saslStep(ctx context.Context, message []byte) ([]byte, error) {
	req := kmsg.NewPtrSASLAuthenticateRequest()
	req.Version, req.SASLAuthBytes = 1, message
	resp, err := c.Do(ctx, req)
	if err != nil {
		return nil, err
	}
	r := resp.(*kmsg.SASLAuthenticateResponse)
	if r.ErrorCode != 0 {
		return nil, codes.Code(r.ErrorCode)
	}
	return r.SASLAuthBytes, nil
}
