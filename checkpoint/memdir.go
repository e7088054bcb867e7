package checkpoint

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// MemDir is a state directory in memory: for tests, and for queries whose
// progress need not outlive the process. It outlives the Stores opened on it,
// one at a time, as a directory outlives processes.
type MemDir struct {
	mu     sync.Mutex
	data   map[string][]byte
	latest []byte
	owner  *memEngine
	// Full makes every later write fail with ErrNoSpace.
	full bool
}

// NewMemDir returns an empty directory.
func NewMemDir() *MemDir { return &MemDir{data: map[string][]byte{}} }

// NewMemStore is a Store whose directory nobody else sees.
func NewMemStore(job Job) (Store, error) { return NewMemDir().Open(job) }

// Open returns the job's Store. A second one is refused until the first is
// closed or lost in a Crash.
func (d *MemDir) Open(job Job) (*KVStore, error) {
	eng, err := d.Engine()
	if err != nil {
		return nil, err
	}
	s, err := OpenKVStore(eng, "memory", job)
	if err != nil {
		eng.Close()
	}
	return s, err
}

// Engine locks the directory.
func (d *MemDir) Engine() (Engine, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.owner != nil {
		return nil, fmt.Errorf("%w: memory", ErrLocked)
	}
	d.owner = &memEngine{dir: d, bulk: map[string][]byte{}}
	return d.owner, nil
}

// Crash is kill -9 and power loss at once: the open Store is dead (all its
// methods return errors from now on), and what it had not yet made durable
// is gone.
func (d *MemDir) Crash() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owner = nil
}

// Copy is `cp -a` of the directory: what is durable now.
func (d *MemDir) Copy() *MemDir {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &MemDir{data: maps.Clone(d.data), latest: slices.Clone(d.latest)}
}

// SetFull makes writes that need room fail with ErrNoSpace, or work again.
func (d *MemDir) SetFull(full bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = full
}

var errDead = errors.New("state directory is closed")

// memEngine is a process's view of a MemDir: bulk is what it has put and not
// yet flushed.
type memEngine struct {
	dir  *MemDir
	bulk map[string][]byte
}

// locked runs f if the engine still owns the directory.
func (e *memEngine) locked(f func(d *MemDir) error) error {
	e.dir.mu.Lock()
	defer e.dir.mu.Unlock()
	if e.dir.owner != e {
		return errDead
	}
	return f(e.dir)
}

func (e *memEngine) Get(key string) (v []byte, err error) {
	err = e.locked(func(d *MemDir) error {
		v = slices.Clone(e.view(key))
		return nil
	})
	return v, err
}

func (e *memEngine) view(key string) []byte {
	if v, ok := e.bulk[key]; ok {
		return v
	}
	return e.dir.data[key]
}

func (e *memEngine) Scan(prefix string, keysOnly bool, f func(key string, value []byte) error) error {
	var found []Entry
	err := e.locked(func(d *MemDir) error {
		all := maps.Clone(d.data)
		maps.Copy(all, e.bulk)
		for _, k := range slices.Sorted(maps.Keys(all)) {
			if strings.HasPrefix(k, prefix) {
				found = append(found, Entry{k, slices.Clone(all[k])})
			}
		}
		return nil
	})
	for _, kv := range found {
		if keysOnly {
			kv.Value = nil
		}
		if err := f(kv.Key, kv.Value); err != nil {
			return err
		}
	}
	return err
}

func (e *memEngine) Apply(entries []Entry) error {
	return e.locked(func(d *MemDir) error {
		for _, kv := range entries {
			set(d.data, kv)
		}
		return nil
	})
}

func set(m map[string][]byte, kv Entry) {
	if kv.Value == nil {
		delete(m, kv.Key)
	} else {
		m[kv.Key] = append([]byte{}, kv.Value...)
	}
}

func (e *memEngine) Put(key string, value []byte) error {
	return e.locked(func(*MemDir) error {
		e.bulk[key] = value
		return nil
	})
}

func (e *memEngine) DeleteBulk(keys []string) error {
	return e.locked(func(d *MemDir) error {
		for _, k := range keys {
			delete(d.data, k)
			delete(e.bulk, k)
		}
		return nil
	})
}

func (e *memEngine) Flush() error {
	return e.locked(func(d *MemDir) error {
		for k, v := range e.bulk {
			set(d.data, Entry{k, v})
		}
		clear(e.bulk)
		return nil
	})
}

func (e *memEngine) Room(bytes int64) error {
	return e.locked(func(d *MemDir) error {
		if d.full {
			return fmt.Errorf("%w: memory needs %d bytes", ErrNoSpace, bytes)
		}
		return nil
	})
}

func (e *memEngine) ReadLatest() (rec []byte, err error) {
	err = e.locked(func(d *MemDir) error {
		rec = slices.Clone(d.latest)
		return nil
	})
	return rec, err
}

func (e *memEngine) WriteLatest(rec []byte) error {
	return e.locked(func(d *MemDir) error {
		d.latest = slices.Clone(rec)
		return nil
	})
}

// Close flushes as a real database does, and gives up the lock.
func (e *memEngine) Close() error {
	if err := e.Flush(); err != nil {
		return nil // dead already: nothing to close
	}
	return e.locked(func(d *MemDir) error {
		d.owner = nil
		return nil
	})
}
