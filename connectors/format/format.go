// Package format turns the bytes of messages into columns and back. Each
// format is one file with a descriptor, registered in init.
package format

import (
	"bytes"
	"fmt"
	"sort"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Format describes one value of the option 'format'.
type Format struct {
	Name    string
	Doc     string
	Options []connectors.Option // keys with the format's name as prefix: "json.ignore-parse-errors"
	// Changelog is what a decoder produces: Append but for CDC formats.
	Changelog connectors.Changelog
	Decoder   func(*DecodeSpec) (Decoder, error) // nil: it cannot read
	Encoder   func(*EncodeSpec) (Encoder, error) // nil: it cannot write
	// Framing cuts a file into messages; nil: at line ends. Given are the
	// options and their prefix.
	Framing func(*connectors.Options, string) Framing
}

// Framing finds the first message in data, a part of a file from the
// beginning of a message on: lo and hi are its bounds, next is where the one
// after it begins. next is 0 if the message does not end within data; with
// atEOF data is the rest of the file, and its end ends the message. A message
// with lo > hi is to be left out (a comment).
type Framing func(data []byte, atEOF bool) (lo, hi, next int)

// Lines is the framing by line ends (LF or CR LF).
func Lines(data []byte, atEOF bool) (lo, hi, next int) {
	n := bytes.IndexByte(data, '\n')
	if n < 0 {
		if !atEOF || len(data) == 0 {
			return 0, 0, 0
		}
		return 0, len(data), len(data)
	}
	hi = n
	if hi > 0 && data[hi-1] == '\r' {
		hi--
	}
	return 0, hi, n + 1
}

// Messages are many byte strings in one buffer.
type Messages struct {
	Data  []byte
	Spans []vec.Span
	Null  []bool // nil: none is null; a null message is a tombstone
}

// At is message i.
func (m *Messages) At(i int) []byte {
	s := m.Spans[i]
	return m.Data[s.Off : s.Off+s.Len : s.Off+s.Len]
}

// Reset empties m and keeps its memory.
func (m *Messages) Reset() { m.Data, m.Spans, m.Null = m.Data[:0], m.Spans[:0], m.Null[:0] }

// OnError says what becomes of a message that cannot be decoded.
type OnError uint8

const (
	Fail      OnError = iota // the job fails, naming the message and the field
	Skip                     // the message is left out, and counted
	NullField                // what cannot be read becomes NULL
)

// DecodeSpec is what a decoder is compiled from.
type DecodeSpec struct {
	Schema  []types.Field     // the message's fields
	Columns []connectors.Path // wanted, in the order of the output columns
	Output  []types.Field     // their names and types
	// Filter over the output columns, or nil; a row that does not pass is left
	// out of Sel, and its columns but for Always need not be decoded.
	Filter  expr.Expr
	Always  []int
	Options *connectors.Options // for this format's keys, looked up as Prefix + key
	Prefix  string              // "" | "value." | "key.": what stands before the format's own keys
	OnError OnError
	// Bad is told of each message that OnError let pass; nil: nobody.
	Bad  func(message int, err error)
	Zone *time.Location
}

// Decoder fills batches from messages. Single goroutine; it owns scratch.
type Decoder interface {
	// Decode resets the columns of b (made by vec.New for the output types)
	// and fills them from m; it sets N, Sel (filtered or skipped rows left out)
	// and, for a CDC format, Ops. origin is the message of each row; nil: row i
	// is message i. Columns may refer to m.Data, so m must stay untouched as
	// long as b is used. An error names what is wrong and where in the message
	// (the caller adds topic and offset, or file and line, for message index
	// Error.Message).
	Decode(m *Messages, b *vec.Batch) (origin []int32, err error)
}

// Error is a message that cannot be decoded.
type Error struct {
	Message int    // index in Messages
	Field   string // "bid.price"; "": the message as a whole
	Err     error
}

func (e *Error) Error() string {
	if e.Field == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("field %s: %s", e.Field, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// EncodeSpec is what an encoder is compiled from.
type EncodeSpec struct {
	Fields  []types.Field // names and types of the message's fields
	Columns []int         // the batch column of each field
	Options *connectors.Options
	Prefix  string
	Zone    *time.Location
}

// Encoder writes messages from batches. Single goroutine.
type Encoder interface {
	// Encode appends a message for each of the given physical rows to m (the
	// row's op is not encoded, but by CDC formats). Null is left alone.
	Encode(b *vec.Batch, rows []int32, m *Messages) error
}

var registry = map[string]*Format{}

// Register adds a format; from init only. It panics on a name that is taken.
func Register(f *Format) {
	if registry[f.Name] != nil {
		panic(fmt.Sprintf("format: %s registered twice", f.Name))
	}
	registry[f.Name] = f
}

// Lookup finds a format by name.
func Lookup(name string) (*Format, bool) {
	f, ok := registry[name]
	return f, ok
}

// All returns the formats by name.
func All() []*Format {
	all := make([]*Format, 0, len(registry))
	for _, f := range registry {
		all = append(all, f)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}
