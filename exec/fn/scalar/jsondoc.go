package scalar

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonDoc is a parsed JSON text. Its memory is used again for the next one.
type jsonDoc struct {
	text  []byte
	nodes []jsonNode
	depth int
}

// jsonNode is a value: kind is its first character ('0' for any number), raw
// its text. Members and elements are a list by next; −1 ends it.
type jsonNode struct {
	kind        byte
	start, end  int
	key         [2]int // raw text of the key, quotes included
	first, next int
}

const maxJSONDepth = 200

// parse reads a whole text; the root is node 0.
func (d *jsonDoc) parse(text []byte) bool {
	d.text, d.nodes, d.depth = text, d.nodes[:0], 0
	end, ok := d.value(d.space(0))
	return ok && d.space(end) == len(text)
}

func (d *jsonDoc) space(i int) int {
	for i < len(d.text) && (d.text[i] == ' ' || d.text[i] == '\t' || d.text[i] == '\n' || d.text[i] == '\r') {
		i++
	}
	return i
}

func (d *jsonDoc) value(i int) (end int, ok bool) {
	if i >= len(d.text) || d.depth > maxJSONDepth {
		return i, false
	}
	at := len(d.nodes)
	d.nodes = append(d.nodes, jsonNode{kind: d.text[i], start: i, first: -1, next: -1})
	switch c := d.text[i]; c {
	case '{', '[':
		d.depth++
		end, ok = d.list(at, i, c+2, c == '{')
		d.depth--
	case '"':
		end, ok = d.str(i)
	case 't':
		end, ok = i+4, bytes.HasPrefix(d.text[i:], []byte("true"))
	case 'f':
		end, ok = i+5, bytes.HasPrefix(d.text[i:], []byte("false"))
	case 'n':
		end, ok = i+4, bytes.HasPrefix(d.text[i:], []byte("null"))
	default:
		d.nodes[at].kind = '0'
		end, ok = d.number(i)
	}
	d.nodes[at].end = end
	return end, ok
}

// list reads members or elements up to the closing bracket.
func (d *jsonDoc) list(parent, i int, end byte, object bool) (int, bool) {
	i = d.space(i + 1)
	if i < len(d.text) && d.text[i] == end {
		return i + 1, true
	}
	last := -1
	for {
		var key [2]int
		var ok bool
		if object {
			key[0] = i
			if key[1], ok = d.str(i); !ok {
				return i, false
			}
			if i = d.space(key[1]); i >= len(d.text) || d.text[i] != ':' {
				return i, false
			}
			i = d.space(i + 1)
		}
		at := len(d.nodes)
		if i, ok = d.value(i); !ok {
			return i, false
		}
		d.nodes[at].key = key
		if last < 0 {
			d.nodes[parent].first = at
		} else {
			d.nodes[last].next = at
		}
		last = at
		i = d.space(i)
		if i >= len(d.text) || d.text[i] != ',' {
			break
		}
		i = d.space(i + 1)
	}
	return i + 1, i < len(d.text) && d.text[i] == end
}

func (d *jsonDoc) str(i int) (int, bool) {
	if i >= len(d.text) || d.text[i] != '"' {
		return i, false
	}
	for i++; i < len(d.text); i++ {
		switch c := d.text[i]; {
		case c == '"':
			return i + 1, true
		case c < 0x20:
			return i, false
		case c == '\\':
			n := escapeLength(d.text[i:])
			if n == 0 {
				return i, false
			}
			i += n - 1
		}
	}
	return i, false
}

// escapeLength is the length of the escape at the start of s; 0 if it is
// invalid.
func escapeLength(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	if s[1] != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), s[1]) < 0 {
			return 0
		}
		return 2
	}
	if len(s) < 6 {
		return 0
	}
	if _, err := strconv.ParseUint(string(s[2:6]), 16, 16); err != nil {
		return 0
	}
	return 6
}

func (d *jsonDoc) number(i int) (int, bool) {
	if i < len(d.text) && d.text[i] == '-' {
		i++
	}
	zero := i < len(d.text) && d.text[i] == '0'
	i, n := d.digits(i)
	if n == 0 || zero && n > 1 {
		return i, false
	}
	if i < len(d.text) && d.text[i] == '.' {
		if i, n = d.digits(i + 1); n == 0 {
			return i, false
		}
	}
	if i < len(d.text) && d.text[i]|0x20 == 'e' {
		i++
		if i < len(d.text) && (d.text[i] == '+' || d.text[i] == '-') {
			i++
		}
		if i, n = d.digits(i); n == 0 {
			return i, false
		}
	}
	return i, true
}

func (d *jsonDoc) digits(i int) (end, n int) {
	for i < len(d.text) && d.text[i]-'0' <= 9 {
		i++
		n++
	}
	return i, n
}

// raw is the text of a node.
func (d *jsonDoc) raw(at int) []byte { return d.text[d.nodes[at].start:d.nodes[at].end] }

// unquote appends the value of a JSON string, quotes included.
func unquote(dst, s []byte) []byte {
	s = s[1 : len(s)-1]
	for len(s) > 0 {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		s = s[i:]
		if s[1] != 'u' {
			dst = append(dst, map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\\': '\\', '/': '/'}[s[1]])
			s = s[2:]
			continue
		}
		c := hexRune(s)
		s = s[6:]
		if utf16.IsSurrogate(c) && len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
			if r := utf16.DecodeRune(c, hexRune(s)); r != utf8.RuneError {
				c, s = r, s[6:]
			}
		}
		dst = utf8.AppendRune(dst, c)
	}
	return dst
}

func hexRune(s []byte) rune {
	n, _ := strconv.ParseUint(string(s[2:6]), 16, 16)
	return rune(n)
}

// write appends a node without blanks and with the keys of objects in order.
func (d *jsonDoc) write(dst []byte, at int) []byte {
	n := d.nodes[at]
	switch n.kind {
	case '[':
		dst = append(dst, '[')
		for c := n.first; c >= 0; c = d.nodes[c].next {
			if c != n.first {
				dst = append(dst, ',')
			}
			dst = d.write(dst, c)
		}
		return append(dst, ']')
	case '{':
		return d.writeObject(dst, n)
	case '"':
		return quoteJSON(dst, unquote(nil, d.raw(at)))
	}
	if n.kind == '0' {
		return appendJSONNumber(dst, d.raw(at))
	}
	return append(dst, d.raw(at)...)
}

func (d *jsonDoc) writeObject(dst []byte, n jsonNode) []byte {
	var members []int
	for c := n.first; c >= 0; c = d.nodes[c].next {
		members = append(members, c)
	}
	slices.SortStableFunc(members, func(a, b int) int { return bytes.Compare(d.key(a), d.key(b)) })
	dst = append(dst, '{')
	for i, c := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(quoteJSON(dst, d.key(c)), ':')
		dst = d.write(dst, c)
	}
	return append(dst, '}')
}

func (d *jsonDoc) key(at int) []byte {
	k := d.nodes[at].key
	return unquote(nil, d.text[k[0]:k[1]])
}

// quoteJSON appends s as a JSON string.
func quoteJSON(dst, s []byte) []byte {
	dst = append(dst, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= 0x20:
			dst = append(dst, c)
		default:
			dst = escapeControl(dst, c)
		}
	}
	return append(dst, '"')
}

func escapeControl(dst []byte, c byte) []byte {
	if i := bytes.IndexByte([]byte("\b\f\n\r\t"), c); i >= 0 {
		return append(dst, '\\', "bfnrt"[i])
	}
	const hex = "0123456789ABCDEF"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
