// Package session turns statements into effects: catalog changes, jobs that
// are started, watched and stopped, and results that are streamed. The shell,
// `run` and the conformance runner all drive it.
package session

import (
	"context"
	"errors"
	"log/slog"
	"sort"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// Options of a session.
type Options struct {
	Output Output
	// StateDir holds a folder a job; "" keeps the state of jobs in memory, gone
	// with the process.
	StateDir string
	Settings map[string]string // as if by SET
	Clock    exec.Clock        // nil: the system's
	Log      *slog.Logger      // nil: nothing is logged
	// MemoryLimit of a job's state in bytes; 0: none.
	MemoryLimit int64
	// Fresh sets the state of earlier runs aside and accepts what they left in
	// the outside.
	Fresh bool
	// ConfirmFresh, if set, is asked before the state of a job is set aside; its
	// error keeps it and ends the statement.
	ConfirmFresh func(job, dir string) error
	// Quiet leaves the OK of DDL statements out.
	Quiet bool
	// Wait makes INSERT wait for its job, as table.dml-sync does.
	Wait bool
	// OnJob is told when a job starts, OnRun when it runs and its Status may be
	// asked for, OnEvent what happens to it.
	OnJob   func(*Job)
	OnRun   func(*Job)
	OnEvent func(*Job, exec.Event)
	// OnQuery is told when a SELECT starts.
	OnQuery func(*Query)
	// Capture, for tests, takes the place of every sink; it gets the sink's
	// columns.
	Capture func(columns []types.Field) exec.Sink
}

// Session holds a catalog, settings and jobs. Statements are executed one at
// a time; jobs run beside.
type Session struct {
	opt      Options
	out      Output
	cat      *catalog.Catalog
	settings map[string]string
	jobs     []*Job
	finished map[string]int // jobs of this name that had finished before
	source   string         // the text being executed, for positions
	// declared are the WITH clauses of that text, by the table\'s full path.
	declared map[string][]ast.Option
}

// New returns a session with an empty catalog.
func New(o Options) (*Session, error) {
	if o.Clock == nil {
		o.Clock = exec.SystemClock{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Session{opt: o, out: o.Output, cat: catalog.New(), settings: map[string]string{}, declared: map[string][]ast.Option{}, finished: map[string]int{}}
	keys := make([]string, 0, len(o.Settings))
	for k := range o.Settings {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if err := s.set(k, o.Settings[k]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// ErrQuit is returned by Execute for QUIT and EXIT.
var ErrQuit = errors.New("quit")

// Execute runs the statements of a text in order and stops at the first
// error, which carries the text.
func (s *Session) Execute(ctx context.Context, text string) error {
	statements, parseErr := parser.Parse(text)
	s.source, s.declared = text, map[string][]ast.Option{}
	for i, st := range statements {
		if i > 0 && ctx.Err() != nil {
			return &Error{Kind: Cancelled, Err: errInterrupted}
		}
		if err := s.Statement(ctx, st); err != nil {
			return s.withSource(err)
		}
	}
	return s.withSource(parseErr)
}

var errInterrupted = errors.New("interrupted; the statements that follow were not run")

// Check parses, binds, plans and builds the statements without running any: DDL
// and SET take effect, queries and INSERTs are planned only.
func (s *Session) Check(text string, each func(ast.Statement, *Plan) error) error {
	statements, parseErr := parser.Parse(text)
	s.source, s.declared = text, map[string][]ast.Option{}
	for _, st := range statements {
		if err := s.check(st, each); err != nil {
			return s.withSource(err)
		}
	}
	return s.withSource(parseErr)
}

func (s *Session) check(st ast.Statement, each func(ast.Statement, *Plan) error) error {
	switch st := st.(type) {
	case *ast.QueryStmt, *ast.Insert, *ast.StatementSet:
		p, err := s.plan(st)
		if err == nil {
			err = s.buildable(p)
		}
		if err != nil {
			return err
		}
		return each(st, p)
	case *ast.Set, *ast.Reset, *ast.Use:
		return s.Statement(context.Background(), st)
	case *ast.CreateTable:
		if st.AsQuery != nil {
			ins, err := s.tableOfQuery(st)
			if err != nil || ins == nil {
				return err
			}
			return s.check(ins, each)
		}
	}
	_, err := s.ddl(st)
	return err
}

func (s *Session) withSource(err error) error {
	if err == nil || errors.Is(err, ErrQuit) {
		return err
	}
	s.blameOption(err)
	var own *Error
	if errors.As(err, &own) {
		if own.Source == "" {
			own.Source = s.source
		}
		return err
	}
	return &Error{Kind: KindOf(err), Err: err, Source: s.source}
}

// blameOption moves an error about an option from where its table is used to
// where it is written, if that is in the same text.
func (s *Session) blameOption(err error) {
	var plan *perr.Error
	if !errors.As(err, &plan) || plan.Option.Key == "" {
		return
	}
	for _, o := range s.declared[plan.Option.Table] {
		if o.Key == plan.Option.Key {
			plan.Pos = o.Pos
		}
	}
}

// Statement runs one statement.
func (s *Session) Statement(ctx context.Context, st ast.Statement) error {
	switch st := st.(type) {
	case *ast.QueryStmt:
		return s.query(ctx, st)
	case *ast.Insert, *ast.StatementSet:
		return s.insert(ctx, st)
	case *ast.CreateTable:
		if st.AsQuery != nil {
			return s.createAs(ctx, st)
		}
	case *ast.Explain:
		return s.explain(st)
	case *ast.Set:
		return s.setStatement(st)
	case *ast.Reset:
		return s.reset(st)
	case *ast.Use:
		return s.use(st)
	case *ast.Show:
		return s.show(st)
	case *ast.Describe:
		return s.describe(st)
	case *ast.StopJob:
		return s.stopJob(ctx, st)
	case *ast.DescribeJob:
		return s.describeJob(st.ID)
	case *ast.ExplainJob:
		return s.describeJob(st.ID)
	case *ast.Quit:
		return ErrQuit
	case *ast.Help:
		s.out.Notice(helpText)
		return nil
	case *ast.Clear:
		return nil
	}
	handled, err := s.ddl(st)
	if err != nil {
		return err
	}
	if !handled {
		return unsupported(st)
	}
	if !s.opt.Quiet {
		s.out.Notice("OK")
	}
	return nil
}

// binder makes a binder with the present settings.
func (s *Session) binder() (*bind.Binder, planner.Config, error) {
	cfg, err := planner.ConfigOf(s.settings)
	if err != nil {
		return nil, cfg, &Error{Kind: User, Err: err}
	}
	return bind.New(s.cat, bind.Options{Zone: cfg.Zone}), cfg, nil
}

// ddl changes the catalog; handled is false for what is no DDL.
func (s *Session) ddl(st ast.Statement) (handled bool, err error) {
	b, _, err := s.binder()
	if err != nil {
		return false, err
	}
	if c, ok := st.(*ast.CreateTable); ok {
		s.declared[s.cat.Resolve(c.Name.Names()).String()] = c.Options
	}
	return b.DDL(st)
}

func unsupported(st ast.Statement) error {
	word := firstWords(st.SourceText())
	e := &parser.Error{Pos: st.Position(), Msg: word + " is not supported yet", Kind: parser.Unsupported}
	return e
}

// firstWords are the first two words of a statement, in upper case.
func firstWords(text string) string {
	var words []byte
	spaces := 0
	for i := 0; i < len(text) && len(words) < 40; i++ {
		c := text[i]
		if c == ' ' || c == '\n' || c == '\t' {
			if spaces++; spaces == 2 {
				break
			}
			c = ' '
		}
		if c >= 'a' && c <= 'z' {
			c -= 32
		}
		words = append(words, c)
	}
	return string(words)
}

const helpText = `Statements end with ';'. CREATE TABLE … WITH ('connector' = …) declares a source or sink, SELECT shows
rows as they come (Ctrl-C stops it), INSERT INTO … SELECT starts a job.
  SHOW TABLES | JOBS | FUNCTIONS   DESCRIBE t   EXPLAIN query   SET 'key' = 'value'   STOP JOB 'id'   QUIT
'sqlstream help connector kafka' and 'sqlstream help function NAME' tell more.`
