package txn

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"pgregory.net/rapid"
)

func drawTransaction(t *rapid.T) Transaction {
	text := rapid.StringN(0, 12, -1)
	tx := Transaction{
		RunID: text.Draw(t, "run"), ID: text.Draw(t, "id"),
		Producer:    client.Producer{ID: rapid.Int64().Draw(t, "pid"), Epoch: rapid.Int16().Draw(t, "epoch")},
		Checkpoint:  checkpoint.ID(rapid.Int64().Draw(t, "checkpoint")),
		StartMillis: rapid.Int64().Draw(t, "start"), Records: rapid.Int64().Draw(t, "records"),
		Marker: client.TP{Topic: text.Draw(t, "topic"), Partition: rapid.Int32().Draw(t, "partition")},
	}
	if rapid.Bool().Draw(t, "logged") {
		tx.Log = rapid.StringN(1, 12, -1).Draw(t, "log")
	}
	for range rapid.IntRange(0, 3).Draw(t, "partitions") {
		tx.Partitions = append(tx.Partitions, client.TP{Topic: text.Draw(t, "topic"), Partition: rapid.Int32().Draw(t, "partition")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "topics") {
		topic := Topic{Name: text.Draw(t, "topic")}
		copy(topic.ID[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "topic id"))
		tx.Topics = append(tx.Topics, topic)
	}
	return tx
}

func TestCommittableRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tx := drawTransaction(rt)
		got, err := Decode(tx.Committable(checkpoint.Subtask{UID: "u", Index: 2}))
		if err != nil {
			rt.Fatal(err)
		}
		if !reflect.DeepEqual(got, tx) {
			rt.Fatalf("got %+v, want %+v", got, tx)
		}
	})
}

// TestCommittableFormat pins the versions: what a state directory holds stays
// readable.
func TestCommittableFormat(t *testing.T) {
	tx := Transaction{RunID: "r", ID: "p-u-0-1-2", Producer: client.Producer{ID: 7, Epoch: 3}, Checkpoint: 5, StartMillis: 100, Records: 9,
		Marker: client.TP{Topic: "t"}, Partitions: []client.TP{{Topic: "t", Partition: 1}}}
	const want = "010272" + "12702d752d302d312d32" + "0e" + "06" + "0a" + "c801" + "12" + "0274" + "00" + "02" + "0274" + "02"
	if got := fmt.Sprintf("%x", tx.Encode()); got != want {
		t.Fatalf("version 1 is now %s, was %s: make a version 2", got, want)
	}
	tx.Log = "l"
	if c := tx.Committable(checkpoint.Subtask{}); fmt.Sprintf("%x", c.Payload) != want+"026c" || c.Version != 2 {
		t.Fatalf("version %d is now %x: make a version 3", c.Version, c.Payload)
	}
	tx.Topics = []Topic{{"t", client.UUID{0xaa, 15: 0xbb}}}
	const topics = "02" + "0274" + "aa0000000000000000000000000000bb"
	if c := tx.Committable(checkpoint.Subtask{}); fmt.Sprintf("%x", c.Payload) != want+"026c"+topics || c.Version != 3 {
		t.Fatalf("version %d is now %x: make a version 4", c.Version, c.Payload)
	}
	tx.Log = ""
	if c := tx.Committable(checkpoint.Subtask{}); fmt.Sprintf("%x", c.Payload) != want+"00"+topics || c.Version != 3 {
		t.Fatalf("version %d without log is now %x: make a version 4", c.Version, c.Payload)
	}
	if got := tx.MarkerText(); got != "v1/r/5/7/3" {
		t.Fatalf("marker %q", got)
	}
}

// TestOlderCommittables: what an older program wrote says nothing of topics.
func TestOlderCommittables(t *testing.T) {
	const v1 = "\x01\x02r\x12p-u-0-1-2\x0e\x06\x0a\xc8\x01\x12\x02t\x00\x02\x02t\x02"
	for version, payload := range map[uint16]string{1: v1, 2: v1 + "\x02l"} {
		tx, err := Decode(checkpoint.Committable{Version: version, Payload: []byte(payload)})
		if err != nil || tx.ID != "p-u-0-1-2" || len(tx.Topics) != 0 || (tx.Log == "l") != (version == 2) {
			t.Fatalf("version %d is read as %+v, %v", version, tx, err)
		}
		if c := tx.Committable(checkpoint.Subtask{}); c.Version != version || string(c.Payload) != payload {
			t.Fatalf("version %d is written as %d, %x", version, c.Version, c.Payload)
		}
	}
	for _, version := range []uint16{0, 4} {
		if _, err := Decode(checkpoint.Committable{Version: version, Payload: []byte(v1)}); err == nil || !strings.Contains(err.Error(), fmt.Sprint("version ", version)) {
			t.Fatalf("version %d gave %v", version, err)
		}
	}
}

func TestTruncatedCommittableIsRefused(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := drawTransaction(rt).Committable(checkpoint.Subtask{UID: "u"})
		c.Payload = c.Payload[:rapid.IntRange(0, len(c.Payload)-1).Draw(rt, "cut")]
		if _, err := Decode(c); err == nil || !strings.Contains(err.Error(), "corrupt") {
			rt.Fatalf("got %v", err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(Transaction{RunID: "r", ID: "i", Partitions: []client.TP{{Topic: "t"}}}.Encode())
	f.Add(Transaction{RunID: "r", ID: "i", Topics: []Topic{{Name: "t"}}}.Encode())
	f.Fuzz(func(t *testing.T, payload []byte) {
		for version := Version; version <= versionTopics; version++ {
			tx, err := Decode(checkpoint.Committable{Version: version, Payload: payload})
			if err != nil {
				continue
			}
			if again, err := Decode(tx.Committable(checkpoint.Subtask{})); err != nil || !reflect.DeepEqual(again, tx) {
				t.Fatalf("%+v does not survive: %v", tx, err)
			}
		}
	})
}

func TestNames(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := NewNames(rapid.StringMatching(`[a-z-]{0,8}`).Draw(rt, "prefix"), rapid.StringMatching(`[a-z0-9-]{1,8}`).Draw(rt, "uid"))
		id := ID{rapid.IntRange(0, 200).Draw(rt, "writer"), rapid.IntRange(0, 1).Draw(rt, "pool"), rapid.IntRange(0, 99).Draw(rt, "slot")}
		got, ok := n.Parse(n.Of(id))
		if !ok || got != id {
			rt.Fatalf("%s parses as %v, %v", n.Of(id), got, ok)
		}
		if _, ok := n.Parse(n.Owner()); ok {
			rt.Fatal("the owner id is taken for a writer's")
		}
	})
	for _, c := range [][2]string{{"a", "a-b-u-0-0-0"}, {"a-b", "a-u-0-0-0"}, {"a", "a-u-0-0"}, {"a", "a-u-0-0-01"}, {"a", "a-u-0-0--1"}, {"a", "a-v-0-0-0"}, {"a", "b-u-0-0-0"}} {
		if _, ok := NewNames(c[0], "u").Parse(c[1]); ok {
			t.Errorf("prefix %q takes %q for its own", c[0], c[1])
		}
	}
}
