package kafka

import (
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/kafka/recordbatch"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// metaColumn is an output column that is metadata: of its own type, or cast
// to the declared one.
type metaColumn struct {
	column int
	key    string
	cast   expr.Expr // over a batch of the one column; nil: none needed
}

// newMetaColumn refuses a declared type that the metadata cannot become.
func newMetaColumn(column int, c connectors.Column) (metaColumn, error) {
	m := metaColumn{column: column, key: c.Metadata}
	own := metadataType(c.Metadata)
	if sameStorage(own, c.Type) {
		return m, nil
	}
	cast, err := expr.NewCast(&expr.Column{Name: c.Name, T: own}, c.Type, false)
	if err != nil {
		return m, fmt.Errorf("metadata column %q: %w", c.Name, err)
	}
	m.cast = cast
	return m, nil
}

func metadataType(key string) types.Type {
	i := slices.IndexFunc(metadataColumns, func(m connectors.Metadata) bool { return m.Key == key })
	return metadataColumns[i].Type
}

// sameStorage: values of one type are values of the other, as they are.
func sameStorage(a, b types.Type) bool {
	switch {
	case a.Kind == types.Int && b.Kind == types.BigInt:
		return true
	case a.Kind == types.TimestampLTZ && b.Kind == types.TimestampLTZ:
		return b.Precision >= 3 && b.Precision <= 6
	case a.Kind == types.Map && b.Kind == types.Map:
		return b.Key.IsString() && b.Elem.IsBinary()
	}
	return a.Equal(b)
}

// castColumn is a metaColumn of one reader.
type castColumn struct {
	metaColumn
	program *expr.Program // nil: no cast
	own     *vec.Batch
}

func compileMeta(ms []metaColumn) ([]castColumn, error) {
	columns := make([]castColumn, len(ms))
	for i, m := range ms {
		columns[i].metaColumn = m
		if m.cast == nil {
			continue
		}
		var err error
		if columns[i].program, err = expr.Compile([]expr.Expr{m.cast}, expr.Options{}); err != nil {
			return nil, err
		}
		columns[i].own = vec.NewBatch(metadataType(m.key))
	}
	return columns, nil
}

// fillMeta fills b's column from what surrounds the records.
func (r *reader) fillMeta(m *castColumn, b *vec.Batch, from int, origin []int32) error {
	c := b.Cols[m.column]
	if m.program == nil {
		r.metadata(m.key, c, from, b.N, origin)
		return nil
	}
	r.metadata(m.key, m.own.Cols[0], from, b.N, origin)
	m.own.N = b.N
	out, err := m.program.Eval(&r.env, m.own)
	if err != nil {
		return err
	}
	c.Reset()
	c.AppendRows(out[0], nil, b.N)
	return nil
}

// metadata fills a column of the metadata's own type.
func (r *reader) metadata(key string, c *vec.Vector, from, n int, origin []int32) {
	c.Resize(n)
	p := &r.parts[r.split]
	for row := range n {
		i := from + row
		if origin != nil {
			i = from + int(origin[row])
		}
		switch key {
		case metaTopic:
			c.SetString(row, p.Topic)
		case metaPartition:
			c.I64[row] = int64(p.Partition)
		case metaOffset:
			c.I64[row] = r.run.Offsets[i]
		case metaLeaderEpoch:
			c.I64[row] = int64(r.epochs[i])
		case metaTimestamp:
			c.I64[row] = r.run.Timestamps[i] * 1000
		case metaTimestampType:
			c.SetString(row, timestampType(r.appends[i]))
		case metaHeaders:
			setHeaders(c, row, r.run.HeadersAt(i))
		}
	}
}

func timestampType(logAppend bool) string {
	if logAppend {
		return "LogAppendTime"
	}
	return "CreateTime"
}

// setHeaders appends the map of a row; of headers with one key the last
// counts.
func setHeaders(c *vec.Vector, row int, headers []recordbatch.Header) {
	keys, values := c.Kids[0], c.Kids[1]
	begin := keys.Len()
	for i, h := range headers {
		if shadowed(headers[i+1:], h.Key) {
			continue
		}
		keys.AppendBytes([]byte(h.Key))
		if h.Value == nil {
			values.AppendNull()
		} else {
			values.AppendBytes(h.Value)
		}
	}
	c.Spans[row] = vec.Span{Off: uint32(begin), Len: uint32(keys.Len() - begin)}
}

func shadowed(later []recordbatch.Header, key string) bool {
	return slices.ContainsFunc(later, func(h recordbatch.Header) bool { return h.Key == key })
}
