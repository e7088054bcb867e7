package checkpoint

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// TestCoordinator runs testdata/coordinator. A block `run` takes one input a
// line and prints, below each, what Ready then says:
//
//	new [interval=10s timeout=1m pause=0s concurrent=1 tolerable=0 keep=3 next=1] [sources=a,b] tasks=a,b,s [pending=x@1:s,…]
//	tick 10s                      time since the start
//	ack TASK CHECKPOINT [x@1 …]   committables as payload@checkpoint
//	decline TASK CHECKPOINT [no-id] REASON
//	stored N | store-failed N ERROR
//	settled [x@1=committed|lost|fatal|unknown …] [err=TEXT | restart=TEXT]
//	ended TASK | stop | drain | trigger [savepoint] [TAG]
//	deadline | stats
func TestCoordinator(t *testing.T) {
	datadriven.Walk(t, "testdata/coordinator", func(t *testing.T, path string) {
		s := &script{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "run" {
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			s.out.Reset()
			for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
				if err := s.do(line); err != nil {
					d.Fatalf(t, "%s: %v", line, err)
				}
			}
			return s.out.String()
		})
	})
}

var epoch = time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)

type script struct {
	c   *Coordinator
	out strings.Builder
}

func (s *script) do(line string) error {
	fmt.Fprintf(&s.out, "%s\n", line)
	f := strings.Fields(line)
	switch f[0] {
	case "new":
		return s.create(f[1:])
	case "tick":
		d, err := time.ParseDuration(f[1])
		if err != nil {
			return err
		}
		s.c.Tick(epoch.Add(d))
	case "deadline":
		at, ok := s.c.Deadline()
		if ok {
			fmt.Fprintf(&s.out, "  %v\n", at.Sub(epoch))
		} else {
			fmt.Fprintf(&s.out, "  none\n")
		}
		return nil
	case "stats":
		st := s.c.Stats()
		fmt.Fprintf(&s.out, "  completed %d, last %d after %v; aborted %d (%s); pending %d, failed in a row %d\n", st.Completed,
			st.LastCompleted, st.LastDuration, st.Aborted, st.LastAbort, st.Pending, st.FailedInRow)
		for _, f := range st.InFlight {
			fmt.Fprintf(&s.out, "  in flight %d %v since %v: %d acked, missing %s\n", f.ID, f.Kind, f.Injected.Sub(epoch), f.Acked, f.Missing)
		}
		return nil
	default:
		in, err := parseInput(f)
		if err != nil {
			return err
		}
		s.c.Step(in)
	}
	if rd, ok := s.c.Ready(); ok {
		printReady(&s.out, rd)
	}
	return nil
}

func (s *script) create(args []string) (err error) {
	cfg := Config{
		Interval: 10 * time.Second, Timeout: time.Minute, MaxConcurrent: 1, Keep: 3, Next: 1,
		Header: Header{RunID: "run"},
	}
	for _, a := range args {
		k, v, _ := strings.Cut(a, "=")
		n, _ := strconv.Atoi(v)
		d, _ := time.ParseDuration(v)
		switch k {
		case "interval":
			cfg.Interval = d
		case "timeout":
			cfg.Timeout = d
		case "pause":
			cfg.MinPause = d
		case "concurrent":
			cfg.MaxConcurrent = n
		case "tolerable":
			cfg.TolerableFailed = n
		case "keep":
			cfg.Keep = n
		case "next":
			cfg.Next = ID(n)
		case "sources":
			cfg.Sources = subtasks(v)
		case "tasks":
			cfg.Subtasks = subtasks(v)
		case "pending":
			for _, p := range strings.Split(v, ",") {
				name, uid, _ := strings.Cut(p, ":")
				cfg.Pending = append(cfg.Pending, committable(uid, name))
			}
		default:
			return fmt.Errorf("unknown option %q", k)
		}
	}
	s.c, err = NewCoordinator(cfg)
	if err != nil {
		fmt.Fprintf(&s.out, "  error: %v\n", err)
		return nil
	}
	return nil
}

func subtasks(list string) (l []Subtask) {
	for _, uid := range strings.Split(list, ",") {
		l = append(l, Subtask{UID: uid})
	}
	return l
}

func committable(uid, s string) Committable {
	name, ck, _ := strings.Cut(s, "@")
	n, err := strconv.Atoi(ck)
	if err != nil {
		panic("committable " + s)
	}
	return Committable{Writer: Subtask{UID: uid}, Checkpoint: ID(n), Version: 1, Payload: []byte(name)}
}

func parseInput(f []string) (Input, error) {
	id := func(i int) ID {
		n, err := strconv.Atoi(f[i])
		if err != nil {
			panic(err)
		}
		return ID(n)
	}
	rest := func(i int) string { return strings.Join(f[i:], " ") }
	switch f[0] {
	case "ack":
		a := Ack{Subtask: Subtask{UID: f[1]}, Checkpoint: id(2)}
		for _, c := range f[3:] {
			a.Committables = append(a.Committables, committable(f[1], c))
		}
		return a, nil
	case "decline":
		d := Decline{Subtask: Subtask{UID: f[1]}, Checkpoint: id(2), Reason: rest(3)}
		if f[3] == "no-id" {
			d.NoFreeID, d.Reason = true, rest(4)
		}
		return d, nil
	case "stored":
		return Stored{id(1)}, nil
	case "store-failed":
		return StoreFailed{id(1), errors.New(rest(2))}, nil
	case "settled":
		return parseSettled(f[1:])
	case "ended":
		return Ended{Subtask{UID: f[1]}}, nil
	case "stop":
		return StopAsked{}, nil
	case "drain":
		return StopAsked{Drain: true}, nil
	case "trigger":
		t := Trigger{}
		for _, a := range f[1:] {
			if a == "savepoint" {
				t.Kind = Savepoint
			} else {
				t.Tag, _ = strconv.ParseUint(a, 10, 64)
			}
		}
		return t, nil
	}
	return nil, fmt.Errorf("unknown input %q", f[0])
}

// parseSettled: the committable's writer is written s/x@1, or s if left out.
func parseSettled(f []string) (Input, error) {
	var in Settled
	for i, a := range f {
		k, v, _ := strings.Cut(a, "=")
		switch k {
		case "err":
			in.Err = errors.New(strings.Join(append([]string{v}, f[i+1:]...), " "))
			return in, nil
		case "restart":
			in.Err = fmt.Errorf("%s: %w", v, ErrRestart)
			return in, nil
		}
		uid, name, ok := strings.Cut(k, "/")
		if !ok {
			uid, name = "s", k
		}
		o := Outcome{Committable: committable(uid, name)}
		switch v {
		case "committed":
			o.Status = Committed
		case "lost":
			o.Status = Lost
		case "fatal":
			o.Status, o.Fatal, o.Detail = Lost, true, "12 records; the broker timed it out"
		case "unknown":
		default:
			return nil, fmt.Errorf("unknown outcome %q", a)
		}
		in.Outcomes = append(in.Outcomes, o)
	}
	return in, nil
}

func printReady(w *strings.Builder, rd Ready) {
	p := func(format string, args ...any) { fmt.Fprintf(w, "  "+format+"\n", args...) }
	for _, a := range rd.Abort {
		p("abort %d (%v): %s", a.Checkpoint, a.Kind, a.Reason)
	}
	if m := rd.Store; m != nil {
		fin := ""
		if m.Finished {
			fin = " finished"
		}
		p("store %d %v%s pending %s", m.ID, m.Kind, fin, names(m.Pending))
	}
	if len(rd.Commit) > 0 {
		p("commit %s", names(rd.Commit))
	}
	for _, n := range rd.Notify {
		var l []string
		for _, o := range n.Settled {
			l = append(l, name(o.Committable)+"="+o.Status.String())
		}
		if n.Completed != nil {
			p("notify completed %d, settled [%s]", n.Completed.ID, strings.Join(l, " "))
		} else {
			p("notify settled [%s]", strings.Join(l, " "))
		}
	}
	if rd.Discard > 0 {
		p("discard all but %d", rd.Discard)
	}
	for _, i := range rd.Inject {
		drain := ""
		if i.Drain {
			drain = " drain"
		}
		if i.Tag != 0 {
			drain += fmt.Sprintf(" tag %d", i.Tag)
		}
		p("inject %d %v%s", i.Checkpoint, i.Kind, drain)
	}
	if f := rd.Fail; f != nil {
		p("fail (restart %v): %s", f.Restart, f.Message)
	}
	if rd.Done {
		p("done")
	}
}

func name(c Committable) string {
	if c.Writer.UID == "s" {
		return fmt.Sprintf("%s@%d", c.Payload, c.Checkpoint)
	}
	return fmt.Sprintf("%s/%s@%d", c.Writer.UID, c.Payload, c.Checkpoint)
}

func names(l []Committable) string {
	var s []string
	for _, c := range l {
		s = append(s, name(c))
	}
	return "[" + strings.Join(s, " ") + "]"
}
