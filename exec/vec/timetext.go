package vec

// chars is text that is parsed.
type chars interface{ ~string | ~[]byte }

// digits reads from n to m decimal digits from position i on.
func digits[T chars](s T, i, n, m int) (x int64, next int, ok bool) {
	start := i
	for i < len(s) && i-start < m && s[i]-'0' <= 9 {
		x = x*10 + int64(s[i]-'0')
		i++
	}
	return x, i, i-start >= n
}

// ParseDate reads yyyy-MM-dd with one or two digits of month and day, and the
// short forms yyyy and yyyy-MM; a time of day behind a blank is ignored. The
// date must exist.
func ParseDate[T chars](s T) (days int64, ok bool) {
	for i := range len(s) {
		if s[i] == ' ' && i > 0 {
			s = s[:i]
			break
		}
	}
	y, i, ok := digits(s, 0, 1, 4)
	m, d := int64(1), int64(1)
	if ok && i < len(s) {
		m, i, ok = part(s, i, '-')
	}
	if ok && i < len(s) {
		d, i, ok = part(s, i, '-')
	}
	if !ok || i != len(s) || !dateExists(y, m, d) {
		return 0, false
	}
	return DaysOf(y, int(m), int(d)), true
}

func dateExists(y, m, d int64) bool {
	return y >= 1 && m >= 1 && m <= 12 && d >= 1 && int(d) <= MonthLength(y, int(m))
}

// part reads a separator and one or two digits.
func part[T chars](s T, i int, separator byte) (int64, int, bool) {
	if i >= len(s) || s[i] != separator {
		return 0, i, false
	}
	return digits(s, i+1, 1, 2)
}

// ParseTime reads h:m[:s[.fraction]] as µs of the day and the ns below.
func ParseTime[T chars](s T) (us, ns int64, ok bool) {
	h, i, ok := digits(s, 0, 1, 2)
	if !ok {
		return 0, 0, false
	}
	var m, sec int64
	if i < len(s) {
		m, i, ok = part(s, i, ':')
	}
	if ok && i < len(s) {
		sec, i, ok = part(s, i, ':')
	}
	if !ok || h > 23 || m > 59 || sec > 59 {
		return 0, 0, false
	}
	frac, ok := fraction(s, i)
	return ((h*60+m)*60+sec)*1_000_000 + frac/1000, frac % 1000, ok
}

// fraction reads .f… up to the end, as ns; digits beyond nine are cut.
func fraction[T chars](s T, i int) (ns int64, ok bool) {
	if i == len(s) {
		return 0, true
	}
	if s[i] != '.' || i+1 == len(s) {
		return 0, false
	}
	scale := int64(100_000_000)
	for i++; i < len(s); i++ {
		if s[i]-'0' > 9 {
			return 0, false
		}
		ns += int64(s[i]-'0') * scale
		scale /= 10
	}
	return ns, true
}

// ParseTimestamp reads yyyy-MM-dd[ HH:mm:ss[.fraction]] as µs since 1970 and
// the ns below, and cuts them to precision.
func ParseTimestamp[T chars](s T, precision int) (us, ns int64, ok bool) {
	day, i, ok := fullDate(s)
	if !ok {
		return 0, 0, false
	}
	if i == len(s) {
		return day * microsPerDay, 0, true
	}
	if s[i] != ' ' || colons(s[i:]) != 2 {
		return 0, 0, false
	}
	us, ns, ok = ParseTime(s[i+1:])
	us, ns = CutFraction(day*microsPerDay+us, ns, precision)
	return us, ns, ok
}

func colons[T chars](s T) (n int) {
	for i := range len(s) {
		if s[i] == ':' {
			n++
		}
	}
	return n
}

func fullDate[T chars](s T) (days int64, next int, ok bool) {
	y, i, ok := digits(s, 0, 4, 4)
	var m, d int64
	if ok {
		m, i, ok = part(s, i, '-')
	}
	if ok {
		d, i, ok = part(s, i, '-')
	}
	if !ok || !dateExists(y, m, d) {
		return 0, 0, false
	}
	return DaysOf(y, int(m), int(d)), i, true
}

// CutFraction drops what a timestamp of the given precision cannot hold,
// rounding down.
func CutFraction(us, ns int64, precision int) (int64, int64) {
	if precision >= 9 {
		return us, ns
	}
	if precision > 6 {
		d := Pow10[9-precision]
		return us, ns - ns%d
	}
	d := Pow10[6-precision]
	return floorDiv(us, d) * d, 0
}
