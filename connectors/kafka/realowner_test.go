//go:build kafka

package kafka

import (
	"context"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/client"
)

// TestKafkaShowsTheLastTimeout: what the owner id's nonce relies on. Kafka
// keeps the time-out of each InitProducerId of an id that never opens a
// transaction, and describes it, also after it has restarted.
func TestKafkaShowsTheLastTimeout(t *testing.T) {
	_, b := crashCases(t, nil)
	c := client.NewControl(client.Config{Bootstrap: []string{b.Addr()}})
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	shows := func(p client.Producer, timeout time.Duration) {
		t.Helper()
		for {
			s, err := c.DescribeTransaction(ctx, "nonce-owner")
			if err == nil {
				if s.State != "Empty" || s.Timeout != timeout || s.Producer != p {
					t.Fatalf("%+v is shown, expected time-out %s, producer %s", s, timeout, p)
				}
				return
			}
			if ctx.Err() != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Millisecond) // the coordinator is starting
		}
	}
	var last client.Producer
	for _, timeout := range []time.Duration{123456, 899999, 90001, 900000} {
		timeout *= time.Millisecond
		for {
			p, err := c.InitProducerID(ctx, "nonce-owner", timeout)
			if err == nil {
				last = p
				break
			}
			if ctx.Err() != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Millisecond)
		}
		shows(last, timeout)
		_ = c.EndTxn(ctx, "nonce-owner", last, false) // the owner question changes nothing
		shows(last, timeout)
	}
	b.Kill()
	if err := b.Restart(); err != nil {
		t.Fatal(err)
	}
	shows(last, 900000*time.Millisecond)
}
