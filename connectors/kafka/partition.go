package kafka

// partitioner chooses the partition of each record of a topic.
type partitioner struct {
	kind       string // default, fixed, round-robin
	partitions int32
	subtask    int32
	turn       int32
}

// sticky is how many records without key go to one partition before the next
// has its turn: batches stay large.
const sticky = 512

// choose fills out with the partition of each of n records; key gives a
// record's key, nil if it has none.
func (p *partitioner) choose(out []int32, key func(i int) []byte) {
	switch p.kind {
	case "fixed":
		for i := range out {
			out[i] = p.subtask % p.partitions
		}
	case "round-robin":
		for i := range out {
			out[i] = p.turn
			p.turn = (p.turn + 1) % p.partitions
		}
	default:
		p.byKey(out, key)
	}
}

// byKey is the default of Kafka's Java client: the key's murmur2 hash. Records
// without key fill the partitions in turn.
func (p *partitioner) byKey(out []int32, key func(i int) []byte) {
	for i := range out {
		if k := key(i); k != nil {
			out[i] = int32(murmur2(k)&0x7fffffff) % p.partitions
			continue
		}
		out[i] = p.turn / sticky % p.partitions
		if p.turn++; p.turn == sticky*p.partitions {
			p.turn = 0
		}
	}
}

// murmur2 is the 32-bit hash with the seed of Kafka's Java client, so that a
// key lies in the partition where other producers put it.
func murmur2(data []byte) uint32 {
	const m, r = 0x5bd1e995, 24
	h := uint32(0x9747b28c) ^ uint32(len(data))
	for len(data) >= 4 {
		k := uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16 | uint32(data[3])<<24
		k *= m
		k ^= k >> r
		k *= m
		h = h*m ^ k
		data = data[4:]
	}
	switch len(data) {
	case 3:
		h ^= uint32(data[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(data[1]) << 8
		fallthrough
	case 1:
		h = (h ^ uint32(data[0])) * m
	}
	h ^= h >> 13
	h *= m
	return h ^ h>>15
}
