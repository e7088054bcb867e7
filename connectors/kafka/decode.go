package kafka

import (
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/connectors/kafka/recordbatch"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// decode fills b with records [from, to) of the run.
func (r *reader) decode(b *vec.Batch, from, to int) error {
	values := messages(&r.run, &r.run.Values, from, to)
	if r.src.plan.direct && values.Null == nil {
		if _, err := r.value.Decode(&values, b); err != nil {
			return err
		}
		b.Hash = nil
		return nil
	}
	pick(&r.inner, b, r.src.plan.valueOut)
	origin, err := r.value.Decode(&values, &r.inner)
	if err != nil {
		return err
	}
	b.N, b.Sel, b.Ops, b.Hash = r.inner.N, r.inner.Sel, r.inner.Ops, nil
	if err := r.decodeKeys(b, from, to); err != nil {
		return err
	}
	for i := range r.meta {
		if err := r.fillMeta(&r.meta[i], b, from, origin); err != nil {
			return err
		}
	}
	if values.Null != nil || r.src.upsert {
		r.tombstones(b, values.Null, origin)
	}
	if r.filter != nil {
		b.Sel, err = r.filter.Select(&r.env, b)
	}
	return err
}

func messages(r *recordbatch.Records, c *recordbatch.Column, from, to int) format.Messages {
	m := format.Messages{Data: r.Data, Spans: c.Spans[from:to]}
	if c.Null != nil {
		m.Null = c.Null[from:to]
	}
	return m
}

// pick lets inner hold some of b's columns.
func pick(inner, b *vec.Batch, columns []int) {
	inner.Cols = inner.Cols[:0]
	for _, c := range columns {
		inner.Cols = append(inner.Cols, b.Cols[c])
	}
}

// decodeKeys fills the columns that come from the key. Rows that the key's
// format leaves out are left out.
func (r *reader) decodeKeys(b *vec.Batch, from, to int) error {
	if r.key == nil {
		return nil
	}
	keys := messages(&r.run, &r.run.Keys, from, to)
	pick(&r.keys, b, r.src.plan.keyOut)
	if _, err := r.key.Decode(&keys, &r.keys); err != nil {
		return err
	}
	if r.keys.Sel != nil {
		b.Sel = r.both(b, r.keys.Sel)
	}
	return nil
}

// both is the rows that are in b's selection and in sel.
func (r *reader) both(b *vec.Batch, sel []int32) []int32 {
	if b.Sel == nil {
		return sel
	}
	out, other := r.sel[:0], sel
	for _, row := range b.Sel {
		for len(other) > 0 && other[0] < row {
			other = other[1:]
		}
		if len(other) > 0 && other[0] == row {
			out = append(out, row)
		}
	}
	r.sel = out
	return out
}

// tombstones are deletes of an upsert table, whose other rows are upserts.
// In a table of all rows a record without value is no row (but for format
// raw, whose one column is then NULL).
func (r *reader) tombstones(b *vec.Batch, null []bool, origin []int32) {
	if r.src.upsert {
		r.ops = r.ops[:0]
		for i := range b.N {
			op := vec.UpdateAfter
			if null != nil && null[i] {
				op = vec.Delete
			}
			r.ops = append(r.ops, op)
		}
		b.Ops = r.ops
		return
	}
	if null == nil || origin != nil || r.src.layout.value.format.Name == "raw" {
		return
	}
	out := make([]int32, 0, b.Len())
	for _, row := range b.Rows() {
		if !null[row] {
			out = append(out, row)
		}
	}
	b.Sel = out
}
