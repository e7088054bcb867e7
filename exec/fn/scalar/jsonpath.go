package scalar

import (
	"fmt"
	"strconv"
	"strings"
)

// jsonPath is a path of SQL/JSON: lax or, as in Flink by default, strict, then
// steps to a member, an element, or all of them.
type jsonPath struct {
	lax   bool
	many  bool // a step takes all members
	steps []pathStep
}

type pathStep struct {
	key   string
	index int
	kind  byte // 'k' member, 'i' element, '*' all
}

func compilePath(text string) (*jsonPath, error) {
	p, s := &jsonPath{}, strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(s, "strict "); ok {
		s = strings.TrimSpace(rest)
	} else if rest, ok := strings.CutPrefix(s, "lax "); ok {
		p.lax, s = true, strings.TrimSpace(rest)
	}
	if !strings.HasPrefix(s, "$") {
		return nil, fmt.Errorf("JSON path '%s' must begin with $", text)
	}
	for s = s[1:]; s != ""; {
		step, n, err := pathStepOf(s)
		if err != nil {
			return nil, fmt.Errorf("JSON path '%s': %w", text, err)
		}
		p.steps, s = append(p.steps, step), s[n:]
		p.many = p.many || step.kind == '*'
	}
	return p, nil
}

func pathStepOf(s string) (pathStep, int, error) {
	if s[0] == '.' {
		end := strings.IndexAny(s[1:], ".[")
		if end < 0 {
			end = len(s) - 1
		}
		key := s[1 : 1+end]
		if key == "" || strings.ContainsAny(key, "?()@") {
			return pathStep{}, 0, fmt.Errorf("%q is not supported yet", s)
		}
		if key == "*" {
			return pathStep{kind: '*'}, 2, nil
		}
		return pathStep{kind: 'k', key: strings.Trim(key, `"`)}, 1 + end, nil
	}
	end := strings.IndexByte(s, ']')
	if s[0] != '[' || end < 0 {
		return pathStep{}, 0, fmt.Errorf("expected . or [ at %q", s)
	}
	inner := strings.TrimSpace(s[1:end])
	if inner == "*" {
		return pathStep{kind: '*'}, end + 1, nil
	}
	if n, err := strconv.Atoi(inner); err == nil {
		return pathStep{kind: 'i', index: n}, end + 1, nil
	}
	if q := s[1]; q == '\'' || q == '"' {
		if end := strings.Index(s[2:], string(q)+"]"); end >= 0 {
			return pathStep{kind: 'k', key: s[2 : 2+end]}, end + 4, nil
		}
	}
	return pathStep{}, 0, fmt.Errorf("%q is not supported yet", s[:end+1])
}

// find appends the nodes that the path leads to. It is not ok if a step before
// the first one that takes all members leads nowhere.
func (p *jsonPath) find(d *jsonDoc, dst []int) ([]int, bool) {
	at, many := append(dst[:0], 0), false
	for _, s := range p.steps {
		var next []int
		for _, n := range at {
			next = s.follow(d, n, next)
		}
		many = many || s.kind == '*'
		if len(next) == 0 && !many {
			return next, false
		}
		at = next
	}
	return at, true
}

// follow takes a step; an array is opened where a member of its elements is
// wanted only by [*], as in Flink.
func (s pathStep) follow(d *jsonDoc, at int, dst []int) []int {
	n, i := d.nodes[at], 0
	if n.kind != '{' && n.kind != '[' {
		return dst
	}
	for c := n.first; c >= 0; c = d.nodes[c].next {
		switch {
		case s.kind == '*',
			s.kind == 'k' && n.kind == '{' && d.hasKey(c, s.key),
			s.kind == 'i' && n.kind == '[' && i == s.index:
			dst = append(dst, c)
			if s.kind != '*' {
				return dst
			}
		}
		i++
	}
	return dst
}

func (d *jsonDoc) hasKey(at int, key string) bool {
	k := d.nodes[at].key
	raw := d.text[k[0]+1 : k[1]-1]
	if string(raw) == key {
		return true
	}
	return strings.IndexByte(string(raw), '\\') >= 0 && string(d.key(at)) == key
}

// jsonPaths keeps the last path compiled.
type jsonPaths struct {
	last string
	path *jsonPath
}

func (c *jsonPaths) of(text []byte) (*jsonPath, error) {
	if c.path != nil && c.last == string(text) {
		return c.path, nil
	}
	p, err := compilePath(string(text))
	c.last, c.path = string(text), p
	return p, err
}
