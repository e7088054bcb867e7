package state

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// script runs testdata/*.txt: a table from key to text with snapshots under names.
//
//	put k=v …            del k …
//	freeze n             keep the present state as snapshot n
//	write n [fail]       store it; "fail": the first chunk cannot be stored
//	complete n           the checkpoint with n is durable
//	abort n              it never will be: its new chunks are thrown away
//	restore n            begin anew from n
//	show                 the rows
type script struct {
	t       *testing.T
	b       *Backend
	tab     *Table
	chunks  *memChunks
	snaps   map[string]*Snapshot
	written map[string]Written
}

var scriptLayout = Layout{Name: "rows", Keys: []Class{Bytes}, Values: []Class{Bytes}}

func (s *script) open(manifests ...[]byte) error {
	b, err := Open(Options{Operator: "script", Range: AllGroups, Manifests: manifests, Chunks: s.chunks})
	if err != nil {
		return err
	}
	s.b = b
	s.tab, err = b.Table(scriptLayout)
	return err
}

func (s *script) probe(keys ...string) *Probe {
	p := &Probe{Keys: []KeyCol{strs(keys...)}, N: len(keys)}
	for _, k := range keys {
		p.Hashes = append(p.Hashes, modelKey{S: k}.hash())
	}
	return p
}

func (s *script) put(pairs []datadriven.CmdArg) string {
	for _, kv := range pairs {
		p := s.probe(kv.Key)
		s.tab.FindOrInsert(p)
		s.tab.Touch(p.Slots)
		s.tab.BytesCol(0).Set(p.Slots[0], []byte(kv.Vals[0]))
	}
	return ""
}

func (s *script) del(keys []datadriven.CmdArg) string {
	for _, k := range keys {
		p := s.probe(k.Key)
		s.tab.Find(p)
		s.tab.Delete(p.Slots)
	}
	return ""
}

func (s *script) show() string {
	var rows []string
	for _, slot := range s.tab.LiveIn(AllGroups, nil) {
		rows = append(rows, fmt.Sprintf("%s=%s\n", s.tab.KeyBytes(0).At(slot), s.tab.BytesCol(0).At(slot)))
	}
	sort.Strings(rows)
	return strings.Join(rows, "")
}

func (s *script) write(name string, fail bool) string {
	if fail {
		s.chunks.left = 1
	}
	w, err := s.snaps[name].Write(s.chunks)
	s.chunks.left = 0
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	s.written[name] = w
	return fmt.Sprintf("new chunks %v, needs %v, drops %v\n", w.New, w.Refs, w.Dropped)
}

func (s *script) run(_ *testing.T, d *datadriven.TestData) string {
	name := ""
	if len(d.CmdArgs) > 0 {
		name = d.CmdArgs[0].Key
	}
	var err error
	switch d.Cmd {
	case "put":
		return s.put(d.CmdArgs)
	case "del":
		return s.del(d.CmdArgs)
	case "show":
		return s.show()
	case "freeze":
		s.snaps[name], err = s.b.Freeze()
	case "write":
		return s.write(name, d.HasArg("fail"))
	case "complete":
		s.snaps[name].Release()
		s.snaps[name].Completed()
	case "abort":
		s.snaps[name].Release()
		s.chunks.drop(s.written[name].New)
	case "restore":
		err = s.open(s.written[name].Manifest)
	default:
		s.t.Fatalf("unknown command %s", d.Cmd)
	}
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	return ""
}

func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/script", func(t *testing.T, path string) {
		s := &script{t: t, chunks: &memChunks{data: map[uint64][]byte{}}, snaps: map[string]*Snapshot{}, written: map[string]Written{}}
		if err := s.open(); err != nil {
			t.Fatal(err)
		}
		datadriven.RunTest(t, path, s.run)
	})
}
