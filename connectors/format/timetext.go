package format

import "github.com/sqlstream/sqlstream/exec/vec"

// timeReader reads the fixed forms of dates and times in messages:
// "2024-01-31 10:11:12.5" (SQL) or with 'T' (ISO-8601), with Z for an
// instant. It keeps the last date, for consecutive records mostly share it.
type timeReader struct {
	iso, zulu bool
	last      [10]byte
	lastDays  int64
	lastOK    bool

	minute   [16]byte // the last "2024-01-31 10:11"
	minuteUS int64
	minuteOK bool
}

// millis returns µs since 1970 of a timestamp with three digits of a second's
// fraction; not ok if it is none, has a zone, or is of another form.
func (r *timeReader) millis(s []byte) (us int64, ok bool) {
	if len(s) != 23 || r.zulu {
		return 0, false
	}
	if !r.minuteOK || string(s[:16]) != string(r.minute[:]) {
		if us, _, ok = r.timestamp(s, 3); ok {
			copy(r.minute[:], s)
			r.minuteUS, r.minuteOK = us-us%60_000_000, true
			if us < 0 && us%60_000_000 != 0 {
				r.minuteUS -= 60_000_000
			}
		}
		return us, ok
	}
	sec, a, b, c := two(s[17:]), s[20]-'0', s[21]-'0', s[22]-'0'
	if sec < 0 || sec > 59 || s[16] != ':' || s[19] != '.' || max(a, b, c) > 9 {
		return 0, false
	}
	return r.minuteUS + int64(sec*1000+int(a)*100+int(b)*10+int(c))*1000, true
}

// timestamp returns µs since 1970 and the remaining ns, cut to the
// precision.
func (r *timeReader) timestamp(s []byte, precision int) (us int64, ns int, ok bool) {
	if r.zulu {
		if len(s) == 0 || s[len(s)-1] != 'Z' {
			return 0, 0, false
		}
		s = s[:len(s)-1]
	}
	sep := byte(' ')
	if r.iso {
		sep = 'T'
	}
	if len(s) < 16 || s[10] != sep {
		return 0, 0, false
	}
	days, ok := r.date(s[:10])
	if !ok {
		return 0, 0, false
	}
	nanos, ok := clockNanos(s[11:], r.iso)
	if !ok {
		return 0, 0, false
	}
	nanos -= nanos % unitNanos[min(precision, 9)]
	return days*86_400_000_000 + nanos/1000, int(nanos % 1000), true
}

// unitNanos is the length of the last kept digit in ns, by precision.
var unitNanos = [...]int64{1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 10, 1}

// clock returns µs of the day of "10:11:12.5".
func (r *timeReader) clock(s []byte, precision int) (us int64, ok bool) {
	if r.zulu && len(s) > 0 && s[len(s)-1] == 'Z' {
		s = s[:len(s)-1]
	}
	nanos, ok := clockNanos(s, r.iso)
	if !ok {
		return 0, false
	}
	return (nanos - nanos%unitNanos[min(precision, 9)]) / 1000, true
}

// date returns days since 1970 of "2024-01-31".
func (r *timeReader) date(s []byte) (days int64, ok bool) {
	if len(s) != 10 {
		return 0, false
	}
	if r.lastOK && string(s) == string(r.last[:]) {
		return r.lastDays, true
	}
	y1, y2, m, d := two(s), two(s[2:]), two(s[5:]), two(s[8:])
	if y1|y2|m|d < 0 || s[4] != '-' || s[7] != '-' {
		return 0, false
	}
	year := y1*100 + y2
	if m < 1 || m > 12 || d < 1 || d > vec.MonthLength(int64(year), m) {
		return 0, false
	}
	copy(r.last[:], s)
	r.lastDays, r.lastOK = vec.DaysOf(int64(year), m, d), true
	return r.lastDays, true
}

// two reads two digits, or is negative.
func two(s []byte) int {
	a, b := s[0]-'0', s[1]-'0'
	if a > 9 || b > 9 {
		return -1
	}
	return int(a)*10 + int(b)
}

// clockNanos reads "10:11:12" with up to nine fraction digits; seconds may be
// left out where ISO-8601 allows it.
func clockNanos(s []byte, iso bool) (int64, bool) {
	if iso && len(s) == 5 {
		s = append(append(make([]byte, 0, 8), s...), ":00"...)
	}
	if len(s) < 8 || s[2] != ':' || s[5] != ':' {
		return 0, false
	}
	h, m, sec := two(s), two(s[3:]), two(s[6:])
	if h|m|sec < 0 || h > 23 || m > 59 || sec > 59 {
		return 0, false
	}
	nanos := int64(h*3600+m*60+sec) * 1e9
	if len(s) == 8 {
		return nanos, true
	}
	if s[8] != '.' || len(s) == 9 || len(s) > 18 {
		return 0, false
	}
	unit := int64(1e8)
	for _, c := range s[9:] {
		if c-'0' > 9 {
			return 0, false
		}
		nanos += int64(c-'0') * unit
		unit /= 10
	}
	return nanos, true
}
