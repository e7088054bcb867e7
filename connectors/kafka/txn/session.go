package txn

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/exec"
)

// Config of a Session. All fields are needed, but for those said to be
// optional.
type Config struct {
	Cluster  Cluster
	Journal  exec.Journal
	Clock    exec.Clock
	Log      *slog.Logger
	Prefix   string // sink.transactional-id-prefix
	UID      string // operator UID of the sink
	RunID    string // of the state directory
	Timeout  time.Duration
	PoolSize int // ids a pool; raised to MaxConcurrent + 2
	PoolMax  int // ids a pool may grow to

	MaxConcurrent int           // checkpoints in flight
	Interval      time.Duration // of checkpoints; 0: unknown
	Marker        client.TP     // where commit markers go; Topic "": no markers
	ContinueLost  bool          // sink.on-lost-transaction = continue
	Fresh         bool          // accept the markers that earlier runs left
	// Rewriter writes lost transactions anew from the pre-commit log. Needed
	// for transactions that have one.
	Rewriter Rewriter
	// LogBytes tells how much a pre-commit log holds, for messages. Optional.
	LogBytes func(log string) (int64, error)

	// Patience bounds the repeats of one request that gets no useful answer.
	// Optional: 30 s.
	Patience time.Duration
}

// Session is what a process knows of a sink: who owns it, and which ids are
// in use. It outlives restarts inside the process. Safe for concurrent use:
// writers call it on their subtasks' goroutines, the committer on the
// driver's.
//
// Invariants:
//   - an id is in at most one of: open (a writer writes with it), held (its
//     transaction is pre-committed and unresolved), parked (an InitProducerId
//     of ours may still be under way);
//   - an id is in the journal before it is first used;
//   - InitProducerId is never sent for an id that is held, except to fence it
//     after its commit was answered with doubt.
type Session struct {
	c      Config
	names  Names
	topics TopicAsker // nil: topics are not compared

	mu        sync.Mutex
	owner     client.Producer
	owned     bool          // owner is ours as far as we know
	limit     time.Duration // the broker's transaction.max.timeout.ms; 0: unknown
	nonce     time.Duration // this process's, for the owner id; 0: not drawn yet
	owed      int           // InitProducerIds for the owner id that got no answer
	recovered bool          // a recovery went through in this process
	recovers  bool          // between Start and the end of Recover
	inside    bool          // the recovery under way is a restart inside the process
	known     map[string]ID
	open      map[string]bool
	held      map[string]client.Producer
	parked    map[string]bool
	taken     map[string]bool // taken over in this recovery
	size      map[int]int     // writer → ids in its pool
	retention time.Duration   // of markers
	recovery  recovery        // of recovers
}

// NewSession makes no request.
func NewSession(c Config) *Session {
	if c.Patience == 0 {
		c.Patience = 30 * time.Second
	}
	c.PoolSize = max(c.PoolSize, c.MaxConcurrent+2)
	c.PoolMax = max(c.PoolMax, c.PoolSize)
	topics, _ := c.Cluster.(TopicAsker)
	return &Session{
		c: c, names: NewNames(c.Prefix, c.UID), topics: topics,
		known: map[string]ID{}, open: map[string]bool{}, held: map[string]client.Producer{}, parked: map[string]bool{},
		taken: map[string]bool{}, size: map[int]int{}, retention: 7 * 24 * time.Hour,
	}
}

// mustHold checks the first invariant in test builds.
func (s *Session) mustHold() {
	if !invariants {
		return
	}
	for id := range s.open {
		if _, held := s.held[id]; held {
			panic("txn: " + id + " is open and pre-committed at once")
		}
	}
}

// pool is the one that this start uses: a late InitProducerId of the process
// before hits ids of the other.
func (s *Session) pool() int { return int(s.owner.Epoch & 1) }

// retry repeats f while it is too early or no answer comes.
func (s *Session) retry(ctx context.Context, f func() error) error {
	return retry(ctx, s.c.Clock, s.c.Patience, func(err error) bool { return again(err) || silent(err) }, f)
}

// Retry is for requests of writers beside the protocol: it repeats f while it
// is too early or no answer comes.
func (s *Session) Retry(ctx context.Context, f func() error) error { return s.retry(ctx, f) }

// Marker is where this sink's commit markers are.
func (s *Session) Marker() client.TP { return s.c.Marker }

// checkTimeouts compares the time-out with the broker's limit and with the
// checkpoint interval, and learns for how long the broker keeps markers.
func (s *Session) checkTimeouts(ctx context.Context) error {
	if s.c.Interval > 0 && s.c.Timeout <= s.c.Interval {
		return exec.Fatal(fmt.Errorf("'properties.transaction.timeout.ms' is %d, the checkpoint interval %d ms: every transaction would time out before its commit; make the time-out a multiple of the interval",
			s.c.Timeout.Milliseconds(), s.c.Interval.Milliseconds()))
	}
	const limit, retention = "transaction.max.timeout.ms", "offsets.retention.minutes"
	var conf map[string]string
	// The first request of a start: a broker that is not there is said at once.
	repeat := func(err error) bool { return again(err) || silent(err) && !unsent(err) }
	err := retry(ctx, s.c.Clock, s.c.Patience, repeat, func() (err error) {
		conf, err = s.c.Cluster.BrokerConfig(ctx, limit, retention)
		return err
	})
	if _, answered := codes.Of(err); answered {
		s.c.Log.Warn("the broker's settings cannot be read, so its transaction.max.timeout.ms is not checked", "error", err)
		return nil
	}
	if err != nil {
		return err
	}
	ms, err := strconv.ParseInt(conf[limit], 10, 64)
	if err == nil && s.c.Timeout.Milliseconds() > ms {
		return exec.Fatal(fmt.Errorf("'properties.transaction.timeout.ms' is %d, the broker allows %d (transaction.max.timeout.ms): lower the first or raise the second", s.c.Timeout.Milliseconds(), ms))
	}
	if err == nil {
		s.limit = time.Duration(ms) * time.Millisecond
	}
	if m, err := strconv.ParseInt(conf[retention], 10, 64); err == nil && m > 0 {
		s.retention = time.Duration(m) * time.Minute
	}
	return nil
}
