package exec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec/types"
)

// alignScript runs "c3" (barrier 3 from channel c; channels are a, b, …) and
// "-3" (abort 3), and returns what happened: "3" where an alignment was
// complete, and the blocked channels.
func alignScript(channels int, script string) string {
	a := newAligner(channels)
	var got []string
	for _, w := range strings.Fields(script) {
		var id checkpoint.ID
		fmt.Sscan(w[1:], &id)
		state := ""
		if w[0] == '-' {
			a.abort(id)
		} else if a.arrive(int(w[0]-'a'), barrier{id: id}) {
			state = fmt.Sprint(id)
		}
		for i, b := range a.blocked {
			if b {
				state += string(rune('a' + i))
			}
		}
		if state == "" {
			state = "."
		}
		got = append(got, state)
	}
	return strings.Join(got, " ")
}

func TestAligner(t *testing.T) {
	for _, c := range []struct {
		channels     int
		script, want string
	}{
		{1, "a1 a2", "1 2"},
		{2, "a1 b1 b2 a2", "a 1 b 2"},
		{3, "a1 b1 c1", "a ab 1"},
		{2, "a1 -1 b1 a2 b2", "a . . a 2"}, // aborted while aligning: the late barrier is nothing
		{2, "-1 a1 b1 a2 b2", ". . . a 2"}, // aborted before it came
		{2, "a1 b2 a2", "a b 2"},           // 1 was aborted upstream of b: 2 takes over
		{2, "a1 b2 a1 a2", "a b b 2"},      // an older barrier is nothing
		{2, "a1 b1 -1 a1", "a 1 . ."},      // an abort that comes too late
		{2, "a2 -1 b2", "a a 2"},           // another one was aborted
		{2, "a1 b1 a1 b1 a3 b3", "a 1 . . a 3"},
	} {
		if got := alignScript(c.channels, c.script); got != c.want {
			t.Errorf("%s: %s, expected %s", c.script, got, c.want)
		}
	}
}

// valveScript runs "a5" (watermark 5 of channel a), "a-" (idle), "a+"
// (active); the result has the combined watermark where it rose, else ".".
func valveScript(channels int, script string) string {
	v := newValve(channels, types.MinTime)
	var got []string
	for _, w := range strings.Fields(script) {
		c, rose := int(w[0]-'a'), false
		switch w[1] {
		case '-':
			rose = v.setIdle(c)
		case '+':
			v.setActive(c)
		default:
			var at types.Time
			fmt.Sscan(w[1:], &at)
			rose = v.watermark(c, at)
		}
		s := "."
		if rose {
			s = fmt.Sprint(int64(v.last))
		}
		if v.idle {
			s += "i"
		}
		got = append(got, s)
	}
	return strings.Join(got, " ")
}

func TestValve(t *testing.T) {
	for _, c := range []struct {
		channels     int
		script, want string
	}{
		{1, "a5 a3 a7", "5 . 7"},
		{2, "a5 b3 b9 a9", ". 3 5 9"},
		{2, "a5 b- a8", ". 5 8"},                  // an idle channel does not count
		{2, "a5 b- b+ a9 b6 a12", ". 5 . 9 . 12"}, // back, but behind: it does not hold up the other
		{2, "a5 b- b+ b5 a9", ". 5 . . ."},        // caught up: it counts again
		{2, "a5 b- b+ b5 a9 b7", ". 5 . . . 7"},
		{2, "a5 b9 a- b-", ". 5 9 .i"},
		{2, "a5 b9 b- a-", ". 5 . 9i"}, // all idle: the greatest
		{2, "a- b- b+ b4", ". .i . 4"},
	} {
		if got := valveScript(c.channels, c.script); got != c.want {
			t.Errorf("%s: %s, expected %s", c.script, got, c.want)
		}
	}
}

func TestGateIsFairAndBounded(t *testing.T) {
	g := newGate(make(chan struct{}, 1))
	a, b := g.add(), g.add()
	ctx := t.Context()
	for i := range queueCapacity {
		if err := a.put(ctx, element{time: types.Time(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.put(ctx, element{time: 100}); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		a.put(ctx, element{time: 99}) // waits for room
		close(done)
	}()
	var order []string
	blocked := []bool{false, false}
	for len(order) < queueCapacity+2 {
		e, from, ok := g.poll(blocked)
		if !ok {
			<-g.ready
			continue
		}
		order = append(order, fmt.Sprintf("%c%d", 'a'+from, e.time))
	}
	<-done
	if got := strings.Join(order, " "); got != "a0 b100 a1 a2 a3 a99" {
		t.Errorf("order %s", got)
	}
	if err := a.put(ctx, element{}); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := g.poll([]bool{true, false}); ok {
		t.Error("an element of a blocked queue was taken")
	}
}

func TestDealSplits(t *testing.T) {
	listed := []Split{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}}
	show := func(dealt [][]checkpoint.SplitState) string {
		var all []string
		for _, d := range dealt {
			var ids []string
			for _, s := range d {
				ids = append(ids, s.ID+string(s.Position))
			}
			all = append(all, strings.Join(ids, ","))
		}
		return strings.Join(all, " | ")
	}
	state := func(i int, ids ...string) checkpoint.SourceState {
		s := checkpoint.SourceState{Subtask: checkpoint.Subtask{Index: i}}
		for _, id := range ids {
			s.Splits = append(s.Splits, checkpoint.SplitState{Split: Split{ID: id, Position: []byte("7")}})
		}
		return s
	}
	for _, c := range []struct {
		restored []checkpoint.SourceState
		n        int
		want     string
	}{
		{nil, 1, "a,b,c,d"},
		{nil, 3, "a,d | b | c"},
		{[]checkpoint.SourceState{state(0, "b"), state(1, "a", "c")}, 2, "b7,d | a7,c7"},
		{[]checkpoint.SourceState{state(0, "b"), state(1, "a", "c")}, 3, "b7,d | a7 | c7"},
		{[]checkpoint.SourceState{state(0, "gone")}, 1, "gone7,a,b,c,d"},
	} {
		if got := show(dealSplits(listed, c.restored, c.n)); got != c.want {
			t.Errorf("%s, expected %s", got, c.want)
		}
	}
}
