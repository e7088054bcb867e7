package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/session"
)

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "verify [ID] [JOB]", Short: "Read every chunk of one checkpoint, or of all kept ones, and check its sum", Args: argsBy(cobra.MaximumNArgs(2)),
		RunE: func(_ *cobra.Command, args []string) error {
			var id int64
			if len(args) > 0 {
				if n, err := strconv.ParseInt(args[0], 10, 64); err == nil {
					id, args = n, args[1:]
				} else if len(args) > 1 {
					return usage("checkpoint verify %s: expected a checkpoint's number", args[0])
				}
			}
			dir, err := a.jobDir(args)
			if err != nil {
				return err
			}
			return a.whenStopped(dir, func(s *checkpoint.KVStore) error { return a.verify(s, checkpoint.ID(id)) })
		},
	}
}

func (a *app) exportCommand() *cobra.Command {
	return &cobra.Command{
		Use: "export ID FILE [JOB]", Short: "Write what a checkpoint holds, but for its chunks, as JSON; FILE - is standard output", Args: argsBy(cobra.RangeArgs(2, 3)),
		RunE: func(_ *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return usage("checkpoint export %s: expected a checkpoint's number", args[0])
			}
			dir, err := a.jobDir(args[2:])
			if err != nil {
				return err
			}
			return a.whenStopped(dir, func(s *checkpoint.KVStore) error { return a.export(s, checkpoint.ID(id), args[1]) })
		},
	}
}

// whenStopped looks into the directory of a job that must not run.
func (a *app) whenStopped(dir string, use func(*checkpoint.KVStore) error) error {
	err := inspect(dir, use)
	switch {
	case errors.Is(err, checkpoint.ErrLocked):
		return external("the job runs; stop it to look into a checkpoint ('checkpoint list' and 'txn list' work beside it)")
	case errors.Is(err, checkpoint.ErrNotFound):
		return external("%w; 'checkpoint list' shows those that are kept", err)
	}
	return err
}

// verify reads the chunks of one checkpoint, or of all (id 0). That metadata
// and references are sound was checked when the directory was opened.
func (a *app) verify(s *checkpoint.KVStore, id checkpoint.ID) error {
	infos, err := s.List()
	if err != nil {
		return err
	}
	ids := []checkpoint.ID{id}
	if id == 0 {
		ids = ids[:0]
		for _, i := range infos {
			ids = append(ids, i.ID)
		}
	}
	seen, damaged := map[uint64]error{}, 0
	for _, id := range ids {
		m, err := s.Load(id)
		if err != nil {
			return err
		}
		damaged += a.verifyOne(s, m, seen)
	}
	if damaged > 0 {
		fmt.Fprintf(a.err, "%d of %d checkpoints are damaged; put back a copy of the directory, or start anew with --fresh\n", damaged, len(ids))
		return &exitError{session.ExitAssertion}
	}
	return nil
}

// verifyOne returns 1 if a chunk is damaged, and says which.
func (a *app) verifyOne(s *checkpoint.KVStore, m *checkpoint.Metadata, seen map[uint64]error) int {
	names := operatorNames(s)
	var bytes int64
	broken := 0
	for _, o := range m.Operators {
		for _, ref := range o.Chunks {
			err, known := seen[ref]
			if !known {
				var data []byte
				data, err = s.GetChunk(ref)
				bytes += int64(len(data))
				seen[ref] = err
			}
			if err != nil {
				broken++
				fmt.Fprintf(a.out, "checkpoint %d: %s[%d]: chunk %x: %v\n", m.ID, named(names, o.UID), o.Index, ref, err)
			}
		}
	}
	if broken > 0 {
		fmt.Fprintf(a.out, "checkpoint %d: DAMAGED, %d of %d chunks\n", m.ID, broken, len(m.Chunks()))
		return 1
	}
	fmt.Fprintf(a.out, "checkpoint %d: sound, %d chunks, %d bytes read\n", m.ID, len(m.Chunks()), bytes)
	return 0
}

func operatorNames(s *checkpoint.KVStore) map[string]string {
	names := map[string]string{}
	for _, o := range s.Job().Operators {
		names[o.UID] = o.Name
	}
	return names
}

// exported is a checkpoint's metadata as JSON. Chunks are references.
type exported struct {
	Job            string                `json:"job"`
	Run            string                `json:"run"`
	Checkpoint     checkpoint.ID         `json:"checkpoint"`
	Kind           string                `json:"kind"`
	Finished       bool                  `json:"finished"`
	Taken          time.Time             `json:"taken"`
	JobHash        string                `json:"jobHash"`
	KeyHashVersion uint16                `json:"keyHashVersion"`
	MaxParallelism int                   `json:"maxParallelism"`
	Sources        []exportedSplit       `json:"sources"`
	Operators      []exportedOperator    `json:"operators"`
	Pending        []exportedCommittable `json:"pending"`
}

type exportedSplit struct {
	Source    string     `json:"source"`
	UID       string     `json:"uid"`
	Subtask   int        `json:"subtask"`
	Split     string     `json:"split"`
	Position  string     `json:"position"` // in the connector's words, else hexadecimal digits
	Bytes     string     `json:"positionBytes"`
	Watermark *time.Time `json:"watermark"`
	Idle      bool       `json:"idle"`
	Ended     bool       `json:"ended"`
}

type exportedOperator struct {
	Operator      string       `json:"operator"`
	UID           string       `json:"uid"`
	Subtask       int          `json:"subtask"`
	Parallelism   int          `json:"parallelism"`
	Watermarks    []*time.Time `json:"watermarks"`
	Tables        []string     `json:"tables"`
	Chunks        []string     `json:"chunks"`
	ManifestBytes int          `json:"manifestBytes"`
}

type exportedCommittable struct {
	Sink       string                  `json:"sink"`
	Writer     int                     `json:"writer"`
	Checkpoint checkpoint.ID           `json:"checkpoint"`
	State      string                  `json:"state"` // now
	Detail     string                  `json:"detail,omitempty"`
	Version    uint16                  `json:"version"`
	Payload    string                  `json:"payload"`
	Words      *connectors.Transaction `json:"transaction,omitempty"`
}

func (a *app) export(s *checkpoint.KVStore, id checkpoint.ID, file string) error {
	m, err := s.Load(id)
	if err != nil {
		return err
	}
	e, err := exportOf(s, m)
	if err != nil {
		return err
	}
	var out io.Writer = a.out
	if file != "-" {
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return external("file %s: %w", file, unwrapPath(err))
		}
		defer func() {
			if cerr := f.Close(); err == nil {
				err = cerr
			}
		}()
		out = f
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(e)
}

func exportOf(s *checkpoint.KVStore, m *checkpoint.Metadata) (*exported, error) {
	names := operatorNames(s)
	e := &exported{
		Job: s.Job().Name, Run: s.RunID(), Checkpoint: m.ID, Kind: m.Kind.String(), Finished: m.Finished, Taken: time.UnixMilli(m.TimeMillis).UTC(),
		JobHash: m.JobHash, KeyHashVersion: m.KeyHashVersion, MaxParallelism: m.MaxParallelism,
		Sources: []exportedSplit{}, Operators: []exportedOperator{}, Pending: []exportedCommittable{},
	}
	for _, src := range m.Sources {
		for _, sp := range src.Splits {
			e.Sources = append(e.Sources, exportedSplit{
				Source: names[src.Subtask.UID], UID: src.Subtask.UID, Subtask: src.Subtask.Index, Split: sp.Split.ID,
				Position: position(sp.Split.Position), Bytes: hex.EncodeToString(sp.Split.Position),
				Watermark: eventTime(sp.Watermark), Idle: sp.Idle, Ended: sp.Ended,
			})
		}
	}
	for _, o := range m.Operators {
		x := exportedOperator{Operator: names[o.UID], UID: o.UID, Subtask: o.Index, Parallelism: o.Parallelism, ManifestBytes: len(o.Manifest), Tables: []string{}, Chunks: []string{}}
		for _, w := range o.Watermarks {
			x.Watermarks = append(x.Watermarks, eventTime(w))
		}
		for _, l := range o.Layouts {
			x.Tables = append(x.Tables, l.Name)
		}
		for _, ref := range o.Chunks {
			x.Chunks = append(x.Chunks, fmt.Sprintf("%x", ref))
		}
		e.Operators = append(e.Operators, x)
	}
	return e, e.addPending(s, m)
}

// addPending adds the committables with what is known of them by now.
func (e *exported) addPending(s *checkpoint.KVStore, m *checkpoint.Metadata) error {
	sinks, err := session.Sinks(s, s.Job())
	if err != nil {
		return err
	}
	open, err := newSettlers(sinks, &txnFlags{})
	if err != nil {
		return err
	}
	outcomes, err := s.Outcomes()
	if err != nil {
		return err
	}
	settled := map[string]checkpoint.Outcome{}
	for _, o := range outcomes {
		settled[o.Committable.Key()] = o
	}
	for _, c := range m.Pending {
		x := exportedCommittable{Sink: c.Writer.UID, Writer: c.Writer.Index, Checkpoint: c.Checkpoint, State: "pending", Version: c.Version, Payload: hex.EncodeToString(c.Payload)}
		if o, ok := settled[c.Key()]; ok {
			x.State, x.Detail = o.Status.String(), o.Detail
		}
		if w, ok := (&decision{settlers: open}).words(c); ok {
			x.Words = &w
		}
		e.Pending = append(e.Pending, x)
	}
	return open.close()
}

// position is a split's position in words of the connector that knows it:
// the directory does not say which one a source has.
func position(b []byte) string {
	if len(b) == 0 {
		return "the beginning"
	}
	for _, c := range connectors.All() {
		if c.Position != nil {
			if s, ok := c.Position(b); ok {
				return s
			}
		}
	}
	return hex.EncodeToString(b)
}

// eventTime is nil for a watermark that there is not.
func eventTime(millis int64) *time.Time {
	if millis == math.MinInt64 || millis == math.MaxInt64 {
		return nil
	}
	t := time.UnixMilli(millis).UTC()
	return &t
}
