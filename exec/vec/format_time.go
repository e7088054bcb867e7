package vec

import (
	"strconv"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// AppendDate writes a number of days since 1970-01-01 as yyyy-MM-dd.
func AppendDate(dst []byte, days int64) []byte {
	y, m, d := civil(days)
	dst = appendPadded(dst, y, 4)
	dst = appendPadded(append(dst, '-'), int64(m), 2)
	return appendPadded(append(dst, '-'), int64(d), 2)
}

// civil is the Gregorian date of a day number, by Howard Hinnant's
// days-from-civil formula run backwards (chrono-Compatible Low-Level Date
// Algorithms).
func civil(days int64) (year int64, month, day int) {
	z := days + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy - (153*mp+2)/5 + 1)
	month = int(mp + 3)
	year = yoe + era*400
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func appendPadded(dst []byte, n int64, width int) []byte {
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	var buf [20]byte
	s := strconv.AppendInt(buf[:0], n, 10)
	for i := len(s); i < width; i++ {
		dst = append(dst, '0')
	}
	return append(dst, s...)
}

const (
	nanosPerSecond = 1_000_000_000
	microsPerDay   = 86_400_000_000
)

// clock writes a time of day with the given fraction digits. For print it is
// Java's LocalTime: no seconds if they are zero, and 3, 6 or 9 digits.
func (f Text) clock(dst []byte, nanos int64, precision int) []byte {
	sec := nanos / nanosPerSecond
	frac := nanos % nanosPerSecond
	dst = appendPadded(dst, sec/3600, 2)
	dst = appendPadded(append(dst, ':'), sec/60%60, 2)
	if f.Java && nanos%(60*nanosPerSecond) == 0 {
		return dst
	}
	dst = appendPadded(append(dst, ':'), sec%60, 2)
	if f.Java {
		precision = javaDigits(frac)
	}
	return appendFraction(dst, frac, precision)
}

func javaDigits(nanos int64) int {
	switch {
	case nanos == 0:
		return 0
	case nanos%1_000_000 == 0:
		return 3
	case nanos%1_000 == 0:
		return 6
	}
	return 9
}

func appendFraction(dst []byte, nanos int64, digits int) []byte {
	if digits == 0 {
		return dst
	}
	for i := digits; i < 9; i++ {
		nanos /= 10
	}
	return appendPadded(append(dst, '.'), nanos, digits)
}

func (f Text) timestamp(dst []byte, v *Vector, i int, t types.Type) []byte {
	us, ns := int64(0), int64(0)
	if v.Kind == I128 {
		us, ns = v.I128[i].Hi, int64(v.I128[i].Lo)
	} else {
		us = v.I64[i]
	}
	ltz := t.Kind == types.TimestampLTZ
	if ltz && f.Zone != nil && f.Zone != time.UTC && !f.Java {
		_, offset := time.UnixMicro(us).In(f.Zone).Zone()
		us += int64(offset) * 1_000_000
	}
	day := floorDiv(us, microsPerDay)
	nanos := (us-day*microsPerDay)*1000 + ns
	dst = AppendDate(dst, day)
	if !f.Java {
		return f.clock(append(dst, ' '), nanos, t.Precision)
	}
	dst = append(dst, 'T')
	if !ltz {
		return f.clock(dst, nanos, t.Precision)
	}
	// Java's Instant always shows the seconds.
	dst = Text{}.clock(dst, nanos, javaDigits(nanos%nanosPerSecond))
	return append(dst, 'Z')
}

func appendMonths(dst []byte, m int64) []byte {
	sign := byte('+')
	if m < 0 {
		sign, m = '-', -m
	}
	dst = strconv.AppendInt(append(dst, sign), m/12, 10)
	return appendPadded(append(dst, '-'), m%12, 2)
}

func appendMillis(dst []byte, ms int64) []byte {
	sign := byte('+')
	if ms < 0 {
		sign, ms = '-', -ms
	}
	const day = 86_400_000
	dst = strconv.AppendInt(append(dst, sign), ms/day, 10)
	return Text{}.clock(append(dst, ' '), ms%day*1_000_000, 3)
}
