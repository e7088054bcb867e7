package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// Kind says who has to act on an error.
type Kind uint8

const (
	Internal    Kind = iota // a bug of ours
	User                    // the statement, a setting or the use of the program
	Unsupported             // a thing that we lack
	External                // a broker, file or service that cannot be reached
	Runtime                 // the job failed while it ran
	Assertion               // an assertion failed
	Cancelled               // a person interrupted
)

func (k Kind) String() string {
	return [...]string{"internal", "user", "unsupported", "external", "runtime", "assertion", "cancelled"}[k]
}

// Exit codes of the program; 2 (usage) is the command line's.
const (
	ExitOK        = 0
	ExitSQL       = 1
	ExitUsage     = 2
	ExitExternal  = 3
	ExitRuntime   = 4
	ExitAssertion = 5
	ExitInterrupt = 130
)

// ExitCode is the exit code for an error.
func ExitCode(err error) int {
	if err == nil {
		return ExitOK
	}
	return [...]int{Internal: ExitRuntime, User: ExitSQL, Unsupported: ExitSQL, External: ExitExternal, Runtime: ExitRuntime, Assertion: ExitAssertion, Cancelled: ExitInterrupt}[KindOf(err)]
}

// Error is an error with its kind and, where there is one, the text it is
// about.
type Error struct {
	Kind Kind
	Err  error
	// Source is the text that positions in Err refer to, "" if unknown.
	Source string
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// userError is a mistake in what was typed.
func userError(format string, args ...any) error {
	return &Error{Kind: User, Err: fmt.Errorf(format, args...)}
}

// runtimeError marks an error of a running job, unless its kind is known.
func runtimeError(err error) error {
	if err == nil {
		return nil
	}
	switch k := KindOf(err); k {
	case Internal:
		return &Error{Kind: Runtime, Err: err}
	default:
		return &Error{Kind: k, Err: err}
	}
}

// KindOf finds the kind of any error.
func KindOf(err error) Kind {
	var own *Error
	if errors.As(err, &own) {
		return own.Kind
	}
	var parse *parser.Error
	if errors.As(err, &parse) {
		return unsupportedIf(parse.Kind == parser.Unsupported)
	}
	var plan *perr.Error
	if errors.As(err, &plan) {
		return unsupportedIf(plan.Kind == perr.Unsupported)
	}
	var lacking *connectors.UnsupportedError
	switch {
	case errors.As(err, &lacking):
		return Unsupported
	case errors.Is(err, context.Canceled), errors.Is(err, exec.ErrCancelled):
		return Cancelled
	case isExternal(err):
		return External
	}
	return Internal
}

func unsupportedIf(yes bool) Kind {
	if yes {
		return Unsupported
	}
	return User
}

// isExternal: a broker, file or state directory that is not to be had.
func isExternal(err error) bool {
	var network net.Error
	if errors.As(err, &network) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return true
	}
	var unreachable interface{ External() bool }
	if errors.As(err, &unreachable) && unreachable.External() {
		return true
	}
	for _, e := range []error{checkpoint.ErrCorrupt, checkpoint.ErrLocked, checkpoint.ErrNewerFormat, checkpoint.ErrOtherJob, checkpoint.ErrNoSpace} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// Render is the error as a person reads it: the message, and for a place in
// the text the line with a caret under it.
func Render(err error) string {
	var own *Error
	source := ""
	if errors.As(err, &own) {
		source = own.Source
	}
	var parse *parser.Error
	if errors.As(err, &parse) && source != "" {
		return parse.Render(source)
	}
	var plan *perr.Error
	if errors.As(err, &plan) && plan.Pos.IsValid() && source != "" {
		place := &parser.Error{Pos: plan.Pos, Msg: plan.Msg, Hint: plan.Hint}
		return place.Render(source)
	}
	text := err.Error()
	if KindOf(err) == Internal {
		text = "internal error: " + text + "\nplease report this with the statement; --debug shows more"
	}
	return text
}
