//go:build !kafka

package kafka

import (
	"testing"

	"github.com/sqlstream/sqlstream/broker"
)

// testCases runs the suite on the embedded broker, at every step.
func testCases(t *testing.T) *cases {
	b, err := broker.Start(broker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return &cases{addr: b.Addr(), stride: 1, make: func(topic string) error { return b.CreateTopic(topic, 2) }}
}
