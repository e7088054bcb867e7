package txnlog

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/checkpoint"
)

// Keys in the sink's journal. The first chunk has a prefix of its own: it is
// also the list of all logs, to be scanned at start.
const (
	keyHead = "loghead/" // + name: chunk 0
	keyBody = "log/"     // + name + / + 8 digits: chunks from 1
)

func chunkKey(name string, n int) string {
	if n == 0 {
		return keyHead + name
	}
	return fmt.Sprintf("%s%s/%08d", keyBody, name, n)
}

// Read calls f with the records of each chunk of a log, in the order in which
// they were written. They are valid until f returns.
func Read(j checkpoint.Journal, name string, f func([]Record) error) error {
	var records []Record
	for n := 0; ; n++ {
		chunk, err := j.Get(chunkKey(name, n))
		if err != nil {
			return err
		}
		if chunk == nil {
			return nil
		}
		if records, err = decodeChunk(chunk, records[:0]); err != nil {
			return fmt.Errorf("chunk %d of pre-commit log %s: %w", n, name, err)
		}
		if err := f(records); err != nil {
			return err
		}
	}
}

// Size is how many bytes the records of a log have, unpacked.
func Size(j checkpoint.Journal, name string) (bytes int64, err error) {
	for n := 0; ; n++ {
		chunk, err := j.Get(chunkKey(name, n))
		if err != nil || chunk == nil {
			return bytes, err
		}
		size, err := unpacked(chunk)
		if err != nil {
			return bytes, fmt.Errorf("chunk %d of pre-commit log %s: %w", n, name, err)
		}
		bytes += int64(size)
	}
}

// Sweep deletes every log but those to keep. Only recovery calls it, when the
// outcomes are durable and no writer is open.
func Sweep(j checkpoint.Journal, keep map[string]bool) error {
	var gone []string
	err := j.Scan(keyHead, func(key string, _ []byte) error {
		if name := strings.TrimPrefix(key, keyHead); !keep[name] {
			gone = append(gone, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range gone {
		if err := remove(j, name); err != nil {
			return err
		}
	}
	return nil
}

func remove(j checkpoint.Journal, name string) error {
	n := 0
	for ; ; n++ {
		chunk, err := j.Get(chunkKey(name, n))
		if err != nil {
			return err
		}
		if chunk == nil {
			return removeChunks(j, name, n)
		}
	}
}

// removeAtOnce bounds one write.
const removeAtOnce = 256

// removeChunks deletes chunks 0 … n−1 from the last to the first, so that a
// crash leaves the beginning of a log, which Sweep finds.
func removeChunks(j checkpoint.Journal, name string, n int) error {
	for n > 0 {
		var entries []checkpoint.Entry
		for n > 0 && len(entries) < removeAtOnce {
			n--
			entries = append(entries, checkpoint.Entry{Key: chunkKey(name, n)})
		}
		if err := writeAll(j, entries); err != nil {
			return fmt.Errorf("pre-commit log %s: %w", name, err)
		}
	}
	return nil
}

// writeAll is one durable write where the journal can do that, else one after
// the other, in order.
func writeAll(j checkpoint.Journal, entries []checkpoint.Entry) error {
	if b, ok := j.(checkpoint.BatchJournal); ok {
		return b.Apply(entries)
	}
	for _, e := range entries {
		var err error
		if e.Value == nil {
			err = j.Delete(e.Key)
		} else {
			err = j.Put(e.Key, e.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
