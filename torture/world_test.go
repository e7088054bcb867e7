package torture

import (
	"fmt"
	"testing"
	"time"
)

func TestNothingDisturbs(t *testing.T) {
	c, err := NewCluster()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, par := range []int{1, 2} {
		begin := time.Now()
		w, err := c.World(fmt.Sprint("plain", par), 100)
		if err != nil {
			t.Fatal(err)
		}
		p, err := w.Finish(Job{Parallelism: par, TwoSinks: par == 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		topics := []string{w.Out}
		if par == 2 {
			topics = append(topics, w.Out2)
		}
		v, err := w.Check(topics...)
		if err != nil || v.Err() != nil {
			t.Fatal(err, v.Err())
		}
		n := map[string]int{}
		for _, s := range p.Steps() {
			n[s.Name]++
		}
		t.Log(time.Since(begin), n)
	}
}
