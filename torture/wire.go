package torture

import (
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// wire listens in the broker's place and looks at every request. A process
// is known by its client.id; who is not known is left alone.
type wire struct {
	timeouts *timeouts // of an embedded broker

	mu    sync.Mutex
	procs map[string]*stepper
}

func newWire() *wire { return &wire{procs: map[string]*stepper{}} }

func (w *wire) add(client string, s *stepper) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.procs[client] = s
}

func (w *wire) of(client string) *stepper {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.procs[client]
}

// Listen has the signature of net.Listen.
func (w *wire) Listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	return &wireListener{l, w}, err
}

type wireListener struct {
	net.Listener
	w *wire
}

func (l *wireListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &wireConn{Conn: c, w: l.w, asked: map[int32]request{}}, nil
}

// request is what the wire reads of a frame.
type request struct {
	proc *stepper
	corr int32
	step Step
	kind kmsg.Request
	late bool // it was carried out late: nobody waits for its answer
}

// wireConn is the broker's end of a connection.
type wireConn struct {
	net.Conn
	w    *wire
	in   []byte // of the frame that the broker reads
	mu   sync.Mutex
	out  []byte // of an answer that is not whole yet
	gone bool   // the client's end is closed, late requests may still be read

	asked map[int32]request
}

// Read gives the broker whole requests, as far as they arrive.
func (c *wireConn) Read(p []byte) (int, error) {
	if len(c.in) == 0 {
		frame, err := c.next()
		if err != nil {
			return 0, err
		}
		c.in = frame
	}
	n := copy(p, c.in)
	c.in = c.in[n:]
	return n, nil
}

// next is the next frame that arrives.
func (c *wireConn) next() ([]byte, error) {
	if c.gone {
		return nil, io.EOF
	}
	var size [4]byte
	if _, err := io.ReadFull(c.Conn, size[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, 4+binary.BigEndian.Uint32(size[:]))
	copy(frame, size[:])
	if _, err := io.ReadFull(c.Conn, frame[4:]); err != nil {
		return nil, err
	}
	r := c.parse(frame[4:])
	if r.proc == nil {
		return frame, nil
	}
	if r.step.Name == "" { // reading, and other things that change nothing
		if r.proc.Killed() {
			return nil, c.cut()
		}
		return frame, nil
	}
	switch a := r.proc.step(r.step); a {
	default:
		if a > refused {
			return c.refuse(r, int16(a-refused))
		}
	case Kill, Drop:
		return nil, c.cut()
	case Late:
		r.late, c.gone = true, true
		c.Conn.(*net.TCPConn).CloseWrite()
		time.Sleep(lateBy)
	case Wait:
		time.Sleep(waitFor)
	}
	c.w.timeouts.carriedOut(r.kind)
	c.mu.Lock()
	c.asked[r.corr] = r
	c.mu.Unlock()
	return frame, nil
}

func (c *wireConn) cut() error {
	c.Conn.Close()
	return io.EOF
}

// Write sends answers, as far as they arrive.
func (c *wireConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = append(c.out, p...)
	for len(c.out) >= 8 {
		size := 4 + int(binary.BigEndian.Uint32(c.out))
		if len(c.out) < size {
			break
		}
		corr := int32(binary.BigEndian.Uint32(c.out[4:]))
		r, ok := c.asked[corr]
		delete(c.asked, corr)
		if ok {
			r.proc.answered(codeOf(r.kind, c.out[8:size]))
		}
		if ok && !c.answer(r) {
			return 0, c.cut()
		}
		frame := c.out[:size]
		if ok {
			frame = c.w.timeouts.correct(r.kind, frame)
		}
		if _, err := c.Conn.Write(frame); err != nil {
			return 0, err
		}
		c.out = append(c.out[:0], c.out[size:]...)
	}
	return len(p), nil
}

func (c *wireConn) answer(r request) bool {
	r.step.After = true
	switch r.proc.step(r.step) {
	case Kill, Drop, Late:
		return false
	case Wait:
		time.Sleep(waitFor)
	}
	return !r.late
}

// parse reads the header, and the body of what is a step.
func (c *wireConn) parse(b []byte) (r request) {
	rd := kbin.Reader{Src: b}
	key, version := rd.Int16(), rd.Int16()
	r.corr = rd.Int32()
	client := rd.NullableString()
	if client == nil || rd.Complete() != nil {
		return r
	}
	if r.proc = c.w.of(*client); r.proc == nil {
		return r
	}
	req := kmsg.RequestForKey(key)
	req.SetVersion(version)
	if req.IsFlexible() {
		kmsg.SkipTags(&rd)
	}
	if req.ReadFrom(rd.Src) == nil {
		r.step, r.kind = stepOf(req), req
	}
	return r
}

// stepOf names what changes the broker or decides the protocol.
func stepOf(req kmsg.Request) Step {
	switch q := req.(type) {
	case *kmsg.InitProducerIDRequest:
		if q.TransactionalID != nil {
			return Step{Name: "InitProducerId", ID: *q.TransactionalID}
		}
	case *kmsg.AddPartitionsToTxnRequest:
		return Step{Name: "AddPartitionsToTxn", ID: q.TransactionalID}
	case *kmsg.AddOffsetsToTxnRequest:
		return Step{Name: "AddOffsetsToTxn", ID: q.TransactionalID}
	case *kmsg.TxnOffsetCommitRequest:
		return Step{Name: "TxnOffsetCommit", ID: q.TransactionalID}
	case *kmsg.EndTxnRequest:
		if q.Commit {
			return Step{Name: "EndTxn commit", ID: q.TransactionalID}
		}
		return Step{Name: "EndTxn abort", ID: q.TransactionalID}
	case *kmsg.ProduceRequest:
		if q.TransactionID != nil {
			return Step{Name: "Produce", ID: *q.TransactionID}
		}
	case *kmsg.OffsetFetchRequest:
		return Step{Name: "OffsetFetch", ID: q.Group}
	case *kmsg.ListTransactionsRequest:
		return Step{Name: "ListTransactions"}
	case *kmsg.DescribeTransactionsRequest:
		return Step{Name: "DescribeTransactions", ID: strings.Join(q.TransactionalIDs, " ")}
	}
	return Step{}
}
