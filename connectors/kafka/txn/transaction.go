package txn

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
)

// Versions of the encoding of a Transaction in a committable. One without a
// pre-commit log and without topics is written as Version, one without topics
// as versionLogged.
const (
	Version       uint16 = 1
	versionLogged uint16 = 2
	versionTopics uint16 = 3
)

// protocolTV1 says that EndTxn is to be sent at a version that keeps the
// epoch. (KIP-939's prepared transactions will be another one.)
const protocolTV1 = 1

// Transaction is a pre-committed transaction: all that any process needs to
// commit it.
type Transaction struct {
	RunID       string // of the state directory
	ID          string // transactional.id
	Producer    client.Producer
	Checkpoint  checkpoint.ID
	StartMillis int64 // when it began; the broker's time-out counts from there
	Records     int64
	Partitions  []client.TP
	Marker      client.TP // where the commit marker is; Topic "": it has none
	Log         string    // name of the pre-commit log that holds its records; "": none does
	Topics      []Topic   // that it wrote, with their ids; none: they are not known
}

// MarkerText is the proof that this transaction was committed: the metadata
// of an offset that is stored by the transaction itself.
func (t Transaction) MarkerText() string {
	return fmt.Sprintf("v1/%s/%d/%d/%d", t.RunID, t.Checkpoint, t.Producer.ID, t.Producer.Epoch)
}

// parseMarker reads run and checkpoint of a marker.
func parseMarker(text string) (run string, ck int64, ok bool) {
	f := strings.Split(text, "/")
	if len(f) != 5 || f[0] != "v1" {
		return "", 0, false
	}
	ck, err := strconv.ParseInt(f[2], 10, 64)
	return f[1], ck, err == nil
}

// describeMarker makes a marker readable.
func describeMarker(text string) string {
	run, ck, ok := parseMarker(text)
	if !ok {
		return fmt.Sprintf("marker %q", text)
	}
	return fmt.Sprintf("checkpoint %d of run %s (%s)", ck, run, text)
}

// Describe names the transaction for people.
func (t Transaction) Describe() string {
	return fmt.Sprintf("transaction %s of checkpoint %d: %d records in %s", t.ID, t.Checkpoint, t.Records, partitionsText(t.Partitions))
}

func partitionsText(list []client.TP) string {
	parts := make([]string, len(list))
	for i, p := range list {
		parts[i] = p.String()
	}
	return strings.Join(parts, ", ")
}

// Encode is the committable's payload: a protocol byte, then numbers as
// varints and strings with their length in front.
func (t Transaction) Encode() []byte {
	b := []byte{protocolTV1}
	b = appendString(b, t.RunID)
	b = appendString(b, t.ID)
	for _, n := range []int64{t.Producer.ID, int64(t.Producer.Epoch), int64(t.Checkpoint), t.StartMillis, t.Records} {
		b = binary.AppendVarint(b, n)
	}
	b = appendTP(b, t.Marker)
	b = binary.AppendVarint(b, int64(len(t.Partitions)))
	for _, p := range t.Partitions {
		b = appendTP(b, p)
	}
	if t.version() >= versionLogged {
		b = appendString(b, t.Log)
	}
	if t.version() >= versionTopics {
		b = binary.AppendVarint(b, int64(len(t.Topics)))
		for _, topic := range t.Topics {
			b = append(appendString(b, topic.Name), topic.ID[:]...)
		}
	}
	return b
}

// version is the lowest that can say all of it.
func (t Transaction) version() uint16 {
	switch {
	case len(t.Topics) > 0:
		return versionTopics
	case t.Log != "":
		return versionLogged
	}
	return Version
}

// Committable wraps the transaction for the checkpoint.
func (t Transaction) Committable(writer checkpoint.Subtask) checkpoint.Committable {
	return checkpoint.Committable{Writer: writer, Checkpoint: t.Checkpoint, Version: t.version(), Payload: t.Encode()}
}

// Decode reads a committable. One of a newer version is refused by name.
func Decode(c checkpoint.Committable) (Transaction, error) {
	if c.Version < Version || c.Version > versionTopics {
		return Transaction{}, fmt.Errorf("committable of %s, checkpoint %d, has version %d; this program reads up to version %d: it was written by a newer one, use that",
			c.Writer, c.Checkpoint, c.Version, versionTopics)
	}
	r := reader{b: c.Payload}
	if p := r.byte(); p != protocolTV1 {
		r.fail(fmt.Errorf("protocol %d is not known", p))
	}
	t := Transaction{RunID: r.string(), ID: r.string()}
	t.Producer.ID = r.varint()
	t.Producer.Epoch = int16(r.varint())
	t.Checkpoint = checkpoint.ID(r.varint())
	t.StartMillis = r.varint()
	t.Records = r.varint()
	t.Marker = r.tp()
	for n := r.varint(); n > 0 && r.err == nil; n-- {
		t.Partitions = append(t.Partitions, r.tp())
	}
	if c.Version >= versionLogged {
		t.Log = r.string()
	}
	if c.Version >= versionTopics {
		for n := r.varint(); n > 0 && r.err == nil; n-- {
			t.Topics = append(t.Topics, Topic{r.string(), r.uuid()})
		}
	}
	if r.err == nil && len(r.b) != 0 {
		r.fail(fmt.Errorf("%d bytes too many", len(r.b)))
	}
	if r.err != nil {
		return Transaction{}, fmt.Errorf("committable of %s, checkpoint %d, is corrupt: %w", c.Writer, c.Checkpoint, r.err)
	}
	return t, nil
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendVarint(b, int64(len(s)))
	return append(b, s...)
}

func appendTP(b []byte, p client.TP) []byte {
	return binary.AppendVarint(appendString(b, p.Topic), int64(p.Partition))
}

// reader reads what Encode wrote; the first error stays.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.b = nil
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail(fmt.Errorf("it ends early"))
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail(fmt.Errorf("it ends early"))
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) string() string {
	n := r.varint()
	if n < 0 || n > int64(len(r.b)) {
		r.fail(fmt.Errorf("it ends early"))
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

func (r *reader) tp() client.TP {
	topic := r.string()
	return client.TP{Topic: topic, Partition: int32(r.varint())}
}

func (r *reader) uuid() (u client.UUID) {
	if len(r.b) < len(u) {
		r.fail(fmt.Errorf("it ends early"))
		return u
	}
	r.b = r.b[copy(u[:], r.b):]
	return u
}
