package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/sqlstream/sqlstream/session"
)

// sameWish: signals that follow within this time are the first one again.
// timeout(1) and terminals that close signal the process and then its group.
const sameWish = 200 * time.Millisecond

// interrupts ends the context with the first Ctrl-C or SIGTERM, so that jobs
// stop with a final checkpoint; the second ends the program at once.
func interrupts(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
			cancel()
		case <-done:
			return
		}
		first := time.Now()
		for {
			select {
			case <-signals:
				if time.Since(first) > sameWish {
					os.Exit(session.ExitInterrupt)
				}
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
