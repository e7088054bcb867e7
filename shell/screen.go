package shell

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// screen keeps one live line on standard error that vanishes before anything
// else is written.
type screen struct {
	err   io.Writer
	live  bool
	width func() int

	mu    sync.Mutex
	drawn string
}

// draw replaces the live line; "" takes it away.
func (s *screen) draw(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.live || line == s.drawn {
		return
	}
	s.erase()
	if line == "" {
		return
	}
	if w := s.width(); w > 1 && text.StringWidthWithoutEscSequences(line) >= w {
		line = text.Trim(line, w-2) + "…"
	}
	fmt.Fprint(s.err, line)
	s.drawn = line
}

func (s *screen) clear() { s.draw("") }

// wipe takes away what the terminal echoed for a key, as ^C.
func (s *screen) wipe() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live {
		s.drawn = " "
		s.erase()
	}
}

func (s *screen) erase() {
	if s.drawn != "" {
		fmt.Fprint(s.err, "\r\x1b[K")
		s.drawn = ""
	}
}

// writer writes to w after the live line is gone.
func (s *screen) writer(w io.Writer) io.Writer { return over{s, w} }

type over struct {
	screen *screen
	w      io.Writer
}

func (o over) Write(p []byte) (int, error) {
	o.screen.mu.Lock()
	defer o.screen.mu.Unlock()
	o.screen.erase()
	return o.w.Write(p)
}

func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// isSmart: a terminal that can move its cursor.
func isSmart(f *os.File) bool { return isTerminal(f) && os.Getenv("TERM") != "dumb" }

// size of a terminal; 0, 0 if f is none.
func size(f *os.File) (width, height int) {
	if f == nil {
		return 0, 0
	}
	width, height, _ = term.GetSize(int(f.Fd()))
	return width, height
}
