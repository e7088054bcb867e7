package ast

import "strconv"

// Pos is a place in the original text. Line and Col are 1-based; Col counts
// characters, not bytes. The zero Pos means "nowhere".
type Pos struct{ Line, Col int }

// Position returns the place of the node that embeds p.
func (p Pos) Position() Pos { return p }

// IsValid tells whether p is a place.
func (p Pos) IsValid() bool { return p.Line > 0 }

// Before tells whether p stands earlier in the text than o.
func (p Pos) Before(o Pos) bool {
	return p.Line < o.Line || p.Line == o.Line && p.Col < o.Col
}

// String gives "line 3:14".
func (p Pos) String() string {
	return "line " + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Col)
}

// Node is anything in a tree that has a place in the text.
type Node interface{ Position() Pos }

// Ident is a name as written, without quotes. Names are case-sensitive.
type Ident struct {
	Pos
	Name string
	// Quoted: it was written in backquotes, so it is never a keyword.
	Quoted bool
}

// Path is a dotted name: a table `cat.db.t`, a function, a column with fields.
type Path struct {
	Pos
	Parts []Ident
}

// Last returns the last part's name, or "" of an empty path.
func (p Path) Last() string {
	if len(p.Parts) == 0 {
		return ""
	}
	return p.Parts[len(p.Parts)-1].Name
}

// Names returns the parts as plain strings.
func (p Path) Names() []string {
	names := make([]string, len(p.Parts))
	for i, id := range p.Parts {
		names[i] = id.Name
	}
	return names
}

// String gives the path with dots and without quotes, for messages.
func (p Path) String() string {
	s := ""
	for i, id := range p.Parts {
		if i > 0 {
			s += "."
		}
		s += id.Name
	}
	return s
}

// Option is one 'key' = 'value' of a WITH clause.
type Option struct {
	Pos
	Key, Value string
	ValuePos   Pos
}

// Hint is one hint of /*+ … */: OPTIONS('k' = 'v'), STATE_TTL('a' = '1d'), BROADCAST(t).
type Hint struct {
	Pos
	Name string
	Args []HintArg
}

// HintArg is one argument of a hint: Key = Value, or a bare Value when Key is "".
type HintArg struct {
	Pos
	Key, Value string
	// Quoted: the value (and the key, if there is one) were strings.
	Quoted bool
}
