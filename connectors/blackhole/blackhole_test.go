package blackhole

import (
	"context"
	"testing"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/conntest"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
)

func TestBlackholeTakesAnyChange(t *testing.T) {
	c, ok := connectors.Lookup("blackhole")
	if !ok || c.Source != nil {
		t.Fatal("blackhole is not a registered sink, or can be read")
	}
	s, err := c.Sink(conntest.Table(t, c, nil, "a INT", map[string]string{"sink.parallelism": "2"}))
	if err != nil {
		t.Fatal(err)
	}
	if s.Accepts() != connectors.Retract || s.Parallelism() != 2 || s.Guarantee() != exec.None {
		t.Errorf("accepts %v at parallelism %d, %v", s.Accepts(), s.Parallelism(), s.Guarantee())
	}
	sink, err := s.Sink()
	if err != nil {
		t.Fatal(err)
	}
	w, err := sink.Writer(context.Background(), exec.SinkContext{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(context.Background(), exectest.MustRows(exectest.Columns("a INT"), "+I 1\n-D 1")); err != nil {
		t.Error(err)
	}
}
