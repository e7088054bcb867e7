package kafka

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/exec"
)

// never is the end of an unbounded partition.
const never = math.MaxInt64

// position is a partition's place in the reading: next is the offset of the
// next record, end the first that is not read. As text "next" or "next..end".
type position struct{ next, end int64 }

func (p position) encode() []byte {
	if p.end == never {
		return strconv.AppendInt(nil, p.next, 10)
	}
	return fmt.Appendf(nil, "%d..%d", p.next, p.end)
}

func decodePosition(b []byte) (position, error) {
	next, end, bounded := strings.Cut(string(b), "..")
	p := position{end: never}
	var err, endErr error
	p.next, err = strconv.ParseInt(next, 10, 64)
	if bounded {
		p.end, endErr = strconv.ParseInt(end, 10, 64)
	}
	if err = errors.Join(err, endErr); err != nil {
		return p, fmt.Errorf("damaged partition position %q: %w", b, err)
	}
	return p, nil
}

func splitID(p client.TP) string { return fmt.Sprintf("%s-%d", p.Topic, p.Partition) }

func parseSplitID(id string) (client.TP, error) {
	i := strings.LastIndexByte(id, '-')
	if i < 0 {
		return client.TP{}, fmt.Errorf("damaged split %q", id)
	}
	n, err := strconv.ParseInt(id[i+1:], 10, 32)
	if err != nil {
		return client.TP{}, fmt.Errorf("damaged split %q", id)
	}
	return client.TP{Topic: id[:i], Partition: int32(n)}, nil
}

// finder finds the offsets that a startup or bounded mode means.
type finder struct {
	control   *client.Control
	options   *connectors.Options
	parts     []client.TP
	committed bool // isolation
	group     string
}

// starts are the first offsets to read. Upsert tables have no startup mode:
// they begin at the earliest.
func (f *finder) starts(ctx context.Context, upsert bool) (map[client.TP]int64, error) {
	if upsert {
		return f.list(ctx, client.Earliest)
	}
	switch mode := f.options.Enum(optStartup); mode {
	case "earliest-offset":
		return f.list(ctx, client.Earliest)
	case "latest-offset":
		return f.list(ctx, client.Latest)
	case "timestamp":
		return f.since(ctx, "scan.startup.timestamp-millis", mode)
	case "specific-offsets":
		offsets, err := f.specific("scan.startup.specific-offsets", mode)
		if err != nil {
			return nil, err
		}
		return f.fill(ctx, offsets, client.Earliest)
	default:
		return f.fromGroup(ctx)
	}
}

// ends are the first offsets not to read.
func (f *finder) ends(ctx context.Context) (map[client.TP]int64, error) {
	switch mode := f.options.Enum(optBounded); mode {
	case "latest-offset":
		return f.list(ctx, client.Latest)
	case "timestamp":
		return f.since(ctx, "scan.bounded.timestamp-millis", mode)
	case "specific-offsets":
		offsets, err := f.specific("scan.bounded.specific-offsets", mode)
		if err != nil {
			return nil, err
		}
		return f.fill(ctx, offsets, client.Latest)
	case "group-offsets":
		offsets, err := f.groupOffsets(ctx, optBounded)
		if err != nil {
			return nil, err
		}
		return f.fill(ctx, offsets, client.Latest)
	}
	ends := map[client.TP]int64{}
	for _, p := range f.parts {
		ends[p] = never
	}
	return ends, nil
}

func (f *finder) list(ctx context.Context, at int64) (map[client.TP]int64, error) {
	times := map[client.TP]int64{}
	for _, p := range f.parts {
		times[p] = at
	}
	return listOffsets(ctx, f.control, times, f.committed)
}

// listOffsets waits out a moving leader, for 30 seconds at most.
func listOffsets(ctx context.Context, c *client.Control, times map[client.TP]int64, committed bool) (map[client.TP]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		offsets, err := c.ListOffsets(ctx, times, committed)
		if !codes.Is(err, codes.NotLeader, codes.LeaderNotAvailable, codes.OffsetNotAvailable, codes.ReplicaNotAvailable, codes.FencedLeaderEpoch, codes.UnknownLeaderEpoch) {
			return offsets, err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// since is the first record at or after a time, or the end.
func (f *finder) since(ctx context.Context, key, mode string) (map[client.TP]int64, error) {
	if !f.options.Given(key) {
		return nil, fmt.Errorf("mode '%s' needs option '%s'", mode, key)
	}
	found, err := f.list(ctx, f.options.Int(key))
	if err != nil {
		return nil, err
	}
	for p, o := range found {
		if o < 0 {
			delete(found, p)
		}
	}
	return f.fill(ctx, found, client.Latest)
}

// fill adds the offset of a time for the partitions that offsets lacks.
func (f *finder) fill(ctx context.Context, offsets map[client.TP]int64, at int64) (map[client.TP]int64, error) {
	rest := map[client.TP]int64{}
	for _, p := range f.parts {
		if _, ok := offsets[p]; !ok {
			rest[p] = at
		}
	}
	if len(rest) == 0 {
		return offsets, nil
	}
	found, err := listOffsets(ctx, f.control, rest, f.committed)
	for p, o := range found {
		offsets[p] = o
	}
	return offsets, err
}

// specific reads 'partition:0,offset:42;partition:1,offset:300'.
func (f *finder) specific(key, mode string) (map[client.TP]int64, error) {
	text := f.options.Text(key)
	if text == "" {
		return nil, fmt.Errorf("mode '%s' needs option '%s'", mode, key)
	}
	byID := map[int32]int64{}
	for item := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(text), ";"), ";") {
		var p int32
		var o int64
		if _, err := fmt.Sscanf(strings.TrimSpace(item), "partition:%d,offset:%d", &p, &o); err != nil || p < 0 || o < 0 {
			return nil, fmt.Errorf("option '%s': %q is not of the form 'partition:0,offset:42'", key, item)
		}
		byID[p] = o
	}
	offsets := map[client.TP]int64{}
	for _, tp := range f.parts {
		if o, ok := byID[tp.Partition]; ok {
			offsets[tp] = o
			delete(byID, tp.Partition)
		}
	}
	for p := range byID {
		return nil, fmt.Errorf("option '%s': there is no partition %d", key, p)
	}
	return offsets, nil
}

func (f *finder) groupOffsets(ctx context.Context, mode string) (map[client.TP]int64, error) {
	if f.group == "" {
		return nil, fmt.Errorf("'%s' = 'group-offsets' needs '%s'; or choose 'earliest-offset' or 'latest-offset'", mode, optGroup)
	}
	var found map[client.TP]client.Committed
	err := patiently(ctx, func() (err error) {
		found, err = f.control.GroupOffsets(ctx, f.group, f.parts, false)
		return err
	})
	offsets := map[client.TP]int64{}
	for p, c := range found {
		offsets[p] = c.Offset
	}
	return offsets, err
}

// patiently waits out a coordinator that starts or moves.
func patiently(ctx context.Context, f func() error) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		err := f()
		if !codes.Is(err, codes.CoordinatorLoading, codes.CoordinatorNotAvailable, codes.NotCoordinator, codes.UnstableOffsetCommit) {
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

// fromGroup begins where the group stands; auto.offset.reset says what a
// partition without an offset does.
func (f *finder) fromGroup(ctx context.Context) (map[client.TP]int64, error) {
	reset := f.options.Enum(optReset)
	if f.group == "" && reset == "" || f.group == "" && reset == "none" {
		return nil, exec.Fatal(fmt.Errorf("'%s' is group-offsets (the default), but '%s' is not set: set 'scan.startup.mode' = 'earliest-offset' or 'latest-offset', or the group", optStartup, optGroup))
	}
	offsets := map[client.TP]int64{}
	if f.group != "" {
		var err error
		if offsets, err = f.groupOffsets(ctx, optStartup); err != nil {
			return nil, err
		}
	}
	switch reset {
	case "earliest":
		return f.fill(ctx, offsets, client.Earliest)
	case "latest":
		return f.fill(ctx, offsets, client.Latest)
	}
	for _, p := range f.parts {
		if _, ok := offsets[p]; !ok {
			return nil, exec.Fatal(fmt.Errorf("group '%s' has no offset for partition %s: set 'scan.startup.mode' = 'earliest-offset' or 'latest-offset', or 'properties.auto.offset.reset' = 'earliest' or 'latest'", f.group, p))
		}
	}
	return offsets, nil
}
