//go:build kafka

package kafka

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/kafkatest"
)

// real is the one real broker of this package.
var real struct {
	once   sync.Once
	broker *kafkatest.Broker
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if real.broker != nil {
		if err := real.broker.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// testCases runs the suite on a real Kafka, at every fourth step.
func testCases(t *testing.T) *cases {
	t.Helper()
	real.once.Do(func() { real.broker, real.err = kafkatest.Start(kafkatest.Options{}) })
	kafkatest.Check(t, real.err)
	return &cases{addr: real.broker.Addr(), stride: 4, late: true, make: func(topic string) error {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		return kafkatest.CreateTopic(ctx, real.broker.Addr(), topic, 2)
	}}
}
