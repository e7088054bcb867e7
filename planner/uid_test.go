package planner_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/planner/physical"
)

const uidScript = `
CREATE TABLE src (k STRING, v INT) WITH ('connector' = 'kafka', 'topic' = 'in', 'properties.bootstrap.servers' = 'a:1', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE dst (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 'out', 'properties.bootstrap.servers' = 'a:1');
INSERT INTO dst SELECT k, COUNT(*) FROM src WHERE v > 1 GROUP BY k;`

func mustPlan(t *testing.T, text string) *physical.Plan {
	t.Helper()
	p, err := newSession().plan(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func uids(p *physical.Plan) []string {
	var all []string
	for _, n := range p.Nodes {
		all = append(all, n.UID)
	}
	return all
}

// TestSameJob: what a deployment changes leaves the job and its operators the
// same.
func TestSameJob(t *testing.T) {
	base := mustPlan(t, uidScript)
	for name, text := range map[string]string{
		"again":             uidScript,
		"parallelism":       "SET 'parallelism.default' = '4';" + uidScript,
		"time to live":      "SET 'table.exec.state.ttl' = '1 h';" + uidScript,
		"interval":          "SET 'execution.checkpointing.interval' = '1 s';" + uidScript,
		"name":              "SET 'pipeline.name' = 'other';" + uidScript,
		"bootstrap servers": strings.ReplaceAll(uidScript, "a:1", "b:2"),
		"start":             strings.ReplaceAll(uidScript, "earliest-offset", "latest-offset"),
		"names of columns":  strings.Replace(uidScript, "SELECT k, COUNT(*)", "SELECT k AS x, COUNT(*) AS y", 1),
	} {
		p := mustPlan(t, text)
		if p.Hash != base.Hash || !slices.Equal(uids(p), uids(base)) {
			t.Errorf("%s: another job: %s %v, was %s %v", name, p.Hash, uids(p), base.Hash, uids(base))
		}
	}
}

// TestOtherJob: what changes the meaning of state makes another job, and
// leaves what is below the change the same.
func TestOtherJob(t *testing.T) {
	base := mustPlan(t, uidScript)
	for name, text := range map[string]string{
		"topic":     strings.Replace(uidScript, "'in'", "'in2'", 1),
		"condition": strings.Replace(uidScript, "v > 1", "v > 2", 1),
		"aggregate": strings.Replace(uidScript, "COUNT(*)", "COUNT(v)", 1),
		"sink":      strings.Replace(uidScript, "'out'", "'out2'", 1),
	} {
		if p := mustPlan(t, text); p.Hash == base.Hash {
			t.Errorf("%s: the same job", name)
		}
	}
	p := mustPlan(t, strings.Replace(uidScript, "'out'", "'out2'", 1))
	if a, b := uids(p), uids(base); !slices.Equal(a[:len(a)-1], b[:len(b)-1]) {
		t.Errorf("another sink changed operators below it: %v, were %v", a, b)
	}
}

// TestUnique: no two nodes of a plan share a UID, not even two equal sinks.
func TestUnique(t *testing.T) {
	p := mustPlan(t, uidScript+`
INSERT INTO dst SELECT k, COUNT(*) FROM src WHERE v > 1 GROUP BY k;
INSERT INTO dst SELECT k, COUNT(*) FROM src WHERE v > 1 GROUP BY k HAVING COUNT(*) > 1;`)
	seen := map[string]bool{}
	for _, n := range p.Nodes {
		if seen[n.UID] {
			t.Errorf("UID %s of %s is taken", n.UID, n.Title())
		}
		seen[n.UID] = true
	}
}
