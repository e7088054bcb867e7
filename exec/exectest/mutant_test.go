package exectest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// caught is a testing.TB whose Fatal is remembered.
type caught struct {
	testing.TB
	text string
}

type fatal struct{}

func (c *caught) Helper() {}
func (c *caught) Fatal(args ...any) {
	c.text = fmt.Sprint(args...)
	panic(fatal{})
}
func (c *caught) Fatalf(format string, args ...any) {
	c.text = fmt.Sprintf(format, args...)
	panic(fatal{})
}

// verdict is what Run says about an operator, or the operator's own error;
// "": it passes.
func verdict(t *testing.T, op func() exec.Operator, script string) string {
	c := &caught{TB: t}
	func() {
		defer func() {
			if p := recover(); p != nil {
				if _, ok := p.(fatal); !ok {
					panic(p)
				}
			}
		}()
		out := exectest.Run(c, exectest.Case{
			New:    func() (exec.Operator, error) { return op(), nil },
			Inputs: []exectest.Input{exectest.In("k STRING", 0)}, Output: exectest.Columns("k STRING"),
		}, script)
		if _, err, ok := strings.Cut(out, "error: "); ok {
			c.text = err
		}
	}()
	return c.text
}

// base is an operator that does nothing.
type base struct{}

func (base) Open(*exec.Context) error                    { return nil }
func (base) Process(int, *vec.Batch, exec.Output) error  { return nil }
func (base) Advance(t types.Time, out exec.Output) error { return out.Watermark(t) }
func (base) Close() error                                { return nil }

// good hands rows on.
type good struct{ base }

func (good) Process(_ int, b *vec.Batch, out exec.Output) error { return out.Emit(b) }

// ignoresSel emits rows that are not selected.
type ignoresSel struct{ base }

func (ignoresSel) Process(_ int, b *vec.Batch, out exec.Output) error {
	b.Sel = nil
	return out.Emit(b)
}

// keeper holds the borrowed batch back until the watermark.
type keeper struct {
	base
	kept []*vec.Batch
}

func (k *keeper) Process(_ int, b *vec.Batch, _ exec.Output) error {
	k.kept = append(k.kept, b.Head())
	return nil
}

func (k *keeper) Advance(t types.Time, out exec.Output) error {
	for _, b := range k.kept {
		for _, c := range b.Cols {
			for i := range c.Spans {
				if int(c.Spans[i].Off) > len(c.Data) {
					return fmt.Errorf("overwritten")
				}
			}
		}
		if err := out.Emit(b); err != nil {
			return err
		}
	}
	return out.Watermark(t)
}

// writer changes a vector that it did not make.
type writer struct{ base }

func (writer) Process(_ int, b *vec.Batch, out exec.Output) error {
	for i := range b.Cols[0].Data {
		b.Cols[0].Data[i]++
	}
	return out.Emit(b)
}

// forgetful counts in a field instead of its state.
type forgetful struct {
	base
	n int
}

func (f *forgetful) Process(_ int, b *vec.Batch, _ exec.Output) error {
	f.n += b.Len()
	return nil
}

func (f *forgetful) Advance(t types.Time, out exec.Output) error {
	rows := exectest.MustRows(exectest.Columns("k STRING"), fmt.Sprint(f.n))
	if err := out.Emit(rows); err != nil {
		return err
	}
	return out.Watermark(t)
}

func TestRunCatchesBadOperators(t *testing.T) {
	const script = "a\nb\nc\nwatermark 5\n"
	if v := verdict(t, func() exec.Operator { return good{} }, script); v != "" {
		t.Errorf("a good operator is refused: %s", v)
	}
	for _, c := range []struct {
		name, want string
		op         func() exec.Operator
	}{
		{"emits unselected rows", "selections", func() exec.Operator { return ignoresSel{} }},
		{"keeps borrowed memory", "overwritten", func() exec.Operator { return &keeper{} }},
		{"writes borrowed memory", "final table", func() exec.Operator { return writer{} }},
		{"keeps state outside Context.State", "restores", func() exec.Operator { return &forgetful{} }},
	} {
		if v := verdict(t, c.op, script); !strings.Contains(v, c.want) {
			t.Errorf("an operator that %s: %q", c.name, v)
		}
	}
}
