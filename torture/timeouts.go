package torture

import (
	"encoding/binary"
	"sync"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// timeouts makes up for a difference of the embedded broker, which describes
// every transactional.id with its first time-out for ever: Kafka, with that of
// the last InitProducerId. nil changes nothing.
type timeouts struct {
	mu   sync.Mutex
	last map[string]int32
}

// carriedOut is told of requests in the order in which the broker gets them.
func (t *timeouts) carriedOut(req kmsg.Request) {
	if q, ok := req.(*kmsg.InitProducerIDRequest); ok && t != nil && q.TransactionalID != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.last[*q.TransactionalID] = q.TransactionTimeoutMillis
	}
}

// correct returns the frame that answers req as Kafka would.
func (t *timeouts) correct(req kmsg.Request, frame []byte) []byte {
	q, ok := req.(*kmsg.DescribeTransactionsRequest)
	if !ok || t == nil {
		return frame
	}
	resp := q.ResponseKind().(*kmsg.DescribeTransactionsResponse)
	rd := kbin.Reader{Src: frame[8:]}
	kmsg.SkipTags(&rd)
	if resp.ReadFrom(rd.Src) != nil {
		return frame
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range resp.TransactionStates {
		if s := &resp.TransactionStates[i]; t.last[s.TransactionalID] > 0 {
			s.TimeoutMillis = t.last[s.TransactionalID]
		}
	}
	out := append([]byte(nil), frame[:8]...)
	out = resp.AppendTo(append(out, 0)) // no tags in the header
	binary.BigEndian.PutUint32(out, uint32(len(out)-4))
	return out
}
