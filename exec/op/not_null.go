package op

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// NotNull checks columns that a sink declares NOT NULL.
type NotNull struct {
	passing
	spec NotNullSpec
	sel  []int32
}

// NewNotNull makes the operator.
func NewNotNull(s NotNullSpec) (exec.Operator, error) { return &NotNull{spec: s}, nil }

func (o *NotNull) Process(_ int, b *vec.Batch, out exec.Output) error {
	rows := b.Rows()
	for _, c := range o.spec.Columns {
		v := b.Cols[c]
		if v.Nulls == nil {
			continue
		}
		kept := o.sel[:0]
		for _, r := range rows {
			if !v.IsNull(int(r)) {
				kept = append(kept, r)
			}
		}
		if len(kept) < len(rows) && !o.spec.Drop {
			return o.refusal(c)
		}
		// Later columns narrow the same memory: kept never overtakes rows.
		rows, o.sel = kept, kept
	}
	if len(rows) == 0 {
		return nil
	}
	if len(rows) == b.Len() {
		return out.Emit(b)
	}
	h := *b
	h.Sel = rows
	return out.Emit(&h)
}

func (o *NotNull) refusal(c int) error {
	return exec.Fatal(fmt.Errorf("column %q of table %s is NOT NULL, but a row of the query has a null there; "+
		"filter such rows out, or leave them out by SET 'table.exec.sink.not-null-enforcer' = 'drop'", o.spec.Output[c].Name, o.spec.Table))
}
