package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
)

// sourceTable is a table opened for reading.
type sourceTable struct {
	table  *connectors.Table
	format *format.Format
	path   string
}

func openSource(t *connectors.Table) (connectors.SourceTable, error) {
	f, err := formatOf(t)
	if err != nil {
		return nil, err
	}
	if f.Decoder == nil {
		return nil, fmt.Errorf("format '%s' cannot be read", f.Name)
	}
	if len(t.PartitionedBy) > 0 {
		return nil, &connectors.UnsupportedError{Msg: "reading a partitioned table is not supported yet"}
	}
	return &sourceTable{t, f, strings.TrimPrefix(t.Options.Text("path"), "file://")}, nil
}

func (s *sourceTable) Changelog() connectors.Changelog { return s.format.Changelog }
func (s *sourceTable) Bounded() bool                   { return true }
func (s *sourceTable) Describe() string                { return "files " + s.path }

func (s *sourceTable) PushDown() connectors.PushDown {
	return connectors.PushDown{Projection: true, Filter: true}
}

// source is one scan of the table.
type source struct {
	*sourceTable
	scan    connectors.Scan
	decode  format.DecodeSpec
	columns []int // decoder's output column → batch column
	meta    []metaColumn
	framing format.Framing
}

// metaColumn is a batch column that the file, not the record, gives.
type metaColumn struct {
	column int
	key    string
}

func (s *sourceTable) Scan(scan connectors.Scan) (exec.Source, error) {
	src := &source{sourceTable: s, scan: scan}
	field, schema := s.payload()
	src.decode = format.DecodeSpec{Schema: schema, Options: s.table.Options, Zone: s.table.Env.Zone, OnError: onErrors[s.table.Options.Enum("on-error")]}
	for i, p := range scan.Columns {
		if key := s.table.Columns[p[0]].Metadata; key != "" {
			src.meta = append(src.meta, metaColumn{i, key})
			continue
		}
		path := append(connectors.Path{field[p[0]]}, p[1:]...)
		src.decode.Columns = append(src.decode.Columns, path)
		src.decode.Output = append(src.decode.Output, scan.Output[i])
		src.columns = append(src.columns, i)
	}
	if len(src.meta) == 0 {
		src.decode.Filter, src.decode.Always = scan.Filter, scan.Always
	}
	src.framing = format.Lines
	if s.format.Framing != nil {
		src.framing = s.format.Framing(s.table.Options, "")
	}
	// Compile once now, so that what the format refuses is refused when the job
	// is planned.
	_, err := s.format.Decoder(&src.decode)
	return src, err
}

// payload is the record's schema: the physical columns; field maps a table
// column to its place there.
func (s *sourceTable) payload() (field map[int]int, schema []types.Field) {
	field = map[int]int{}
	for i, c := range s.table.Columns {
		if c.Metadata == "" {
			field[i] = len(schema)
			schema = append(schema, types.Field{Name: c.Name, Type: c.Type})
		}
	}
	return field, schema
}

// Splits are the files, in the order of their names.
func (s *source) Splits(context.Context) ([]exec.Split, error) {
	paths, err := list(s.path)
	if err != nil {
		return nil, err
	}
	splits := make([]exec.Split, len(paths))
	for i, p := range paths {
		splits[i] = exec.Split{ID: p}
	}
	return splits, nil
}

// list finds the files of a path: itself, those below a folder (hidden ones
// and those that begin with '_' left out), or the matches of a glob.
func list(path string) ([]string, error) {
	if strings.ContainsAny(path, "*?[") {
		found, err := filepath.Glob(path)
		if err != nil {
			return nil, fmt.Errorf("path '%s': %w", path, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("no file matches '%s'", path)
		}
		sort.Strings(found)
		return found, nil
	}
	stat, err := os.Stat(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	if !stat.IsDir() {
		return []string{path}, nil
	}
	return listFolder(path)
}

func listFolder(root string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := path != root && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_"))
		if d.IsDir() && hidden {
			return filepath.SkipDir
		}
		if !d.IsDir() && !hidden {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		return nil, pathError(root, err)
	}
	sort.Strings(found)
	return found, nil
}

func pathError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return exec.Fatal(&unreadable{fmt.Sprintf("file '%s' does not exist; check option 'path' (relative paths start at the current folder)", path), err})
	case errors.Is(err, fs.ErrPermission):
		return exec.Fatal(&unreadable{fmt.Sprintf("file '%s' may not be read by this user", path), err})
	}
	return err
}

// unreadable says it in words and is still known as what the system said.
type unreadable struct {
	text  string
	cause error
}

func (e *unreadable) Error() string { return e.text }
func (e *unreadable) Unwrap() error { return e.cause }
