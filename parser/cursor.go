package parser

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// maxDepth bounds nesting, so that no text can exhaust the stack.
const maxDepth = 200

// maxChain bounds what stands in a row (operators, joins, set operations): the trees lean to the left.
const maxChain = 10000

// cursor walks over the tokens of one statement. Mistakes leave through fail
// and its like, which panic with an *Error that guard catches: recursive
// descent stays free of error plumbing, and only the first mistake counts.
type cursor struct {
	src  string
	toks []token // ends with tokEnd
	i    int
	// match holds for each bracket the index of its partner, -1 for one without and for other tokens.
	match []int32
	depth int
}

// newCursor pairs the brackets of st.
func newCursor(src string, st []token) *cursor {
	c := &cursor{src: src, toks: st, match: make([]int32, len(st))}
	var open []int32
	for i := range st {
		c.match[i] = -1
		if st[i].kind != tokOp {
			continue
		}
		switch st[i].text {
		case "(", "[":
			open = append(open, int32(i))
		case ")", "]":
			if len(open) == 0 {
				continue
			}
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if closing(st[last].text) == st[i].text {
				c.match[i], c.match[last] = last, int32(i)
			}
		}
	}
	return c
}

func closing(bracket string) string {
	if bracket == "[" {
		return "]"
	}
	return ")"
}

// guard runs f and turns its failure into an error.
func guard(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			err = r
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

func (c *cursor) tok() *token { return &c.toks[c.i] }

// peek is the token n further on; the last one when there are fewer.
func (c *cursor) peek(n int) *token {
	if c.i+n >= len(c.toks) {
		return &c.toks[len(c.toks)-1]
	}
	return &c.toks[c.i+n]
}

// take returns the current token and moves on.
func (c *cursor) take() *token {
	t := &c.toks[c.i]
	if c.i < len(c.toks)-1 {
		c.i++
	}
	return t
}

func (c *cursor) atEnd() bool { return c.tok().kind == tokEnd && c.i == len(c.toks)-1 }

// at tells whether the next tokens are these words.
func (c *cursor) at(words ...string) bool {
	for n, w := range words {
		if !c.peek(n).is(w) {
			return false
		}
	}
	return true
}

// accept takes the words if they are next.
func (c *cursor) accept(words ...string) bool {
	if !c.at(words...) {
		return false
	}
	c.i += len(words)
	return true
}

// expect takes the words, one after the other, or fails.
func (c *cursor) expect(words ...string) {
	for _, w := range words {
		if !c.accept(w) {
			c.fail(w)
		}
	}
}

func (c *cursor) atOp(op string) bool { return c.tok().op(op) }

func (c *cursor) acceptOp(op string) bool {
	if !c.atOp(op) {
		return false
	}
	c.i++
	return true
}

// expectOp takes punctuation or fails.
func (c *cursor) expectOp(op string) {
	if !c.acceptOp(op) {
		c.fail(op)
	}
}

// ident takes a name. Structural keywords need quotes to be one.
func (c *cursor) ident(what string) ast.Ident {
	t := c.tok()
	switch {
	case t.kind == tokQuoted, t.kind == tokWord && !ast.Reserved(t.val):
		c.take()
		return t.ident()
	case t.kind == tokString:
		c.failAt(t, what+" is a name, not a string", "write `"+shorten(t.val)+"`")
	case t.kind == tokWord && c.namelike():
		c.failAt(t, "expected "+what+`, found the keyword "`+t.text+`"`, "as a name it needs quotes: `"+t.text+"`")
	}
	c.fail(what)
	panic("unreachable")
}

// namelike tells whether the keyword here was meant as a name: nothing that a clause goes on with follows.
func (c *cursor) namelike() bool {
	if t := c.tok(); clauseBegins(t) && !t.is("ORDER") && !t.is("GROUP") || t.is("SELECT") || t.is("VALUES") || t.is("BY") {
		return false
	}
	t := c.peek(1)
	return t.op("(") || t.is("FROM") || t.kind == tokEnd || t.op(",") || t.op(")") || t.op(".") || t.op("=") || t.kind == tokWord && !ast.Reserved(t.val)
}

// path takes a dotted name.
func (c *cursor) path(what string) ast.Path {
	first := c.ident(what)
	p := ast.Path{Pos: first.Pos, Parts: []ast.Ident{first}}
	for c.acceptOp(".") {
		p.Parts = append(p.Parts, c.member())
	}
	return p
}

// member takes what follows a dot, where every word is a name.
func (c *cursor) member() ast.Ident {
	if c.tok().kind == tokWord {
		return c.take().ident()
	}
	return c.ident("a name after the dot")
}

// idents takes (a, b, …).
func (c *cursor) idents(what string) []ast.Ident {
	c.expectOp("(")
	var ids []ast.Ident
	c.list(func() { ids = append(ids, c.ident(what)) })
	return ids
}

// list takes item, item, … and the closing parenthesis; the opening one is taken.
func (c *cursor) list(item func()) {
	for {
		item()
		if c.acceptOp(")") {
			return
		}
		c.comma(")")
	}
}

// comma takes a comma that may not stand before end.
func (c *cursor) comma(end string) {
	t := c.tok()
	if !c.acceptOp(",") {
		c.fail(",", end)
	}
	if c.atOp(end) {
		c.failAt(t, "a comma before "+end+" has nothing behind it", "delete the comma")
	}
}

// str takes a string.
func (c *cursor) str(what string) string {
	if c.tok().kind != tokString {
		c.fail(what + " in quotes")
	}
	return c.take().val
}

// nest counts the depth of nesting around f.
func (c *cursor) nest(f func()) {
	if c.depth++; c.depth > maxDepth {
		c.failAt(c.tok(), "the statement is nested too deeply", "")
	}
	f()
	c.depth--
}

// inChain refuses the i-th link of a chain that is too long.
func (c *cursor) inChain(i int) {
	if i > maxChain {
		c.failAt(c.tok(), "the statement has too many operators, joins or set operations in a row", "")
	}
}

// textFrom is the source from the token with index from to the last one taken.
func (c *cursor) textFrom(from int) string {
	if c.i <= from {
		return ""
	}
	return c.src[c.toks[from].off:c.toks[c.i-1].end]
}

// fail refuses the current token, where one of expected would be right.
func (c *cursor) fail(expected ...string) {
	c.failBeyond(expected)
	t := c.tok()
	if t.kind == tokOdd {
		c.failAt(t, t.text+" is neither a number nor a name", "a name that begins with a digit needs quotes: `"+t.text+"`")
	}
	remedy := c.remedy(expected)
	msg := "expected " + alternatives(expected) + ", found " + t.describe()
	if len(expected) == 1 && expected[0] == ";" {
		msg = "unexpected " + strings.TrimPrefix(t.describe(), "the ")
	}
	panic(c.errorAt(t, msg, remedy))
}

// failAt refuses t.
func (c *cursor) failAt(t *token, msg, hint string) { panic(c.errorAt(t, msg, hint)) }

// unsupported refuses what the engine lacks, at t.
func (c *cursor) unsupported(t *token, what string) {
	err := c.errorAt(t, what+" is not supported yet", "")
	err.Kind = Unsupported
	panic(err)
}

func (c *cursor) errorAt(t *token, msg, hint string) *Error {
	return &Error{
		Pos: t.pos, Msg: msg, Hint: hint, Token: shorten(t.text),
		Incomplete: c.tok().kind == tokEnd && c.tok().text == "",
	}
}

// alternatives gives "a, b or c".
func alternatives(words []string) string {
	words = slices.Clone(words)
	for i, w := range words {
		if w == ";" {
			words[i] = "the end of the statement"
			continue
		}
		if !strings.ContainsAny(w, " abcdefghijklmnopqrstuvwxyz`'") && strings.ToUpper(w) == w && !isWordStart(w[0]) {
			words[i] = `"` + w + `"`
		}
	}
	last := len(words) - 1
	if last <= 0 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
