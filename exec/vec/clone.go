package vec

// Clone is a deep copy.
func (b *Batch) Clone() *Batch {
	c := &Batch{N: b.N, Cols: make([]*Vector, len(b.Cols))}
	for i, v := range b.Cols {
		c.Cols[i] = v.Clone()
	}
	c.Ops = append([]Op(nil), b.Ops...)
	c.Hash = append([]uint64(nil), b.Hash...)
	if b.Sel != nil {
		c.Sel = append([]int32{}, b.Sel...)
	}
	return c
}

// Clone is a deep copy.
func (v *Vector) Clone() *Vector {
	c := &Vector{
		Kind: v.Kind, N: v.N,
		Nulls: append([]uint64(nil), v.Nulls...), Bool: append([]bool(nil), v.Bool...),
		I64: append([]int64(nil), v.I64...), F64: append([]float64(nil), v.F64...),
		I128: append([]Int128(nil), v.I128...), Spans: append([]Span(nil), v.Spans...),
		Data: append([]byte(nil), v.Data...),
	}
	for _, k := range v.Kids {
		c.Kids = append(c.Kids, k.Clone())
	}
	return c
}

// Poison overwrites all memory of a batch, so that who kept a part of it is
// found out. For test builds.
func (b *Batch) Poison() {
	for _, v := range b.Cols {
		v.poison()
	}
	fill(b.Ops, Op(3))
	fill(b.Hash, ^uint64(0))
	fill(b.Sel, -1)
	b.N = 0
}

func (v *Vector) poison() {
	fill(v.Nulls, 0x5555555555555555)
	fill(v.Bool, true)
	fill(v.I64, -0x6666666666666667)
	fill(v.F64, -1.2345e300)
	fill(v.I128, Int128{-0x6666666666666667, 0x6666666666666667})
	fill(v.Spans, Span{1 << 30, 1 << 30})
	fill(v.Data, '#')
	for _, k := range v.Kids {
		k.poison()
	}
}

func fill[T any](s []T, x T) {
	for i := range s {
		s[i] = x
	}
}
