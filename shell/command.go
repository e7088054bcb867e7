package shell

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/session"
)

// command is a line that begins with a backslash.
type command struct {
	name string // without the backslash
	args string // as the help shows them
	doc  string
	run  func(s *Shell, ctx context.Context, args string) error
}

// commands in the order of the help.
var commands []command

func init() {
	commands = []command{
		{"d", "[TABLE]", "list tables and views, or describe one", (*Shell).describe},
		{"dt", "[PATTERN]", "list tables and views", list("TABLES")},
		{"df", "[PATTERN]", "list functions", list("FUNCTIONS")},
		{"l", "[PATTERN]", "list databases", list("DATABASES")},
		{"i", "FILE", "run the statements of a file", (*Shell).include},
		{"e", "", "edit the statement in $EDITOR, then run it", (*Shell).edit},
		{"x", "[on|off]", "a line a column", func(s *Shell, _ context.Context, args string) error {
			return s.toggle(&s.vertical, "vertical form", args)
		}},
		{"timing", "[on|off]", "show how long statements take", func(s *Shell, _ context.Context, args string) error { return s.toggle(&s.timing, "timing", args) }},
		{"o", "[FILE]", "write results to a file; without one, here again", (*Shell).redirect},
		{"watch", "[SECONDS]", "run the last statement again and again (Ctrl-C ends it)", (*Shell).repeat},
		{"set", "[NAME [VALUE]]", "set a variable for ${NAME}, or list them", (*Shell).setVariable},
		{"unset", "NAME", "forget a variable", (*Shell).unsetVariable},
		{"?", "", "this help", func(s *Shell, _ context.Context, _ string) error { return s.help("") }},
		{"h", "[connector|format|function [NAME]]", "help on connectors, formats and functions", func(s *Shell, _ context.Context, args string) error { return s.help(args) }},
		{"q", "", "leave", func(s *Shell, _ context.Context, _ string) error { return s.leave() }},
	}
}

// command cuts a line into name and arguments; ok is false for a line that
// is no command, as one within a string or comment.
func (s *Shell) command(line string) (name, args string, ok bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, `\`) || s.buffer != "" && !session.Complete(s.buffer+"\n;") {
		return "", "", false
	}
	name, args, _ = strings.Cut(line[1:], " ")
	return strings.TrimRight(name, ";"), strings.TrimRight(strings.TrimSpace(args), "; "), true
}

func (s *Shell) runCommand(ctx context.Context, name, args string) error {
	for _, c := range commands {
		if c.name == name {
			return c.run(s, ctx, args)
		}
	}
	s.complain(`unknown command \%s; \? lists them`, name)
	return nil
}

// complain shows a mistake in a backslash command.
func (s *Shell) complain(format string, args ...any) {
	fmt.Fprintln(s.opt.Err, s.paint.error(fmt.Sprintf(format, args...)))
}

func (s *Shell) sql(ctx context.Context, text string) error {
	s.fail(s.foreground(ctx, func(ctx context.Context) error { return s.session.Execute(ctx, text) }))
	return nil
}

func (s *Shell) describe(ctx context.Context, args string) error {
	if args == "" {
		return s.sql(ctx, "SHOW TABLES;")
	}
	return s.sql(ctx, "DESCRIBE "+args+";")
}

// list is SHOW with a pattern that may stand anywhere in the name.
func list(what string) func(*Shell, context.Context, string) error {
	return func(s *Shell, ctx context.Context, args string) error {
		if args == "" {
			return s.sql(ctx, "SHOW "+what+";")
		}
		pattern := strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(args, "*", "%")), "'", "''")
		if !strings.Contains(pattern, "%") {
			pattern = "%" + pattern + "%"
		}
		return s.sql(ctx, "SHOW "+what+" ILIKE '"+pattern+"';")
	}
}

// include is \i.
func (s *Shell) include(ctx context.Context, file string) error {
	if file == "" {
		s.complain(`\i needs a file`)
		return nil
	}
	text, err := os.ReadFile(strings.Trim(file, "'\""))
	if err != nil {
		s.complain("%s", err)
		return nil
	}
	return s.statement(ctx, string(text), false)
}

func (s *Shell) toggle(flag *bool, what, args string) error {
	switch strings.ToLower(args) {
	case "on":
		*flag = true
	case "off":
		*flag = false
	case "":
		*flag = !*flag
	default:
		s.complain("expected on or off, not %q", args)
		return nil
	}
	state := "off"
	if *flag {
		state = "on"
	}
	fmt.Fprintf(s.opt.Err, "%s is %s\n", what, state)
	return nil
}

// redirect is \o.
func (s *Shell) redirect(_ context.Context, file string) error {
	if err := s.closeOutput(); err != nil {
		s.complain("%s", err)
	}
	if file == "" {
		return nil
	}
	f, err := os.Create(file)
	if err != nil {
		s.complain("%s", err)
		return nil
	}
	s.file = f
	s.results.Opt.Out, s.results.Opt.Terminal = f, false
	return nil
}

// closeOutput ends \o.
func (s *Shell) closeOutput() error {
	s.results.Opt.Out, s.results.Opt.Terminal = s.live.Writer(s.opt.Out), isTerminal(s.opt.Out)
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

// repeat is \watch.
func (s *Shell) repeat(ctx context.Context, args string) error {
	seconds := 2.0
	if args != "" {
		n, err := strconv.ParseFloat(args, 64)
		if err != nil || n < 0.1 {
			s.complain(`\watch needs a number of seconds, at least 0.1`)
			return nil
		}
		seconds = n
	}
	if s.last == "" {
		s.complain(`\watch repeats the last statement, and there is none yet`)
		return nil
	}
	text, err := session.Substitute(s.last, s.variables)
	if err != nil {
		s.fail(err)
		return nil
	}
	s.fail(s.foreground(ctx, func(ctx context.Context) error {
		return s.every(ctx, time.Duration(seconds*float64(time.Second)), text)
	}))
	return nil
}

// every runs a text until ctx ends.
func (s *Shell) every(ctx context.Context, d time.Duration, text string) error {
	tick := time.NewTicker(d)
	defer tick.Stop()
	for ctx.Err() == nil {
		fmt.Fprintf(s.live.Writer(s.opt.Err), "%s (every %s, Ctrl-C ends it)\n", time.Now().Format(time.TimeOnly), d)
		if err := s.session.Execute(ctx, text); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	return nil
}

// setVariable is \set.
func (s *Shell) setVariable(_ context.Context, args string) error {
	name, value, _ := strings.Cut(args, " ")
	if name != "" {
		s.variables[name] = strings.TrimSpace(value)
		return nil
	}
	names := make([]string, 0, len(s.variables))
	for n := range s.variables {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Fprintf(s.opt.Err, "%s = %s\n", n, s.variables[n])
	}
	return nil
}

func (s *Shell) unsetVariable(_ context.Context, args string) error {
	delete(s.variables, args)
	return nil
}

// help is \?, \h and HELP.
func (s *Shell) help(args string) error {
	if args != "" && s.opt.Help != nil {
		s.fail(s.opt.Help(strings.Fields(args)))
		return nil
	}
	var b strings.Builder
	b.WriteString(helpText)
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-38s %s\n", `\`+c.name+" "+c.args, c.doc)
	}
	fmt.Fprint(s.opt.Err, b.String())
	return nil
}

const helpText = `Statements end with ';' and may take several lines; '\G' in its place shows a line a column.
  CREATE TABLE … WITH ('connector' = …)  declares a source or sink
  SELECT …                               shows rows as they come; Ctrl-C stops it
  INSERT INTO … SELECT …                 starts a job; SHOW JOBS, STOP JOB 'id'
  EXPLAIN …, SHOW TABLES | FUNCTIONS | WATERMARKS, DESCRIBE t, SET 'key' = 'value', QUIT
TAB completes names, option keys and their values; Ctrl-R searches what was entered before.
`
