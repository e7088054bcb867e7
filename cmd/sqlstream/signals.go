package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/sqlstream/sqlstream/session"
)

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
		select {
		case <-signals:
			os.Exit(session.ExitInterrupt)
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
