package kafka

import (
	"log/slog"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/exec"
)

const (
	// waitQuiet: what passes sooner, as a leader that moves, is not worth a word.
	waitQuiet = 2 * time.Second
	// waitAgain is the least time between two words.
	waitAgain = 30 * time.Second
)

// waiting returns a listener of produce and fetch that warns of an outage
// which lasts, now and then.
func waiting(log *slog.Logger, clock exec.Clock, what, topic string) func(time.Duration, error) {
	var mu sync.Mutex
	var said time.Time
	return func(d time.Duration, err error) {
		now := clock.Now()
		mu.Lock()
		defer mu.Unlock()
		if d < waitQuiet || !said.IsZero() && now.Sub(said) < waitAgain {
			return
		}
		said = now
		log.Warn(what+" waits for the brokers and tries again", "topic", topic, "since", d.Round(time.Second), "error", err)
	}
}
