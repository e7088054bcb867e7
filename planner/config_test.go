package planner_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/planner"
	"github.com/sqlstream/sqlstream/planner/physical"
)

func TestConfigOf(t *testing.T) {
	c, err := planner.ConfigOf(map[string]string{
		"pipeline.name": "orders", "parallelism.default": "3", "table.local-time-zone": "Europe/Berlin", "table.exec.state.ttl": "1 h",
		"table.exec.source.idle-timeout": "5 s", "table.exec.mini-batch.enabled": "FALSE", "table.exec.sink.not-null-enforcer": "DROP",
		"execution.checkpointing.interval": "10s", "some.other.key": "x",
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.JobName != "orders" || c.Parallelism != 3 || c.Zone.String() != "Europe/Berlin" || c.StateTTL != time.Hour ||
		c.IdleTimeout != 5*time.Second || c.MiniBatch != physical.MiniBatchOff || !c.DropNulls || c.CheckpointInterval != 10*time.Second {
		t.Errorf("got %+v", c)
	}
}

func TestConfigErrors(t *testing.T) {
	for key, value := range map[string]string{
		"parallelism.default": "0", "table.local-time-zone": "Berlin", "table.exec.state.ttl": "soon",
		"table.exec.mini-batch.enabled": "yes", "table.exec.sink.not-null-enforcer": "ignore",
	} {
		_, err := planner.ConfigOf(map[string]string{key: value})
		if err == nil || !strings.HasPrefix(err.Error(), "'"+key+"' = '"+value+"': ") {
			t.Errorf("%s = %s: got %v", key, value, err)
		}
	}
}

func TestParseZone(t *testing.T) {
	at := time.Date(2024, 7, 1, 0, 0, 0, 0, time.UTC)
	for text, seconds := range map[string]int{"UTC": 0, "default": 0, "Europe/Berlin": 7200, "GMT+01:00": 3600, "-05:30": -19800, "UTC+02:00": 7200} {
		z, err := planner.ParseZone(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if _, got := at.In(z).Zone(); got != seconds {
			t.Errorf("%s: %d s east of UTC, want %d", text, got, seconds)
		}
	}
	if _, err := planner.ParseZone("Local"); err == nil {
		t.Error("the machine's zone was taken")
	}
}
