package format

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// TestScripts runs testdata: `decode json` reads the lines below as messages
// of the columns declared by `columns`, `encode json` writes rows. Arguments
// set options: json.ignore-parse-errors=true, on-error=skip, and columns to
// read: project=(0,1.2).
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var fields []types.Field
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "columns":
				fields = exectest.Columns(strings.Join(strings.Fields(d.Input), " "))
				return ""
			case "decode":
				return decodeScript(d, fields)
			case "encode":
				return encodeScript(d, fields)
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

func scriptOptions(d *datadriven.TestData) (f *Format, o *connectors.Options, on OnError, err error) {
	f, ok := Lookup(d.CmdArgs[0].Key)
	if !ok {
		return nil, nil, 0, fmt.Errorf("no format %s", d.CmdArgs[0].Key)
	}
	given := map[string]string{}
	for _, a := range d.CmdArgs[1:] {
		switch a.Key {
		case "project":
		case "on-error":
			on = map[string]OnError{"fail": Fail, "skip": Skip, "null": NullField}[a.Vals[0]]
		default:
			given[a.Key] = strings.Join(a.Vals, ",")
		}
	}
	o, err = connectors.NewOptions(given, f.Options)
	return f, o, on, err
}

func decodeScript(d *datadriven.TestData, fields []types.Field) string {
	f, o, on, err := scriptOptions(d)
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	spec := &DecodeSpec{Schema: fields, Options: o, OnError: on, Zone: time.UTC, Bad: func(i int, err error) { fmt.Fprintf(&out, "bad message %d: %s\n", i, err) }}
	project(d, spec)
	dec, err := f.Decoder(spec)
	if err != nil {
		return err.Error()
	}
	m := messages(d.Input)
	b := vec.NewBatch(exectest.Types(spec.Output)...)
	if _, err := dec.Decode(m, b); err != nil {
		return err.Error()
	}
	for _, line := range exectest.Format(spec.Output, b) {
		fmt.Fprintln(&out, line)
	}
	return out.String()
}

// project reads project=(0,1.2), or takes all columns.
func project(d *datadriven.TestData, spec *DecodeSpec) {
	paths := []string{}
	for _, a := range d.CmdArgs {
		if a.Key == "project" {
			paths = a.Vals
		}
	}
	if len(paths) == 0 {
		for i := range spec.Schema {
			paths = append(paths, fmt.Sprint(i))
		}
	}
	for _, p := range paths {
		var path connectors.Path
		field := types.Field{Type: types.RowOf(spec.Schema...)}
		for _, part := range strings.Split(p, ".") {
			var i int
			fmt.Sscan(part, &i)
			path = append(path, i)
			field = field.Type.Fields[i]
		}
		spec.Columns = append(spec.Columns, path)
		spec.Output = append(spec.Output, field)
	}
}

// messages are the lines of a script; "<null>" is a null message, and "↵"
// stands for a line end inside one.
func messages(input string) *Messages {
	m := &Messages{}
	for _, line := range strings.Split(strings.TrimSuffix(input, "\n"), "\n") {
		null := line == "<null>"
		line = strings.ReplaceAll(line, "↵", "\n")
		if null {
			line = ""
		}
		m.Spans = append(m.Spans, vec.Span{Off: uint32(len(m.Data)), Len: uint32(len(line))})
		m.Data = append(m.Data, line...)
		m.Null = append(m.Null, null)
	}
	return m
}

func encodeScript(d *datadriven.TestData, fields []types.Field) string {
	f, o, _, err := scriptOptions(d)
	if err != nil {
		return err.Error()
	}
	spec := &EncodeSpec{Fields: fields, Options: o, Zone: time.UTC}
	for i := range fields {
		spec.Columns = append(spec.Columns, i)
	}
	e, err := f.Encoder(spec)
	if err != nil {
		return err.Error()
	}
	b, err := exectest.Rows(fields, d.Input)
	if err != nil {
		return err.Error()
	}
	var m Messages
	if err := e.Encode(b, b.Rows(), &m); err != nil {
		return err.Error()
	}
	var out strings.Builder
	for i := range m.Spans {
		fmt.Fprintf(&out, "%s\n", m.At(i))
	}
	return out.String()
}
