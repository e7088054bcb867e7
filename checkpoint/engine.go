package checkpoint

// Engine is the ordered map with a LATEST file under a KVStore: Badger, or
// memory. All methods are safe for concurrent use.
type Engine interface {
	Map
	Bulk
	LatestFile
	// Close releases the directory.
	Close() error
}

// Map is the small, durable part.
type Map interface {
	// Get returns nil, nil for a key that is not there. The value is the
	// caller's.
	Get(key string) ([]byte, error)
	// Scan calls f in byte order of the keys with the prefix, until f returns
	// an error, which it returns. Value is nil if keysOnly, else f's to keep.
	// f must not write to the engine.
	Scan(prefix string, keysOnly bool, f func(key string, value []byte) error) error
	// Apply writes all entries (nil value: delete) or none, durably.
	Apply(entries []Entry) error
}

// Bulk is for chunks: many, large, durable only after Flush.
type Bulk interface {
	// Put owns the value from now on. After an error of Put or Flush the
	// engine may have lost what was put since the last Flush, and returns
	// that error for ever.
	Put(key string, value []byte) error
	// DeleteBulk deletes keys that were flushed, durably but not atomically.
	DeleteBulk(keys []string) error
	Flush() error
	// Room is ErrNoSpace if bytes more may not fit on the disk.
	Room(bytes int64) error
}

// LatestFile is a file apart from the map, replaced as a whole and durably.
type LatestFile interface {
	// ReadLatest returns nil, nil if there is none.
	ReadLatest() ([]byte, error)
	WriteLatest(rec []byte) error
}

// Tidier is an optional ability of an Engine: give deleted space back to the
// disk. Called after each Retain, so it must be quick most times.
type Tidier interface{ Tidy() error }
