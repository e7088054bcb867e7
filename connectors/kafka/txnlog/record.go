// Package txnlog is the pre-commit log: it keeps the records of a transaction
// in the sink's journal until the transaction's outcome is durable, so that
// one which the broker aborted can be written anew.
package txnlog

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/klauspost/compress/s2"
	"github.com/sqlstream/sqlstream/connectors/kafka/recordbatch"
)

// A chunk is a version byte, records as one S2 block, and the CRC-32C of all
// before it (4 bytes, little endian). A record is partition, timestamp (ms), key, value
// and headers; numbers are zig-zag varints, bytes have their length in front,
// −1 for null. The records of a chunk are in the order in which they were
// written, and chunks are numbered in that order.
const chunkVersion = 1

// Record is one logged record.
type Record struct {
	Partition  int32
	Millis     int64
	Key, Value []byte
	Headers    []recordbatch.Header
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendRecord(b []byte, r *Record) []byte {
	b = binary.AppendVarint(b, int64(r.Partition))
	b = binary.AppendVarint(b, r.Millis)
	b = appendBytes(b, r.Key)
	b = appendBytes(b, r.Value)
	b = binary.AppendVarint(b, int64(len(r.Headers)))
	for _, h := range r.Headers {
		b = appendBytes(b, []byte(h.Key))
		b = appendBytes(b, h.Value)
	}
	return b
}

// appendBytes keeps nil and empty apart.
func appendBytes(b, v []byte) []byte {
	if v == nil {
		return append(b, 1) // −1
	}
	b = binary.AppendVarint(b, int64(len(v)))
	return append(b, v...)
}

// maxRecords bounds what a chunk may claim to unpack to.
const maxRecords = 1 << 30

// seal makes a chunk of records.
func seal(records []byte) []byte {
	chunk := make([]byte, 1, 1+s2.MaxEncodedLen(len(records))+4)
	chunk[0] = chunkVersion
	packed := s2.Encode(chunk[1:cap(chunk)], records)
	chunk = chunk[:1+len(packed)]
	return binary.LittleEndian.AppendUint32(chunk, crc32.Checksum(chunk, castagnoli))
}

var errCorrupt = errors.New("it is corrupt")

// unpacked checks a chunk, and tells the size of its records.
func unpacked(chunk []byte) (int, error) {
	n := len(chunk) - 4
	if n < 1 || crc32.Checksum(chunk[:n], castagnoli) != binary.LittleEndian.Uint32(chunk[n:]) {
		return 0, errCorrupt
	}
	if chunk[0] != chunkVersion {
		return 0, errors.New("it was written by a newer program")
	}
	size, err := s2.DecodedLen(chunk[1:n])
	if err != nil || size > maxRecords {
		return 0, errCorrupt
	}
	return size, nil
}

// decodeChunk reads all records of a chunk.
func decodeChunk(chunk []byte, into []Record) ([]Record, error) {
	if _, err := unpacked(chunk); err != nil {
		return nil, err
	}
	records, err := s2.Decode(nil, chunk[1:len(chunk)-4])
	if err != nil {
		return nil, errCorrupt
	}
	d := decoder{b: records}
	for len(d.b) > 0 && !d.bad {
		into = append(into, d.record())
	}
	if d.bad {
		return nil, errCorrupt
	}
	return into, nil
}

type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) record() Record {
	r := Record{Partition: int32(d.varint()), Millis: d.varint(), Key: d.bytes(), Value: d.bytes()}
	for n := d.varint(); n > 0 && !d.bad; n-- {
		r.Headers = append(r.Headers, recordbatch.Header{Key: string(d.bytes()), Value: d.bytes()})
	}
	return r
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.b, d.bad = nil, true
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) bytes() []byte {
	n := d.varint()
	if n < 0 || d.bad {
		return nil
	}
	if n > int64(len(d.b)) {
		d.b, d.bad = nil, true
		return nil
	}
	v := d.b[:n:n]
	d.b = d.b[n:]
	return v
}
