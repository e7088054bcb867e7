package state

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// A chunk is head (magic, version), encoded pages one after the other, and the CRC-32C of all that.
const (
	chunkMagic   = 0x63737173 // "sqsc"
	chunkVersion = 1
	chunkHead    = 6
	chunkTail    = 4
	chunkBytes   = 256 << 10 // a chunk is not larger than this
	chunkSmall   = 16 << 10  // smaller ones are merged when there is something to write
)

// packer packs pages into chunks.
type packer struct {
	w      ChunkWriter
	chunks []chunkUse
	cur    []byte
	bytes  int64
}

const chunkRoom = chunkBytes - chunkTail

// add stores an encoded page. A page that is larger than what is left begins a new chunk; only one larger than a whole chunk
// is split.
func (p *packer) add(page []byte) (loc, error) {
	if len(p.cur) > chunkHead && len(p.cur)+len(page) > chunkRoom {
		if err := p.flush(); err != nil {
			return loc{}, err
		}
	}
	p.begin()
	l := loc{uint32(len(p.chunks)), uint32(len(p.cur)), uint32(len(page))}
	for len(page) > 0 {
		p.begin()
		n := min(len(page), chunkRoom-len(p.cur))
		p.cur = append(p.cur, page[:n]...)
		page = page[n:]
		if len(p.cur) == chunkRoom {
			if err := p.flush(); err != nil {
				return loc{}, err
			}
		}
	}
	return l, nil
}

func (p *packer) begin() {
	if len(p.cur) == 0 {
		p.cur = binary.LittleEndian.AppendUint32(make([]byte, 0, chunkBytes), chunkMagic)
		p.cur = binary.LittleEndian.AppendUint16(p.cur, chunkVersion)
	}
}

func (p *packer) flush() error {
	if len(p.cur) == 0 {
		return nil
	}
	crc := crc32.Checksum(p.cur, castagnoli)
	data := binary.LittleEndian.AppendUint32(p.cur, crc)
	ref, err := p.w.Put(data)
	if err != nil {
		return err
	}
	p.chunks = append(p.chunks, chunkUse{ref, uint32(len(data)), crc})
	p.bytes += int64(len(data))
	p.cur = nil
	return nil
}

// checkChunk reports damage, naming the chunk.
func checkChunk(c chunkUse, data []byte) error {
	switch {
	case len(data) != int(c.size):
		return fmt.Errorf("chunk %d is damaged: it has %d bytes, not %d", c.ref, len(data), c.size)
	case crc32.Checksum(data[:len(data)-chunkTail], castagnoli) != c.crc:
		return fmt.Errorf("chunk %d is damaged: its checksum is wrong", c.ref)
	case binary.LittleEndian.Uint32(data) != chunkMagic:
		return fmt.Errorf("chunk %d is not a chunk of state", c.ref)
	case binary.LittleEndian.Uint16(data[4:]) != chunkVersion:
		return fmt.Errorf("chunk %d has format version %d; this program reads %d", c.ref, binary.LittleEndian.Uint16(data[4:]), chunkVersion)
	}
	return nil
}
