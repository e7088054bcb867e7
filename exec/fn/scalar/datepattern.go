package scalar

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// piece is a run of one letter of a Java date pattern, or literal text.
type piece struct {
	letter byte // 0: literal
	n      int
	text   string
}

// datePattern formats and parses times by a pattern of Java's
// DateTimeFormatter: letters y u Y M L Q w d H h K k m s S a E e D, quoted text,
// and other characters as they are. Y, w and e are of weeks from Sunday on, the
// first of which has January 1.
type datePattern []piece

func compileDatePattern(pattern string) (datePattern, error) {
	var p datePattern
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case c == '\'':
			text, n, ok := quotedText(pattern[i:])
			if !ok {
				return nil, fmt.Errorf("date pattern '%s' has a quote that never ends", pattern)
			}
			p = append(p, piece{text: text})
			i += n
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			n := 1
			for i+n < len(pattern) && pattern[i+n] == c {
				n++
			}
			if strings.IndexByte("yuYMLQwdHhKkmsSaEeD", c) < 0 {
				return nil, fmt.Errorf("letter %c of date pattern '%s' is not supported", c, pattern)
			}
			p = append(p, piece{letter: c, n: n})
			i += n
		default:
			p = append(p, piece{text: pattern[i : i+1]})
			i++
		}
	}
	return p, nil
}

// quotedText is the text in quotes at the start of s, and how long that is
// there; two quotes stand for one.
func quotedText(s string) (string, int, bool) {
	if strings.HasPrefix(s, "''") {
		return "'", 2, true
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != '\'' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '\'' {
			b.WriteByte('\'')
			i++
			continue
		}
		return b.String(), i + 1, true
	}
	return "", 0, false
}

var monthNames = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
var dayNames = []string{"Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"} // 1970-01-01 was a Thursday

// weekday counts from Sunday, which is 0.
func (t civilTime) weekday() int64 { return modulo(t.days+4, 7) }

// week is the number of the week, and the year it is counted in.
func (t civilTime) week() (year, week int64) {
	sunday := t.days - t.weekday()
	year, _, _ = vec.CivilOf(sunday + 6)
	first := civilTime{days: vec.DaysOf(year, 1, 1)}
	return year, (sunday-first.days+first.weekday())/7 + 1
}

// civilTime is a wall clock in parts.
type civilTime struct {
	days, year     int64
	month, day     int
	hour, min, sec int64
	nanos          int64
}

func civilOf(us, ns int64) civilTime {
	days := vec.FloorDiv(us, dayMicros)
	t := civilTime{days: days}
	t.year, t.month, t.day = vec.CivilOf(days)
	us -= days * dayMicros
	sec := us / 1e6
	t.hour, t.min, t.sec, t.nanos = sec/3600, sec/60%60, sec%60, us%1e6*1000+ns
	return t
}

func (t civilTime) micros() int64 {
	return vec.DaysOf(t.year, t.month, t.day)*dayMicros + ((t.hour*60+t.min)*60+t.sec)*1e6 + t.nanos/1000
}

// unit is the shortest time, in µs, that the text shows; 0 for fractions of
// seconds.
func (p datePattern) unit() int64 {
	unit := int64(dayMicros)
	for _, e := range p {
		switch e.letter {
		case 'S':
			return 0
		case 's':
			unit = min(unit, 1_000_000)
		case 'm':
			unit = min(unit, 60_000_000)
		case 'H', 'h', 'K', 'k', 'a':
			unit = min(unit, 3_600_000_000)
		}
	}
	return unit
}

// append formats the wall clock.
func (p datePattern) append(dst []byte, us, ns int64) []byte {
	t := civilOf(us, ns)
	for _, e := range p {
		dst = e.append(dst, t)
	}
	return dst
}

func (e piece) append(dst []byte, t civilTime) []byte {
	switch e.letter {
	case 0:
		return append(dst, e.text...)
	case 'y', 'u':
		return paddedYear(dst, t.year, e.n)
	case 'Y':
		year, _ := t.week()
		return paddedYear(dst, year, e.n)
	case 'Q':
		return quarter(dst, int64(t.month+2)/3, e.n)
	case 'M', 'L':
		return named(dst, monthNames[t.month-1], int64(t.month), e.n)
	case 'E':
		return named(dst, dayNames[modulo(t.days, 7)], 0, max(e.n, 3))
	case 'e':
		return named(dst, dayNames[modulo(t.days, 7)], t.weekday()+1, e.n)
	case 'a':
		if t.hour < 12 {
			return append(dst, "AM"...)
		}
		return append(dst, "PM"...)
	case 'S':
		var buf [9]byte
		digits := padded(buf[:0], t.nanos, 9)
		for len(digits) < e.n {
			digits = append(digits, '0')
		}
		return append(dst, digits[:e.n]...)
	}
	return padded(dst, e.number(t), e.n)
}

func (e piece) number(t civilTime) int64 {
	switch e.letter {
	case 'd':
		return int64(t.day)
	case 'D':
		return t.days - vec.DaysOf(t.year, 1, 1) + 1
	case 'H':
		return t.hour
	case 'k':
		return (t.hour+23)%24 + 1
	case 'h':
		return (t.hour+11)%12 + 1
	case 'K':
		return t.hour % 12
	case 'm':
		return t.min
	case 'w':
		_, week := t.week()
		return week
	}
	return t.sec
}

func quarter(dst []byte, q int64, n int) []byte {
	switch n {
	case 3:
		return padded(append(dst, 'Q'), q, 1)
	case 4:
		return append(padded(dst, q, 1), [...]string{"st", "nd", "rd", "th"}[q-1]+" quarter"...)
	}
	return padded(dst, q, min(n, 2))
}

func paddedYear(dst []byte, year int64, n int) []byte {
	if n == 2 {
		return padded(dst, modulo(year, 100), 2)
	}
	return padded(dst, year, n)
}

// named is a number for up to two letters, a short name for three, one of a
// letter for five, else the long one.
func named(dst []byte, name string, number int64, n int) []byte {
	switch {
	case n <= 2:
		return padded(dst, number, n)
	case n == 3:
		return append(dst, name[:3]...)
	case n == 5:
		return append(dst, name[0])
	}
	return append(dst, name...)
}

func padded(dst []byte, x int64, width int) []byte {
	if x < 0 {
		dst, x = append(dst, '-'), -x
	}
	if width == 2 && x < 100 {
		return append(dst, byte('0'+x/10), byte('0'+x%10))
	}
	var buf [20]byte
	digits := strconv.AppendInt(buf[:0], x, 10)
	for i := len(digits); i < width; i++ {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}
