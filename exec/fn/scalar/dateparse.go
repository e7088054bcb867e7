package scalar

import (
	"bytes"
	"strings"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// parse reads a wall clock by the pattern. Parts that the pattern does not
// have are those of 1970-01-01 00:00:00. Text of another form that is
// yyyy-M-d[ H:m:s[.f]] is taken too, as in Flink.
func (p datePattern) parse(s []byte) (us, ns int64, ok bool) {
	t := civilTime{year: 1970, month: 1, day: 1}
	rest, pm := s, -1
	for i := range p {
		if rest, ok = p.read(i, rest, &t, &pm); !ok {
			return vec.ParseTimestamp(bytes.TrimSpace(s), 9)
		}
	}
	if pm >= 0 {
		t.hour = t.hour%12 + int64(pm)*12
	}
	if len(rest) > 0 || t.hour > 23 || t.min > 59 || t.sec > 59 || t.month < 1 || t.month > 12 || t.day < 1 || t.day > 31 {
		return vec.ParseTimestamp(bytes.TrimSpace(s), 9)
	}
	t.day = min(t.day, vec.MonthLength(t.year, t.month))
	return t.micros(), t.nanos % 1000, true
}

// read takes piece i off the front of s.
func (p datePattern) read(i int, s []byte, t *civilTime, pm *int) ([]byte, bool) {
	e := p[i]
	switch e.letter {
	case 0:
		rest, ok := bytes.CutPrefix(s, []byte(e.text))
		return rest, ok
	case 'a':
		return readHalf(s, pm)
	case 'E', 'e', 'Y', 'w', 'Q':
		return s, false
	case 'M', 'L':
		if e.n > 2 {
			return readMonth(s, e.n, t)
		}
	case 'S':
		return readFraction(s, e.n, t)
	}
	x, n := int64(0), 0
	least, most := e.width(i+1 < len(p) && p[i+1].letter != 0)
	for n < len(s) && n < most && s[n]-'0' <= 9 {
		x = x*10 + int64(s[n]-'0')
		n++
	}
	if n < least {
		return s, false
	}
	e.set(t, x)
	return s[n:], true
}

// width is the number of digits that may be read: exactly the letters, where
// they are more than one or another number follows; else up to 19.
func (e piece) width(followed bool) (least, most int) {
	switch {
	case e.letter == 'y' && e.n != 2 && !followed, e.letter == 'u' && e.n != 2 && !followed:
		return e.n, max(e.n, 4)
	case e.n == 1 && !followed:
		return 1, 19
	}
	return e.n, e.n
}

func (e piece) set(t *civilTime, x int64) {
	switch e.letter {
	case 'y', 'u':
		if e.n == 2 {
			x += 2000
		}
		t.year = x
	case 'M', 'L':
		t.month = int(x)
	case 'd':
		t.day = int(x)
	case 'H', 'h', 'K':
		t.hour = x
	case 'k':
		t.hour = x % 24
	case 'm':
		t.min = x
	case 's':
		t.sec = x
	}
}

func readHalf(s []byte, pm *int) ([]byte, bool) {
	if len(s) < 2 {
		return s, false
	}
	switch strings.ToUpper(string(s[:2])) {
	case "AM":
		*pm = 0
	case "PM":
		*pm = 1
	default:
		return s, false
	}
	return s[2:], true
}

func readMonth(s []byte, n int, t *civilTime) ([]byte, bool) {
	for i, name := range monthNames {
		if n == 3 {
			name = name[:3]
		}
		if rest, ok := bytes.CutPrefix(s, []byte(name)); ok {
			t.month = i + 1
			return rest, true
		}
	}
	return s, false
}

func readFraction(s []byte, n int, t *civilTime) ([]byte, bool) {
	if len(s) < n {
		return s, false
	}
	t.nanos = 0
	for i := range max(n, 9) {
		d := int64(0)
		if i < n {
			if d = int64(s[i] - '0'); d > 9 || s[i] < '0' {
				return s, false
			}
		}
		if i < 9 {
			t.nanos = t.nanos*10 + d
		}
	}
	return s[n:], true
}

// datePatterns keeps the last pattern compiled; nil for an invalid one.
type datePatterns struct {
	last  string
	p     datePattern
	valid bool
}

func (c *datePatterns) of(pattern []byte) (datePattern, error) {
	if c.valid && c.last == string(pattern) {
		return c.p, nil
	}
	p, err := compileDatePattern(string(pattern))
	c.last, c.p, c.valid = string(pattern), p, err == nil
	return p, err
}
