package storetest

import (
	"sync"

	"github.com/sqlstream/sqlstream/checkpoint"
)

// Forget is an Engine that keeps to itself what is not durable yet, as the
// worst disk and a power failure would: what was put goes down at Flush only,
// and is lost if the process, or the test, drops the Forget before.
//
// With SkipSync it is a program that has forgotten to sync: Apply and
// WriteLatest reach no disk, but the program itself reads what it wrote.
type Forget struct {
	checkpoint.Engine
	SkipSync bool

	mu  sync.Mutex
	put []checkpoint.Entry
	own map[string][]byte // applied, not synced; nil: deleted
}

// NewForget wraps an engine, which the caller still has to close.
func NewForget(eng checkpoint.Engine) *Forget {
	return &Forget{Engine: eng, own: map[string][]byte{}}
}

func (f *Forget) Put(key string, value []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.put = append(f.put, checkpoint.Entry{Key: key, Value: value})
	return nil
}

func (f *Forget) Flush() error {
	f.mu.Lock()
	put := f.put
	f.put = nil
	f.mu.Unlock()
	for _, kv := range put {
		if err := f.Engine.Put(kv.Key, kv.Value); err != nil {
			return err
		}
	}
	return f.Engine.Flush()
}

func (f *Forget) Apply(entries []checkpoint.Entry) error {
	if !f.SkipSync {
		return f.Engine.Apply(entries)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, kv := range entries {
		f.own[kv.Key] = kv.Value
	}
	return nil
}

func (f *Forget) Get(key string) ([]byte, error) {
	f.mu.Lock()
	v, ok := f.own[key]
	f.mu.Unlock()
	if ok {
		return v, nil
	}
	return f.Engine.Get(key)
}

func (f *Forget) WriteLatest(rec []byte) error {
	if !f.SkipSync {
		return f.Engine.WriteLatest(rec)
	}
	return nil
}

// Close is that of a process that dies: what is not down is lost, and the
// engine below lets go of the directory.
func (f *Forget) Close() error { return f.Engine.Close() }
