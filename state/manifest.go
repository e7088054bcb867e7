package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A manifest is head (magic, version), body, and the CRC-32C of both. DESIGN.md has the body's format.
const (
	manifestMagic   = 0x6d737173 // "sqsm"
	manifestVersion = 2          // 1: without patches
	manifestHead    = 6
	maxSlots        = 1<<31 - PageRows
)

// manifest is the decoded form: the state of one subtask at a barrier.
type manifest struct {
	operator string
	owned    Range
	chunks   []chunkUse
	values   []namedBytes
	tables   []tableLocs
}

type tableLocs struct {
	layout Layout
	sets   []setLocs // as tableImage.sets
}

func appendManifest(s *Snapshot, at *base) []byte {
	d := binary.LittleEndian.AppendUint32(nil, manifestMagic)
	d = binary.LittleEndian.AppendUint16(d, manifestVersion)
	d = appendString(d, s.backend.operator)
	d = append(d, s.backend.owned.First, s.backend.owned.Last)
	d = binary.AppendUvarint(d, uint64(len(at.chunks)))
	for _, c := range at.chunks {
		d = binary.AppendUvarint(d, c.ref)
		d = binary.AppendUvarint(d, uint64(c.size))
		d = binary.LittleEndian.AppendUint32(d, c.crc)
	}
	d = binary.AppendUvarint(d, uint64(len(s.values)))
	for _, v := range s.values {
		d = appendString(d, v.name)
		d = appendBytes(d, v.data)
	}
	d = binary.AppendUvarint(d, uint64(len(s.tables)))
	for _, t := range s.tables {
		d = appendLayout(d, t.layout)
		d = binary.AppendUvarint(d, uint64(len(t.sets)))
		for _, set := range t.sets {
			d = appendLocs(d, at.sets[set.name])
		}
	}
	return binary.LittleEndian.AppendUint32(d, crc32.Checksum(d, castagnoli))
}

func appendLocs(d []byte, s *setLocs) []byte {
	d = binary.AppendUvarint(d, uint64(s.high))
	d = binary.AppendUvarint(d, uint64(len(s.fams)))
	for _, fam := range s.fams {
		d = binary.AppendUvarint(d, uint64(len(fam)))
		for _, p := range fam {
			d = appendLoc(d, p.loc)
			d = binary.AppendUvarint(d, uint64(len(p.patches)))
			for _, patch := range p.patches {
				d = appendLoc(d, patch.loc)
			}
		}
	}
	return appendLocList(d, s.blocks)
}

func appendLoc(d []byte, l loc) []byte {
	d = binary.AppendUvarint(d, uint64(l.chunk))
	d = binary.AppendUvarint(d, uint64(l.off))
	return binary.AppendUvarint(d, uint64(l.size))
}

func appendLocList(d []byte, locs []loc) []byte {
	d = binary.AppendUvarint(d, uint64(len(locs)))
	for _, l := range locs {
		d = appendLoc(d, l)
	}
	return d
}

func appendLayout(d []byte, l Layout) []byte {
	d = appendString(d, l.Name)
	d = binary.AppendUvarint(d, uint64(l.Version))
	d = appendClasses(d, l.Keys)
	d = appendClasses(d, l.Values)
	for _, lists := range [][]ListLayout{l.Lists, l.Sorted} {
		d = binary.AppendUvarint(d, uint64(len(lists)))
		for _, x := range lists {
			d = appendString(d, x.Name)
			d = appendClasses(d, x.Values)
		}
	}
	d = binary.AppendUvarint(d, uint64(len(l.Timers)))
	for _, name := range l.Timers {
		d = appendString(d, name)
	}
	if l.TTL {
		return append(d, 1)
	}
	return append(d, 0)
}

func appendClasses(d []byte, cs []Class) []byte {
	d = binary.AppendUvarint(d, uint64(len(cs)))
	for _, c := range cs {
		d = append(d, byte(c))
	}
	return d
}

// decodeManifest checks and reads a manifest.
func decodeManifest(data []byte) (*manifest, error) {
	if len(data) < manifestHead+4 || binary.LittleEndian.Uint32(data) != manifestMagic {
		return nil, errors.New("the manifest is not one of state")
	}
	version := binary.LittleEndian.Uint16(data[4:])
	if version < 1 || version > manifestVersion {
		return nil, fmt.Errorf("the manifest has format version %d; this program reads 1 to %d", version, manifestVersion)
	}
	body, tail := data[:len(data)-4], data[len(data)-4:]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(tail) {
		return nil, errors.New("the manifest is damaged: its checksum is wrong")
	}
	m, err := decodeBody(body[manifestHead:], version)
	if err != nil {
		return nil, fmt.Errorf("the manifest is damaged: %w", err)
	}
	return m, nil
}

func decodeBody(body []byte, version uint16) (*manifest, error) {
	d := &decoder{data: body, patches: version >= 2}
	m := &manifest{operator: string(d.bytes())}
	m.owned = Range{d.byte(), d.byte()}
	for range d.count(6) {
		c := chunkUse{ref: d.uint(), size: uint32(d.uint()), crc: d.u32()}
		if d.err == nil && (c.size <= chunkHead+chunkTail || c.size > chunkBytes) {
			d.err = fmt.Errorf("chunk %d of %d bytes", c.ref, c.size)
		}
		m.chunks = append(m.chunks, c)
	}
	for range d.count(2) {
		m.values = append(m.values, namedBytes{string(d.bytes()), append([]byte(nil), d.bytes()...)})
	}
	for range d.count(9) {
		m.tables = append(m.tables, d.table())
	}
	if d.err == nil && !m.owned.valid() {
		d.err = fmt.Errorf("key groups %s", m.owned)
	}
	if d.err == nil && len(d.data) > 0 {
		d.err = errors.New("it goes on after its end")
	}
	if d.err == nil {
		d.err = m.check()
	}
	return m, d.err
}

func (d *decoder) table() tableLocs {
	t := tableLocs{layout: d.layout()}
	for range d.count(3) {
		t.sets = append(t.sets, d.locs())
	}
	return t
}

func (d *decoder) layout() Layout {
	l := Layout{Name: string(d.bytes()), Version: uint16(d.uint())}
	l.Keys, l.Values = d.classes(), d.classes()
	l.Lists, l.Sorted = d.lists(), d.lists()
	for range d.count(1) {
		l.Timers = append(l.Timers, string(d.bytes()))
	}
	l.TTL = d.byte() != 0
	if d.err == nil {
		d.err = l.check()
	}
	return l
}

func (d *decoder) lists() (l []ListLayout) {
	for range d.count(2) {
		l = append(l, ListLayout{string(d.bytes()), d.classes()})
	}
	return l
}

func (d *decoder) classes() (cs []Class) {
	for range d.count(1) {
		cs = append(cs, Class(d.byte()))
	}
	return cs
}

func (d *decoder) locs() setLocs {
	high := d.uint()
	if d.err == nil && high > maxSlots {
		d.err = fmt.Errorf("%d slots", high)
	}
	s := setLocs{high: int32(high)}
	for range d.count(1) {
		s.fams = append(s.fams, d.pageList())
	}
	s.blocks = d.locList()
	return s
}

func (d *decoder) loc() loc { return loc{uint32(d.uint()), uint32(d.uint()), uint32(d.uint())} }

func (d *decoder) pageList() []pageLoc {
	pages := make([]pageLoc, d.count(3))
	for i := range pages {
		pages[i].loc = d.loc()
		if !d.patches {
			continue
		}
		for range d.count(3) {
			pages[i].patches = append(pages[i].patches, patchLoc{loc: d.loc()})
		}
	}
	return pages
}

func (d *decoder) locList() []loc {
	locs := make([]loc, d.count(3))
	for i := range locs {
		locs[i] = d.loc()
	}
	return locs
}

// check makes sure that the parts fit together, so that a restore can follow them without looking again.
func (m *manifest) check() error {
	for _, t := range m.tables {
		parts := newTable(&clock{}, t.layout, m.owned).sets()
		if len(parts) != len(t.sets) {
			return fmt.Errorf("table %s has %d parts, not %d", t.layout.Name, len(t.sets), len(parts))
		}
		for i := range t.sets {
			if len(parts[i].fams) != len(t.sets[i].fams) {
				return fmt.Errorf("%s has %d families, not %d", parts[i].name, len(t.sets[i].fams), len(parts[i].fams))
			}
			if err := m.checkSet(&t.sets[i]); err != nil {
				return fmt.Errorf("%s: %w", parts[i].name, err)
			}
		}
	}
	return nil
}

func (m *manifest) checkSet(s *setLocs) error {
	for _, fam := range s.fams {
		if len(fam) != pagesOf(s.high) {
			return fmt.Errorf("%d pages for %d slots", len(fam), s.high)
		}
		for _, p := range fam {
			last := p.loc
			for _, patch := range p.patches {
				if patch.size == 0 || patch.chunk <= last.chunk {
					return fmt.Errorf("a patch in chunk number %d over a page in %d", patch.chunk, last.chunk)
				}
				last = patch.loc
			}
		}
	}
	var err error
	s.each(func(l *loc) {
		if err == nil {
			err = m.checkLoc(*l)
		}
	})
	return err
}

func (m *manifest) checkLoc(l loc) error {
	off, left := l.off, l.size
	for c := l.chunk; left > 0; c++ {
		if int64(c) >= int64(len(m.chunks)) || off < chunkHead || off >= m.chunks[c].size-chunkTail {
			return fmt.Errorf("a page at byte %d of chunk number %d of %d", off, c, len(m.chunks))
		}
		left -= min(left, m.chunks[c].size-chunkTail-off)
		off = chunkHead
	}
	return nil
}
