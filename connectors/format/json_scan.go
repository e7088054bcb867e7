package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonText is one message under the scanner. Positions are indexes of b.
type jsonText struct {
	b []byte
	// plain: no byte below 0x20 and no backslash occurs in b, which is good UTF-8,
	// so that a string ends at the next quote.
	plain bool
}

// maxDepth bounds nesting, so that no message can exhaust the stack.
const maxDepth = 512

var (
	errTruncated = errors.New("JSON text ends too early")
	errUTF8      = errors.New("invalid UTF-8")
	errDepth     = fmt.Errorf("JSON text is nested more than %d levels deep", maxDepth)
)

// newText looks once at all bytes, eight at a time.
func newText(b []byte) (jsonText, error) {
	high, special := classify(b)
	if high && !utf8.Valid(b) {
		return jsonText{}, errUTF8
	}
	return jsonText{b: b, plain: !special}, nil
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// classify tells whether b has bytes from 0x80, and whether it has control
// characters or backslashes. (x − n·ones) &^ x & highs is not zero if and only
// if some byte of x is below n, for n ≤ 0x80; Warren, Hacker's Delight, §6.
func classify(b []byte) (high, special bool) {
	special = bytes.IndexByte(b, '\\') >= 0
	var hi, low uint64
	for len(b) >= 32 {
		w, x := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		y, z := binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
		hi |= w | x | y | z
		low |= (w-ones*0x20)&^w | (x-ones*0x20)&^x | (y-ones*0x20)&^y | (z-ones*0x20)&^z
		b = b[32:]
	}
	for _, c := range b {
		hi |= uint64(c)
		if c < 0x20 {
			low |= 0x80
		}
	}
	return hi&highs != 0, special || low&highs != 0
}

func (t *jsonText) errorAt(i int, want string) error {
	if i >= len(t.b) {
		return errTruncated
	}
	r, _ := utf8.DecodeRune(t.b[i:])
	return fmt.Errorf("invalid JSON at byte %d: expected %s, found %q", i, want, r)
}

// space returns the first position from i on that is no white space.
func (t *jsonText) space(i int) int {
	for i < len(t.b) && (t.b[i] == ' ' || t.b[i] == '\n' || t.b[i] == '\r' || t.b[i] == '\t') {
		i++
	}
	return i
}

// str scans the string whose opening quote is at i; it returns the position
// behind the closing quote and whether the string has escapes.
func (t *jsonText) str(i int) (end int, escaped bool, err error) {
	if t.plain {
		n := bytes.IndexByte(t.b[i+1:], '"')
		if n < 0 {
			return 0, false, errTruncated
		}
		return i + n + 2, false, nil
	}
	for j := i + 1; j < len(t.b); j++ {
		switch c := t.b[j]; {
		case c == '"':
			return j + 1, escaped, nil
		case c == '\\':
			escaped = true
			if j, err = t.escape(j); err != nil {
				return 0, false, err
			}
		case c < 0x20:
			return 0, false, fmt.Errorf("invalid JSON at byte %d: control character in a string", j)
		}
	}
	return 0, false, errTruncated
}

// escape checks the escape at i and returns the position of its last byte.
func (t *jsonText) escape(i int) (int, error) {
	if i+1 >= len(t.b) {
		return 0, errTruncated
	}
	switch t.b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1, nil
	case 'u':
		if i+5 >= len(t.b) {
			return 0, errTruncated
		}
		if hex4(t.b[i+2:]) < 0 {
			return 0, t.errorAt(i+2, "four hexadecimal digits")
		}
		return i + 5, nil
	}
	return 0, t.errorAt(i+1, "an escape")
}

func hex4(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// unescape appends the value of the checked string body s to dst.
func unescape(dst, s []byte) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			dst = append(dst, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r := hex4(s[i+1:])
			i += 4
			if utf16.IsSurrogate(r) && i+6 < len(s) && s[i+1] == '\\' && s[i+2] == 'u' {
				if p := utf16.DecodeRune(r, hex4(s[i+3:])); p != utf8.RuneError {
					r, i = p, i+6
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, s[i])
		}
	}
	return dst
}

// number scans the number at i by JSON's grammar; integer says that it has
// neither fraction nor exponent.
func (t *jsonText) number(i int) (end int, integer bool, err error) {
	j := i
	if j < len(t.b) && t.b[j] == '-' {
		j++
	}
	start := j
	j = t.digits(j)
	if j == start || (j > start+1 && t.b[start] == '0') {
		return 0, false, t.errorAt(start, "a value")
	}
	integer = true
	if j < len(t.b) && t.b[j] == '.' {
		integer = false
		k := t.digits(j + 1)
		if k == j+1 {
			return 0, false, t.errorAt(k, "a digit")
		}
		j = k
	}
	if j < len(t.b) && t.b[j]|0x20 == 'e' {
		integer = false
		j++
		if j < len(t.b) && (t.b[j] == '+' || t.b[j] == '-') {
			j++
		}
		k := t.digits(j)
		if k == j {
			return 0, false, t.errorAt(k, "a digit")
		}
		j = k
	}
	return j, integer, nil
}

func (t *jsonText) digits(i int) int {
	for i < len(t.b) && t.b[i]-'0' <= 9 {
		i++
	}
	return i
}

// word checks for a literal name at i and returns the position behind it.
func (t *jsonText) word(i int, w string) (int, error) {
	if len(t.b)-i < len(w) || string(t.b[i:i+len(w)]) != w {
		return 0, t.errorAt(i, "a value")
	}
	return i + len(w), nil
}

// pass is skip with the usual cases first: a string without escapes, and a
// plain integer before a comma.
func (t *jsonText) pass(i, depth int) (int, error) {
	if i >= len(t.b) {
		return 0, errTruncated
	}
	c := t.b[i]
	if c == '"' && t.plain {
		if n := bytes.IndexByte(t.b[i+1:], '"'); n >= 0 {
			return i + n + 2, nil
		}
		return 0, errTruncated
	}
	if c-'1' <= 8 {
		j := i + 1
		for j < len(t.b) && t.b[j]-'0' <= 9 {
			j++
		}
		if j < len(t.b) && t.b[j] == ',' {
			return j, nil
		}
	}
	return t.skip(i, depth)
}

// skip checks the value at i and returns the position behind it.
func (t *jsonText) skip(i, depth int) (int, error) {
	if i >= len(t.b) {
		return 0, errTruncated
	}
	switch t.b[i] {
	case '"':
		end, _, err := t.str(i)
		return end, err
	case '{':
		return t.members(i, depth, func(_, at int) (int, error) { return t.skip(at, depth+1) })
	case '[':
		return t.elements(i, depth, func(at int) (int, error) { return t.skip(at, depth+1) })
	case 't':
		return t.word(i, "true")
	case 'f':
		return t.word(i, "false")
	case 'n':
		return t.word(i, "null")
	default:
		end, _, err := t.number(i)
		return end, err
	}
}

// members walks the object at i: f gets the position of each key's quote and
// of its value, and returns the position behind the value.
func (t *jsonText) members(i, depth int, f func(key, value int) (int, error)) (int, error) {
	if depth > maxDepth {
		return 0, errDepth
	}
	i = t.space(i + 1)
	if i < len(t.b) && t.b[i] == '}' {
		return i + 1, nil
	}
	for {
		value, err := t.key(i)
		if err != nil {
			return 0, err
		}
		end, err := f(i, value)
		if err != nil {
			return 0, err
		}
		i = t.space(end)
		if i >= len(t.b) {
			return 0, errTruncated
		}
		if t.b[i] == '}' {
			return i + 1, nil
		}
		if t.b[i] != ',' {
			return 0, t.errorAt(i, "',' or '}'")
		}
		i = t.space(i + 1)
	}
}

// key scans the key at i and returns the position of its value.
func (t *jsonText) key(i int) (value int, err error) {
	if i >= len(t.b) || t.b[i] != '"' {
		return 0, t.errorAt(i, "a quoted name")
	}
	end, _, err := t.str(i)
	if err != nil {
		return 0, err
	}
	return t.colon(end)
}

// colon steps over ':' and white space around it.
func (t *jsonText) colon(i int) (int, error) {
	i = t.space(i)
	if i >= len(t.b) || t.b[i] != ':' {
		return 0, t.errorAt(i, "':'")
	}
	return t.space(i + 1), nil
}

// elements walks the array at i: f gets the position of each element and
// returns the one behind it.
func (t *jsonText) elements(i, depth int, f func(at int) (int, error)) (int, error) {
	if depth > maxDepth {
		return 0, errDepth
	}
	i = t.space(i + 1)
	if i < len(t.b) && t.b[i] == ']' {
		return i + 1, nil
	}
	for {
		end, err := f(i)
		if err != nil {
			return 0, err
		}
		i = t.space(end)
		if i >= len(t.b) {
			return 0, errTruncated
		}
		if t.b[i] == ']' {
			return i + 1, nil
		}
		if t.b[i] != ',' {
			return 0, t.errorAt(i, "',' or ']'")
		}
		i = t.space(i + 1)
	}
}
