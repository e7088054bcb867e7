package shell

import (
	"os"
	"os/signal"
)

// takeInterrupts makes Ctrl-C end what runs in the foreground instead of the
// program, whatever the program did with it before. While a line is read the
// terminal is raw and Ctrl-C is a key.
func (s *Shell) takeInterrupts() (release func()) {
	signal.Reset(os.Interrupt)
	signal.Notify(s.interrupt, os.Interrupt)
	return func() { signal.Stop(s.interrupt) }
}

// forgetInterrupts drops one that came between two statements.
func (s *Shell) forgetInterrupts() {
	select {
	case <-s.interrupt:
	default:
	}
}
