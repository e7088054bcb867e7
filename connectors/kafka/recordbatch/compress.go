package recordbatch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Codec is how the records of a batch are compressed.
type Codec uint8

const (
	None Codec = iota
	Gzip
	Snappy
	LZ4
	Zstd
)

// Codecs are the values of compression.type.
var Codecs = map[string]Codec{"none": None, "gzip": Gzip, "snappy": Snappy, "lz4": LZ4, "zstd": Zstd}

// maxDecompressed bounds what a batch of a few bytes can make us allocate.
const maxDecompressed = 256 << 20

var (
	zstdReader = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDecompressed))
	})
	zstdWriter = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	})
)

// decompress appends the decompressed bytes of src to dst.
func decompress(codec Codec, dst, src []byte) ([]byte, error) {
	switch codec {
	case Gzip:
		r, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil {
			return dst, err
		}
		return readAll(dst, r)
	case LZ4:
		return readAll(dst, lz4.NewReader(bytes.NewReader(src)))
	case Snappy:
		return unsnappy(dst, src)
	case Zstd:
		r, err := zstdReader()
		if err != nil {
			return dst, err
		}
		return r.DecodeAll(src, dst)
	default:
		return dst, fmt.Errorf("unknown compression codec %d", codec)
	}
}

func readAll(dst []byte, r io.Reader) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	n, err := buf.ReadFrom(io.LimitReader(r, maxDecompressed+1))
	if err == nil && n > maxDecompressed {
		err = fmt.Errorf("record batch decompresses to more than %d bytes", maxDecompressed)
	}
	return buf.Bytes(), err
}

// xerial is the framing of the snappy library that Kafka's Java client uses:
// a magic, two versions, then blocks with their length in front.
var xerial = []byte{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0}

func unsnappy(dst, src []byte) ([]byte, error) {
	if !bytes.HasPrefix(src, xerial) {
		return snappyBlock(dst, src)
	}
	if len(src) < 16 {
		return dst, snappy.ErrCorrupt
	}
	var err error
	for src = src[16:]; len(src) > 0; {
		if len(src) < 4 {
			return dst, snappy.ErrCorrupt
		}
		n := int64(binary.BigEndian.Uint32(src))
		if n > int64(len(src)-4) {
			return dst, snappy.ErrCorrupt
		}
		if dst, err = snappyBlock(dst, src[4:4+n]); err != nil {
			return dst, err
		}
		src = src[4+n:]
	}
	return dst, nil
}

func snappyBlock(dst, src []byte) ([]byte, error) {
	n, err := snappy.DecodedLen(src)
	if err != nil {
		return dst, err
	}
	if n+len(dst) > maxDecompressed {
		return dst, fmt.Errorf("record batch decompresses to more than %d bytes", maxDecompressed)
	}
	block, err := snappy.Decode(nil, src)
	return append(dst, block...), err
}

// compress appends the compressed bytes of src to dst.
func compress(codec Codec, dst, src []byte) ([]byte, error) {
	switch codec {
	case Gzip:
		buf := bytes.NewBuffer(dst)
		w := gzip.NewWriter(buf)
		return finish(buf, w, src)
	case LZ4:
		buf := bytes.NewBuffer(dst)
		w := lz4.NewWriter(buf)
		// Kafka's readers accept blocks of 64 KB to 4 MB without linking.
		if err := w.Apply(lz4.BlockSizeOption(lz4.Block64Kb)); err != nil {
			return nil, err
		}
		return finish(buf, w, src)
	case Snappy:
		return append(dst, snappy.Encode(nil, src)...), nil
	case Zstd:
		w, err := zstdWriter()
		if err != nil {
			return nil, err
		}
		return w.EncodeAll(src, dst), nil
	default:
		return nil, fmt.Errorf("unknown compression codec %d", codec)
	}
}

func finish(buf *bytes.Buffer, w io.WriteCloser, src []byte) ([]byte, error) {
	if _, err := w.Write(src); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
