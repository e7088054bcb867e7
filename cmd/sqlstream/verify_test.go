package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	badgerdb "github.com/dgraph-io/badger/v4"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/badger"
	"github.com/sqlstream/sqlstream/session"
)

// TestVerifyFindsDamage flips a byte of a chunk that two checkpoints of three
// use.
func TestVerifyFindsDamage(t *testing.T) {
	dir := t.TempDir()
	refs := storeThree(t, filepath.Join(dir, "job"))
	if out, errOut, code := command(t, "checkpoint", "verify", "--state-dir", dir); code != 0 || strings.Count(out, "sound") != 3 {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	damage(t, filepath.Join(dir, "job", "db"), refs[1])
	out, errOut, code := command(t, "checkpoint", "verify", "--state-dir", dir)
	if code != session.ExitAssertion || !strings.Contains(errOut, "2 of 3 checkpoints are damaged") {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	for _, want := range []string{"checkpoint 1: sound, 1 chunks, 4 bytes read", "checkpoint 2: Count[0]: chunk " + fmt.Sprintf("%x", refs[1]),
		"checkpoint 2: DAMAGED, 1 of 2 chunks", "checkpoint 3: DAMAGED, 1 of 2 chunks"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if _, _, code := command(t, "checkpoint", "verify", "1", "--state-dir", dir); code != 0 {
		t.Errorf("the sound one: exit %d", code)
	}
}

// storeThree stores checkpoints of the chunks {0}, {0, 1}, {1, 2}.
func storeThree(t *testing.T, dir string) []uint64 {
	t.Helper()
	s, err := badger.Open(dir, checkpoint.Job{Name: "job", Hash: "h", Operators: []checkpoint.JobOperator{{UID: "u", Name: "Count"}}})
	if err != nil {
		t.Fatal(err)
	}
	var refs []uint64
	for id := range checkpoint.ID(3) {
		err := s.Begin(id + 1)
		if err != nil {
			t.Fatal(err)
		}
		ref, err := s.PutChunk([]byte("rows"))
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, ref)
		m := &checkpoint.Metadata{ID: id + 1, Operators: []checkpoint.OperatorState{{UID: "u", Parallelism: 1, Chunks: refs[max(0, len(refs)-2):]}}}
		if err := s.Save(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return refs
}

func damage(t *testing.T, dir string, ref uint64) {
	t.Helper()
	db, err := badgerdb.Open(badgerdb.DefaultOptions(dir).WithLogger(nil).WithMemTableSize(4 << 20).WithValueThreshold(512 << 10))
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *badgerdb.Txn) error {
		key := fmt.Appendf(nil, "chunk/%016x", ref)
		item, err := tx.Get(key)
		if err != nil {
			return err
		}
		v, err := item.ValueCopy(nil)
		if err != nil {
			return err
		}
		v[len(v)/2] ^= 1
		return tx.Set(key, v)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
