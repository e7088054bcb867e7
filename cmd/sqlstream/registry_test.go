package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/exec/fn"
)

// Every connector, format and aggregate explains itself, and every default
// is a value that its option takes.
func TestRegistries(t *testing.T) {
	for _, c := range connectors.All() {
		if c.Doc == "" || c.Source == nil && c.Sink == nil {
			t.Errorf("connector %s has no doc, or can do nothing", c.Name)
		}
		checkOptions(t, "connector "+c.Name, c.Options)
		for _, m := range c.Metadata {
			if m.Doc == "" || !m.Readable && !m.Writable {
				t.Errorf("connector %s: metadata %s has no doc, or is of no use", c.Name, m.Key)
			}
		}
	}
	for _, f := range format.All() {
		if f.Doc == "" || f.Decoder == nil && f.Encoder == nil {
			t.Errorf("format %s has no doc, or can do nothing", f.Name)
		}
		checkOptions(t, "format "+f.Name, f.Options)
		for _, o := range f.Options {
			if !strings.HasPrefix(o.Key, f.Name+".") {
				t.Errorf("format %s: option %s does not begin with the format's name", f.Name, o.Key)
			}
		}
	}
	for _, a := range fn.AllAggregates() {
		if a.Doc == "" || a.Syntax == "" {
			t.Errorf("aggregate %s has no doc or syntax", a.Name)
		}
	}
}

func checkOptions(t *testing.T, of string, options []connectors.Option) {
	t.Helper()
	var keys []string
	for _, o := range options {
		if o.Doc == "" {
			t.Errorf("%s: option %s has no doc", of, o.Key)
		}
		if slices.Contains(keys, o.Key) {
			t.Errorf("%s: option %s is there twice", of, o.Key)
		}
		keys = append(keys, o.Key)
		if o.Default == "" || o.Unsupported || strings.ContainsAny(o.Key, "*#") {
			continue
		}
		if _, err := connectors.NewOptions(map[string]string{o.Key: o.Default}, []connectors.Option{o}); err != nil {
			t.Errorf("%s: the default: %v", of, err)
		}
	}
}
