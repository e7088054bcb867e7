package torture

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Feed adds records to the input, with the ids that follow.
func (w *World) Feed(n int) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(w.Addr), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		return err
	}
	defer cl.Close()
	for n > 0 { // in batches that do not exceed the pace
		var list []*kgo.Record
		for range min(n, pace*w.Partitions) {
			p := w.Records % w.Partitions
			list = append(list, &kgo.Record{Topic: w.In, Partition: int32(p), Value: fmt.Appendf(nil, `{"id":%d,"part":%d}`, w.Records, p)})
			w.Records++
		}
		n -= len(list)
		if err := cl.ProduceSync(context.Background(), list...).FirstErr(); err != nil {
			return err
		}
	}
	return nil
}

// Verdict is what the oracle found.
type Verdict struct {
	Records          int
	Lost, Duplicated []int // ids
	Strange          []string
}

func (v Verdict) Err() error {
	if len(v.Lost)+len(v.Duplicated)+len(v.Strange) == 0 {
		return nil
	}
	return fmt.Errorf("of %d records lost %v, duplicated %v, rows that should not be %q", v.Records, v.Lost, v.Duplicated, v.Strange)
}

// compare compares rows with what the input demands, as multisets.
func (w *World) compare(rows []string) Verdict {
	v := Verdict{Records: w.Records}
	count := make(map[string]int, len(rows))
	for _, r := range rows {
		count[r]++
	}
	for id := range w.Records {
		r := row(id, w.Partitions)
		switch n := count[r]; {
		case n == 0 && !slices.Contains(w.Drained, id):
			v.Lost = append(v.Lost, id)
		case n > 1:
			v.Duplicated = append(v.Duplicated, id)
		}
		delete(count, r)
	}
	for r := range count {
		v.Strange = append(v.Strange, r)
	}
	return v
}

// Check compares the output topics with the input.
func (w *World) Check(topics ...string) (Verdict, error) {
	if len(topics) == 0 {
		topics = []string{w.Out}
	}
	for _, t := range topics {
		rows, err := w.Visible(t)
		if err != nil {
			return Verdict{}, err
		}
		if v := w.compare(rows); v.Err() != nil || t == topics[len(topics)-1] {
			return v, nil
		}
	}
	panic("unreachable")
}

// CheckFiles compares the files of a folder with the input. A file that does
// not begin with a dot is complete.
func (w *World) CheckFiles(folder string) (Verdict, error) {
	rows, err := fileRows(folder)
	if err != nil {
		return Verdict{}, err
	}
	return w.compare(rows), nil
}

func fileRows(folder string) (rows []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(string(b), "\n") {
			return nil, fmt.Errorf("file %s is visible and does not end with a whole line", e.Name())
		}
		rows = append(rows, strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")...)
	}
	return rows, nil
}

// settleTime is how long a commit may take to be visible, on a broker that
// was just killed.
const settleTime = 20 * time.Second

// Visible reads a topic as a read_committed consumer sees it. It waits until
// no transaction is open, which is so once the job has finished.
func (w *World) Visible(topic string) ([]string, error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(w.Addr))
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	var ends map[int32]int64
	for err == nil {
		var stable map[int32]int64
		if ends, err = offsets(ctx, cl, topic, w.Partitions, false); err != nil {
			break
		}
		if stable, err = offsets(ctx, cl, topic, w.Partitions, true); err != nil || maps.Equal(stable, ends) {
			break
		}
		select {
		case <-time.After(2 * time.Millisecond):
		case <-ctx.Done():
			return nil, fmt.Errorf("topic %s: transactions stay open: the last stable offsets are %v, the ends %v", topic, stable, ends)
		}
	}
	if err != nil {
		return nil, err
	}
	return w.read(ctx, topic, ends)
}

// VisibleNow does not wait for open transactions: it reads what is before
// them.
func (w *World) VisibleNow(topic string) (rows []string, err error) {
	err = w.upTo(topic, true, func(ctx context.Context, ends map[int32]int64) error {
		rows, err = w.read(ctx, topic, ends)
		return err
	})
	return rows, err
}

// upTo calls f with the ends of the topic as they are now, or with its last
// stable offsets.
func (w *World) upTo(topic string, stable bool, f func(context.Context, map[int32]int64) error) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(w.Addr))
	if err != nil {
		return err
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	ends, err := offsets(ctx, cl, topic, w.Partitions, stable)
	if err != nil {
		return err
	}
	return f(ctx, ends)
}

// read returns the values up to ends that a read_committed consumer sees.
func (w *World) read(ctx context.Context, topic string, ends map[int32]int64) (rows []string, err error) {
	err = w.records(ctx, topic, ends, kgo.ReadCommitted(), func(r *kgo.Record) {
		if !r.Attrs.IsControl() {
			rows = append(rows, string(r.Value))
		}
	})
	return rows, err
}

// records fetches up to ends, control records as well; the last record before
// an end is a commit or abort marker, or a read_committed reader would wait
// for ever.
func (w *World) records(ctx context.Context, topic string, ends map[int32]int64, level kgo.IsolationLevel, f func(*kgo.Record)) error {
	from := map[int32]kgo.Offset{}
	for p, end := range ends {
		if end > 0 {
			from[p] = kgo.NewOffset().AtStart()
		}
	}
	if len(from) == 0 {
		return nil
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(w.Addr), kgo.FetchIsolationLevel(level), kgo.KeepControlRecords(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: from}), kgo.FetchMaxWait(50*time.Millisecond))
	if err != nil {
		return err
	}
	defer cl.Close()
	for len(from) > 0 {
		fs := cl.PollFetches(ctx)
		if err := fs.Err0(); err != nil {
			return fmt.Errorf("topic %s is not read to its end, partitions %v are left: %w", topic, from, err)
		}
		fs.EachRecord(func(r *kgo.Record) {
			f(r)
			if r.Offset+1 >= ends[r.Partition] {
				delete(from, r.Partition)
			}
		})
	}
	return nil
}

// offsets are the ends of a topic's partitions; stable: those that
// read_committed consumers see.
func offsets(ctx context.Context, cl *kgo.Client, topic string, partitions int, stable bool) (map[int32]int64, error) {
	req := kmsg.NewPtrListOffsetsRequest()
	if stable {
		req.IsolationLevel = 1
	}
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic = topic
	for p := range partitions {
		rp := kmsg.NewListOffsetsRequestTopicPartition()
		rp.Partition, rp.Timestamp = int32(p), -1
		t.Partitions = append(t.Partitions, rp)
	}
	req.Topics = append(req.Topics, t)
	m := map[int32]int64{}
	for _, s := range cl.RequestSharded(ctx, req) {
		if s.Err != nil {
			return nil, s.Err
		}
		for _, t := range s.Resp.(*kmsg.ListOffsetsResponse).Topics {
			for _, p := range t.Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					return nil, fmt.Errorf("offsets of %s: %w", topic, err)
				}
				m[p.Partition] = p.Offset
			}
		}
	}
	return m, nil
}
