package parser

import (
	"regexp"
	"strconv"
	"sync"

	tidb "github.com/pingcap/tidb/pkg/parser"
	tast "github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // value nodes

	"github.com/sqlstream/sqlstream/parser/ast"
)

// grammars are TiDB parsers, which are not safe for concurrent use.
var grammars = sync.Pool{New: func() any {
	g := tidb.New()
	g.EnableWindowFunc(true)
	g.SetSQLMode(mysql.ModeANSIQuotes | mysql.ModePipesAsConcat | mysql.ModeNoBackslashEscapes)
	return g
}}

// grammar gives the normalised text to TiDB.
func (n *norm) grammar() tast.ResultSetNode {
	g := grammars.Get().(*tidb.Parser)
	defer grammars.Put(g)
	stmts, _, err := g.ParseSQL(string(n.out))
	if err != nil || len(stmts) != 1 {
		n.refused(err)
	}
	q, ok := stmts[0].(tast.ResultSetNode)
	if !ok {
		n.refused(nil)
	}
	return q
}

var columnOfError = regexp.MustCompile(`^line 1 column (\d+)`)

// refused turns TiDB's refusal into an error at the last slot before its place. The walk over the
// tokens should have found the mistake.
func (n *norm) refused(err error) {
	at := len(n.out)
	if err != nil {
		if m := columnOfError.FindStringSubmatch(err.Error()); m != nil {
			at, _ = strconv.Atoi(m[1])
		}
	}
	pos := n.slotBefore(min(at, len(n.out)))
	n.failPos(pos, fallbackMessage, "parentheses may tell what belongs together")
}

// fallbackMessage is for what TiDB refuses though the walk over the tokens did not; no such text is known.
const fallbackMessage = "the query is not understood from here on"

// slotBefore is the place of the last slot in the first at bytes of the normalised text.
func (n *norm) slotBefore(at int) ast.Pos {
	for end := at; end > 0; end-- {
		if !isDigit(n.out[end-1]) {
			continue
		}
		start := end - 1
		for start > 0 && isDigit(n.out[start-1]) {
			start--
		}
		num, err := strconv.Atoi(string(n.out[start:end]))
		if err == nil && num > 0 && num < len(n.slots) && n.slots[num].pos.IsValid() {
			return n.slots[num].pos
		}
		end = start + 1
	}
	return n.toks[0].pos
}

// queryTree takes a query from c.
func (c *cursor) queryTree() ast.Query {
	n := newNorm(c)
	n.query()
	return n.convertQuery(n.grammar())
}

// exprTree takes an expression from c. Most of those in DDL are one literal or column and need no grammar.
func (c *cursor) exprTree() ast.Expr {
	n := newNorm(c)
	n.emit("select")
	n.expr()
	if len(n.slots) == 2 && n.slots[1].build == nil && len(n.out) <= len("select `1` ") {
		return n.slots[1].leaf()
	}
	return n.convertQueryItem(n.grammar())
}
