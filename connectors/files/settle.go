package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
)

// settler looks after the finished files of one sink, for `txn`. The id of a
// transaction is the hidden name of its file.
type settler struct {
	committer
}

func openSettler(r connectors.SinkRef) (connectors.Settler, error) {
	path := r.Options["path"]
	if path == "" {
		return nil, fmt.Errorf("the state directory does not say which folder the sink writes to")
	}
	s := &sink{&sinkTable{path: path, guarantee: exec.ExactlyOnce}}
	ctx := exec.SinkContext{UID: r.UID, JobName: r.JobName, RunID: r.RunID, Clock: r.Clock, Log: r.Log, Journal: r.Journal}
	return &settler{committer{s, ctx}}, nil
}

// note keeps where the sink writes; a folder is named as every process finds
// it, wherever it is started.
func (c *committer) note() error {
	path, err := filepath.Abs(c.sink.path)
	if err != nil {
		return err
	}
	return connectors.WriteSinkNote(c.ctx.Journal, connectors.SinkNote{Connector: "filesystem", Options: map[string]string{"path": path}})
}

// Describe: the time is that of the file, if it is still hidden.
func (s *settler) Describe(c exec.Committable) (connectors.Transaction, error) {
	p, err := decodePending(c)
	if err != nil {
		return connectors.Transaction{}, err
	}
	t := connectors.Transaction{ID: p.temp, Rows: p.rows, Partitions: []string{s.at(p.final)}}
	if info, err := os.Lstat(s.at(p.temp)); err == nil {
		t.Started = info.ModTime()
	}
	return t, nil
}

func (s *settler) at(name string) string { return filepath.Join(s.sink.path, name) }

// Cluster lists the sink's hidden files.
func (s *settler) Cluster(context.Context) ([]connectors.ClusterTransaction, error) {
	names, err := s.hidden()
	if isMissing(err) {
		return nil, nil
	}
	var list []connectors.ClusterTransaction
	for _, name := range names {
		info, err := os.Lstat(s.at(name))
		if isMissing(err) {
			continue // put in place since
		}
		if err != nil {
			return nil, err
		}
		list = append(list, connectors.ClusterTransaction{ID: name, State: "hidden file", Open: true, Started: info.ModTime(), Partitions: []string{s.sink.path}})
	}
	return list, err
}

// Settle puts a file in place, or removes it. Nothing holds files of a writer
// in an order, so none waits for another.
func (s *settler) Settle(ctx context.Context, d connectors.Settlement) (exec.Outcome, error) {
	item := d.Pending[d.Index]
	if err := s.Start(ctx, d.Pending); err != nil {
		return exec.Outcome{Committable: item}, err
	}
	if d.Commit {
		return s.commitByHand(ctx, item)
	}
	return s.abortByHand(ctx, item, d.Force)
}

func (s *settler) commitByHand(ctx context.Context, item exec.Committable) (exec.Outcome, error) {
	list, err := s.Commit(ctx, []exec.Committable{item})
	o := list[0]
	if o.Status != checkpoint.Lost {
		return o, err
	}
	return exec.Outcome{Committable: item}, errors.Join(err, &connectors.WouldLoseError{Msg: o.Detail})
}

// abortByHand: what is in place stays so; only a file that is gone is given up
// without force.
func (s *settler) abortByHand(ctx context.Context, item exec.Committable, force bool) (exec.Outcome, error) {
	p, err := decodePending(item)
	if err != nil {
		return exec.Outcome{Committable: item}, err
	}
	_, err = os.Lstat(s.at(p.temp))
	switch {
	case isMissing(err):
		list, err := s.Commit(ctx, []exec.Committable{item})
		o := list[0]
		if o.Status == checkpoint.Lost {
			o.Fatal, o.Records, o.Detail = false, p.rows, fmt.Sprintf("its file was gone: %d rows given up by hand", p.rows)
		}
		return o, err
	case err != nil:
		return exec.Outcome{Committable: item}, err
	case !force:
		return exec.Outcome{Committable: item}, &connectors.WouldLoseError{Msg: fmt.Sprintf("file '%s' has %d rows of checkpoint %d, which is durable, so they would not be read again: aborting loses them; put it in place by `sqlstream txn commit`, or give it up by `txn abort --force`",
			s.at(p.temp), p.rows, item.Checkpoint)}
	}
	if err := s.remove(p.temp); err != nil {
		return exec.Outcome{Committable: item}, err
	}
	return exec.Outcome{Committable: item, Status: checkpoint.Lost, Records: p.rows, Detail: fmt.Sprintf("%d rows given up by hand", p.rows)}, nil
}

func (s *settler) remove(name string) error {
	if err := os.Remove(s.at(name)); err != nil {
		return err
	}
	return syncFolder(s.sink.path)
}

// AbortOpen removes a file that no checkpoint covers, as the next start would.
func (s *settler) AbortOpen(ctx context.Context, id string, pending []exec.Committable) error {
	if err := s.Start(ctx, pending); err != nil {
		return err
	}
	if !isHidden(id, s.ctx) {
		return fmt.Errorf("file '%s' is not one of this sink", id)
	}
	return s.remove(id)
}

var _ connectors.Settler = (*settler)(nil)
