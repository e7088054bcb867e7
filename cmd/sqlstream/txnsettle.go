package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/session"
)

// settle commits or aborts one transaction of a stopped job.
func (a *app) settle(ctx context.Context, dir, id string, commit bool, f *txnFlags) error {
	if _, err := session.Ask(dir, session.Request{Command: "status"}); err == nil {
		return external("the job runs and settles its transactions by itself; stop it first")
	}
	err := inspect(dir, func(s *checkpoint.KVStore) error {
		sinks, err := session.Sinks(s, s.Job())
		if err != nil {
			return err
		}
		open, err := newSettlers(sinks, f)
		if err != nil {
			return err
		}
		open.journal = s.Journal
		d := &decision{app: a, store: s, settlers: open, id: id, commit: commit, flags: f}
		return errors.Join(d.run(ctx), open.close())
	})
	if errors.Is(err, checkpoint.ErrLocked) {
		return external("the job runs and settles its transactions by itself; stop it first")
	}
	return refusal(err)
}

// refusal: what a state forbids is an error of the run, exit code 4.
func refusal(err error) error {
	var lose *connectors.WouldLoseError
	var undecided *connectors.UndecidedError
	if errors.As(err, &lose) || errors.As(err, &undecided) || err != nil && session.KindOf(err) == session.Internal {
		return &session.Error{Kind: session.Runtime, Err: err}
	}
	return err
}

// decision is a person's wish about one transaction.
type decision struct {
	app      *app
	store    *checkpoint.KVStore
	settlers *settlers
	id       string
	commit   bool
	flags    *txnFlags
}

func (d *decision) run(ctx context.Context) error {
	m, err := d.store.Latest() // brings the file LATEST up: what is pending may be committed
	if err != nil {
		return err
	}
	if m != nil {
		for _, c := range m.Pending {
			if w, ok := d.words(c); ok && w.ID == d.id {
				return d.settlePending(ctx, m, c, w)
			}
		}
	}
	return d.notPending(ctx, m)
}

func (d *decision) words(c checkpoint.Committable) (connectors.Transaction, bool) {
	s, err := d.settlers.of(c.Writer.UID)
	if err != nil {
		return connectors.Transaction{}, false
	}
	w, err := s.Describe(c)
	return w, err == nil
}

func (d *decision) settlePending(ctx context.Context, m *checkpoint.Metadata, c checkpoint.Committable, w connectors.Transaction) error {
	question := "Abort transaction %s of checkpoint %d and lose its %d rows?"
	if d.commit {
		question = "Commit transaction %s of checkpoint %d, %d rows?"
	}
	if err := d.app.ask(d.flags.yes, question, w.ID, c.Checkpoint, w.Rows); err != nil {
		return err
	}
	s, err := d.settlers.of(c.Writer.UID)
	if err != nil {
		return err
	}
	pending, index := ofWriterSink(m.Pending, c)
	outcome, err := s.Settle(ctx, connectors.Settlement{Pending: pending, Index: index, Commit: d.commit, Force: d.flags.force})
	// Stored even beside an error: what is known for ever must not be lost.
	if err := errors.Join(err, d.store.SaveOutcomes([]checkpoint.Outcome{outcome})); err != nil {
		return err
	}
	return d.report(outcome, w)
}

// report says what became of it; an abort that came too late is an error.
func (d *decision) report(o checkpoint.Outcome, w connectors.Transaction) error {
	switch {
	case o.Status == checkpoint.Committed && d.commit:
		fmt.Fprintf(d.app.out, "committed: transaction %s of checkpoint %d, %d rows (%s)\n", w.ID, o.Committable.Checkpoint, w.Rows, o.Detail)
		return nil
	case o.Status == checkpoint.Committed:
		return &session.Error{Kind: session.Runtime, Err: fmt.Errorf("transaction %s had been committed before and stays so (%s); this is now noted", w.ID, o.Detail)}
	case o.Status == checkpoint.Lost:
		fmt.Fprintf(d.app.out, "aborted: transaction %s of checkpoint %d; its %d rows are lost\n", w.ID, o.Committable.Checkpoint, w.Rows)
		return nil
	}
	return &session.Error{Kind: session.Runtime, Err: fmt.Errorf("transaction %s is still pending: %s", w.ID, o.Detail)}
}

// ofWriterSink are the pending ones of c's sink, and where c is among them.
func ofWriterSink(all []checkpoint.Committable, c checkpoint.Committable) (list []checkpoint.Committable, index int) {
	for _, p := range all {
		if p.Writer.UID == c.Writer.UID {
			if p.Key() == c.Key() {
				index = len(list)
			}
			list = append(list, p)
		}
	}
	return list, index
}

// notPending: the transaction is settled, or no checkpoint covers it.
func (d *decision) notPending(ctx context.Context, m *checkpoint.Metadata) error {
	outcomes, err := d.store.Outcomes()
	if err != nil {
		return err
	}
	uid, open, err := d.inCluster(ctx)
	if err == nil && open {
		return d.abortOpen(ctx, uid, m)
	}
	for _, o := range outcomes {
		if w, ok := d.words(o.Committable); ok && w.ID == d.id {
			return d.settledBefore(o)
		}
	}
	if err != nil {
		return err
	}
	return external("no transaction %s is pending or open; 'txn list' shows those that are", d.id)
}

func (d *decision) settledBefore(o checkpoint.Outcome) error {
	text := fmt.Sprintf("transaction %s of checkpoint %d is %s already (%s)", d.id, o.Committable.Checkpoint, o.Status, o.Detail)
	if d.commit == (o.Status == checkpoint.Committed) {
		fmt.Fprintln(d.app.out, text)
		return nil
	}
	return &session.Error{Kind: session.Runtime, Err: errors.New(text)}
}

// inCluster finds the sink on whose ids something is open.
func (d *decision) inCluster(ctx context.Context) (uid string, open bool, err error) {
	sinks, err := askClusters(ctx, d.settlers)
	for _, s := range sinks {
		for _, c := range s.list {
			if c.ID == d.id && c.Open {
				return s.uid, true, nil
			}
		}
	}
	return "", false, err
}

func (d *decision) abortOpen(ctx context.Context, uid string, m *checkpoint.Metadata) error {
	if d.commit {
		return &connectors.WouldLoseError{Msg: fmt.Sprintf("no checkpoint covers transaction %s: its rows are read again at the next start, so committing it would repeat them; `txn abort` ends it", d.id)}
	}
	if err := d.app.ask(d.flags.yes, "Abort transaction %s? No checkpoint covers it: its rows are read again at the next start.", d.id); err != nil {
		return err
	}
	var pending []checkpoint.Committable
	if m != nil {
		for _, p := range m.Pending {
			if p.Writer.UID == uid {
				pending = append(pending, p)
			}
		}
	}
	s, err := d.settlers.of(uid)
	if err != nil {
		return err
	}
	if err := s.AbortOpen(ctx, d.id, pending); err != nil {
		return err
	}
	fmt.Fprintf(d.app.out, "aborted: transaction %s; its rows are read again at the next start\n", d.id)
	return nil
}
