package kafka

import (
	"context"
	"log/slog"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/exec"
)

// committer commits a group's offsets beside the reading: one request at a
// time; while one is under way a new one is left out, as the next checkpoint
// brings the next.
type committer struct {
	group   string
	control *client.Control
	log     *slog.Logger
	under   chan struct{} // closed when the request under way has ended
}

func (c *committer) start(positions []exec.Split) error {
	if c.group == "" || len(positions) == 0 || c.busy() {
		return nil
	}
	offsets := map[client.TP]int64{}
	for _, s := range positions {
		tp, err := parseSplitID(s.ID)
		if err != nil {
			return err
		}
		p, err := decodePosition(s.Position)
		if err != nil {
			return err
		}
		offsets[tp] = p.next
	}
	done := make(chan struct{})
	c.under = done
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		err := patiently(ctx, func() error { return c.control.CommitGroupOffsets(ctx, c.group, offsets) })
		if err != nil {
			c.log.Warn("the group's offsets are not committed: lag tools see old ones", "group", c.group, "error", err)
		}
	}()
	return nil
}

func (c *committer) busy() bool {
	if c.under == nil {
		return false
	}
	select {
	case <-c.under:
		return false
	default:
		return true
	}
}

func (c *committer) wait() {
	if c.under != nil {
		<-c.under
	}
}
