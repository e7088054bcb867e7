package badger

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
	"github.com/sqlstream/sqlstream/checkpoint"
)

// engine is a checkpoint.Engine on Badger and a LATEST file beside it.
type engine struct {
	dir string // holds LATEST and db/
	db  *badger.DB

	mu   sync.Mutex
	bulk *badger.WriteBatch // nil: nothing put since the last Flush
	err  error              // of a Put or Flush: what was lost is not known

	logged atomic.Int64 // bytes written to the value log since it was last tidied
}

var _ checkpoint.Engine = (*engine)(nil)

func (e *engine) Get(key string) (value []byte, err error) {
	err = e.db.View(func(txn *badger.Txn) error {
		item, err := txn.Get([]byte(key))
		if errors.Is(err, badger.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		value, err = item.ValueCopy(nil)
		if value == nil {
			value = []byte{}
		}
		return err
	})
	return value, err
}

func (e *engine) Scan(prefix string, keysOnly bool, f func(key string, value []byte) error) error {
	return e.db.View(func(txn *badger.Txn) error {
		opts := badger.DefaultIteratorOptions
		opts.Prefix, opts.PrefetchValues = []byte(prefix), !keysOnly
		opts.PrefetchSize = 4
		it := txn.NewIterator(opts)
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			var value []byte
			if !keysOnly {
				var err error
				if value, err = it.Item().ValueCopy(nil); err != nil {
					return err
				}
			}
			if err := f(string(it.Item().Key()), value); err != nil {
				return err
			}
		}
		return nil
	})
}

// Apply is one transaction; SyncWrites makes it durable on return.
func (e *engine) Apply(entries []checkpoint.Entry) error {
	var bytes int64
	for _, kv := range entries {
		bytes += int64(len(kv.Key) + len(kv.Value))
		e.count(kv.Value)
	}
	if err := room(e.dir, bytes, smallReserve); err != nil {
		return err
	}
	return e.db.Update(func(txn *badger.Txn) error {
		for _, kv := range entries {
			if err := apply(txn, kv); err != nil {
				return err
			}
		}
		return nil
	})
}

func apply(txn *badger.Txn, kv checkpoint.Entry) error {
	if kv.Value == nil {
		return txn.Delete([]byte(kv.Key))
	}
	return txn.Set([]byte(kv.Key), kv.Value)
}

func (e *engine) Put(key string, value []byte) error {
	e.count(value)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return e.err
	}
	if e.bulk == nil {
		e.bulk = e.db.NewWriteBatch()
		e.bulk.SetMaxPendingTxns(maxPending)
	}
	e.err = e.bulk.Set([]byte(key), value)
	return e.err
}

func (e *engine) DeleteBulk(keys []string) error {
	if err := room(e.dir, 0, smallReserve); err != nil {
		return err
	}
	b := e.db.NewWriteBatch()
	defer b.Cancel()
	for _, k := range keys {
		if err := b.Delete([]byte(k)); err != nil {
			return err
		}
	}
	return b.Flush()
}

// Flush waits for everything put so far. What is put meanwhile goes into a
// batch of its own.
func (e *engine) Flush() error {
	e.mu.Lock()
	bulk, err := e.bulk, e.err
	e.bulk = nil
	e.mu.Unlock()
	if err != nil || bulk == nil {
		return err
	}
	if err = bulk.Flush(); err != nil {
		e.mu.Lock()
		e.err = err
		e.mu.Unlock()
	}
	return err
}

func (e *engine) Room(bytes int64) error { return room(e.dir, bytes, checkpointReserve) }

func (e *engine) ReadLatest() ([]byte, error)  { return readLatest(e.dir) }
func (e *engine) WriteLatest(rec []byte) error { return writeLatest(e.dir, rec) }

// count notes what goes to the value log, which compaction does not shrink.
func (e *engine) count(value []byte) {
	if len(value) >= valueThreshold {
		e.logged.Add(int64(len(value)))
	}
}

// Tidy rewrites one file of the value log if a file's worth of large values
// was written since.
func (e *engine) Tidy() error {
	if e.logged.Load() < valueLogSize {
		return nil
	}
	e.logged.Store(0)
	err := e.db.RunValueLogGC(0.5)
	if errors.Is(err, badger.ErrNoRewrite) || errors.Is(err, badger.ErrRejected) {
		return nil
	}
	return err
}

// Close gives up what was put and not flushed: no checkpoint names it.
func (e *engine) Close() error {
	e.mu.Lock()
	if e.bulk != nil {
		e.bulk.Cancel()
		e.bulk = nil
	}
	e.mu.Unlock()
	return e.db.Close()
}
