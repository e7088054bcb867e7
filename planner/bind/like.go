package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// likeFeatures are the parts of a table that LIKE takes over or leaves out.
var likeFeatures = []string{"CONSTRAINTS", "DISTRIBUTION", "GENERATED", "METADATA", "OPTIONS", "PARTITIONS", "WATERMARKS"}

// like takes over the source table of LIKE: everything, unless its options
// say otherwise. Physical columns always come along.
func (d *definition) like(l *ast.Like) {
	p := d.b.cat.Resolve(l.Source.Names())
	src := d.b.cat.Table(p)
	if src == nil {
		if d.b.cat.View(p) != nil {
			fail(perr.New(l.Source.Pos, "LIKE needs a table, and %q is a view", l.Source).WithHint("use CREATE TABLE … AS SELECT"))
		}
		fail(d.b.noTable(l.Source, p, &scope{}))
	}
	take := d.likeOptions(l)
	for _, c := range src.Columns {
		if c.Computed != nil && !take["GENERATED"] || c.Metadata != "" && !take["METADATA"] {
			continue
		}
		d.t.Columns = append(d.t.Columns, c)
	}
	if take["OPTIONS"] {
		for k, v := range src.Options {
			d.t.Options[k] = v
		}
	}
	if take["WATERMARKS"] {
		d.t.Watermark = src.Watermark
	}
	if take["PARTITIONS"] {
		d.t.Partitions = src.Partitions
	}
	if take["CONSTRAINTS"] {
		d.t.PrimaryKey = src.PrimaryKey
	}
}

// likeOptions tells for each feature whether it comes along. Later options win
// over ALL.
func (d *definition) likeOptions(l *ast.Like) map[string]bool {
	take := map[string]bool{}
	d.overwrite = map[string]bool{"OPTIONS": true}
	all := true
	for _, o := range l.Options {
		if o.Feature == "ALL" {
			all = o.Action == "INCLUDING"
		}
	}
	for _, f := range likeFeatures {
		take[f] = all
	}
	for _, o := range l.Options {
		if o.Feature == "ALL" {
			continue
		}
		if _, ok := take[o.Feature]; !ok {
			fail(perr.New(o.Pos, "LIKE cannot %s %s", strings.ToLower(o.Action), o.Feature).WithHint("there are ALL, %s", strings.Join(likeFeatures, ", ")))
		}
		take[o.Feature] = o.Action != "EXCLUDING"
		d.overwrite[o.Feature] = o.Action == "OVERWRITING"
	}
	return take
}
