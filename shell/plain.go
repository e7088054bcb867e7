package shell

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// plainLines reads from a terminal that cannot move its cursor (TERM=dumb):
// the terminal itself edits the line.
type plainLines struct {
	out       io.Writer
	interrupt <-chan os.Signal

	ask     chan struct{} // wants a line
	lines   chan plainLine
	waiting bool // a line was asked for and has not come
	closed  chan struct{}
	once    sync.Once
}

type plainLine struct {
	text string
	err  error
}

func newPlainLines(in io.Reader, out io.Writer, interrupt <-chan os.Signal) *plainLines {
	p := &plainLines{out: out, interrupt: interrupt, ask: make(chan struct{}), lines: make(chan plainLine), closed: make(chan struct{})}
	go p.read(bufio.NewReader(in))
	return p
}

// read takes a line only when one is asked for: an editor that runs in
// between needs the terminal itself. It ends with Close, or once its last
// read returns.
func (p *plainLines) read(r *bufio.Reader) {
	for {
		select {
		case <-p.ask:
		case <-p.closed:
			return
		}
		text, err := r.ReadString('\n')
		if text != "" {
			err = nil
		}
		select {
		case p.lines <- plainLine{strings.TrimRight(text, "\r\n"), err}:
		case <-p.closed:
			return
		}
	}
}

func (p *plainLines) Line(prompt string) (string, error) {
	fmt.Fprint(p.out, prompt)
	if !p.waiting {
		select {
		case p.ask <- struct{}{}:
			p.waiting = true
		case <-p.closed:
			return "", io.EOF
		}
	}
	select {
	case l := <-p.lines:
		p.waiting = false
		if l.err != nil {
			fmt.Fprintln(p.out)
		}
		return l.text, l.err
	case <-p.interrupt:
		fmt.Fprintln(p.out)
		return "", errInterrupted
	case <-p.closed:
		return "", io.EOF
	}
}

func (p *plainLines) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}
