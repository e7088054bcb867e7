package torture

import (
	"encoding/binary"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// refuse answers a request by an error code, in the broker's place, and goes
// on with the next frame. Nothing else may be under way on the connection,
// which is so for all requests that have steps but Produce.
func (c *wireConn) refuse(r request, code int16) ([]byte, error) {
	resp := refusal(r.kind, code)
	b := binary.BigEndian.AppendUint32(make([]byte, 4), uint32(r.corr))
	if resp.IsFlexible() {
		b = append(b, 0) // no tags
	}
	b = resp.AppendTo(b)
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	c.mu.Lock()
	_, err := c.Conn.Write(b)
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return c.next()
}

// refusal is an answer whose every part says the code.
func refusal(req kmsg.Request, code int16) kmsg.Response {
	resp := req.ResponseKind()
	switch q := req.(type) {
	case *kmsg.InitProducerIDRequest:
		r := resp.(*kmsg.InitProducerIDResponse)
		r.ErrorCode, r.ProducerID, r.ProducerEpoch = code, -1, -1
	case *kmsg.AddOffsetsToTxnRequest:
		resp.(*kmsg.AddOffsetsToTxnResponse).ErrorCode = code
	case *kmsg.EndTxnRequest:
		resp.(*kmsg.EndTxnResponse).ErrorCode = code
	case *kmsg.AddPartitionsToTxnRequest:
		r := resp.(*kmsg.AddPartitionsToTxnResponse)
		for _, t := range q.Topics {
			rt := kmsg.NewAddPartitionsToTxnResponseTopic()
			rt.Topic = t.Topic
			for _, p := range t.Partitions {
				rp := kmsg.NewAddPartitionsToTxnResponseTopicPartition()
				rp.Partition, rp.ErrorCode = p, code
				rt.Partitions = append(rt.Partitions, rp)
			}
			r.Topics = append(r.Topics, rt)
		}
	case *kmsg.TxnOffsetCommitRequest:
		r := resp.(*kmsg.TxnOffsetCommitResponse)
		for _, t := range q.Topics {
			rt := kmsg.NewTxnOffsetCommitResponseTopic()
			rt.Topic = t.Topic
			for _, p := range t.Partitions {
				rp := kmsg.NewTxnOffsetCommitResponseTopicPartition()
				rp.Partition, rp.ErrorCode = p.Partition, code
				rt.Partitions = append(rt.Partitions, rp)
			}
			r.Topics = append(r.Topics, rt)
		}
	default:
		panic("torture: a request of this kind cannot be refused")
	}
	return resp
}

// codeOf reads an answer's first error code; 0 also where there is none.
func codeOf(req kmsg.Request, body []byte) int16 {
	resp := req.ResponseKind()
	if resp.IsFlexible() && len(body) > 0 {
		body = body[1:] // no broker sends tags in the header
	}
	if resp.ReadFrom(body) != nil {
		return 0
	}
	switch r := resp.(type) {
	case *kmsg.InitProducerIDResponse:
		return r.ErrorCode
	case *kmsg.AddOffsetsToTxnResponse:
		return r.ErrorCode
	case *kmsg.EndTxnResponse:
		return r.ErrorCode
	case *kmsg.AddPartitionsToTxnResponse:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				if p.ErrorCode != 0 {
					return p.ErrorCode
				}
			}
		}
	case *kmsg.TxnOffsetCommitResponse:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				if p.ErrorCode != 0 {
					return p.ErrorCode
				}
			}
		}
	}
	return 0
}
