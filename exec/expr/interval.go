package expr

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// YearMonth and DaySecond are the two interval types; the units an interval
// was written with are not kept, as in Flink.
func YearMonth() types.Type { return types.Type{Kind: types.IntervalYearMonth, Unit: types.UnitMonth} }

// DaySecond is an interval in milliseconds.
func DaySecond() types.Type {
	return types.Type{Kind: types.IntervalDaySecond, Unit: types.UnitSecond, Scale: 3}
}

// field is one unit of an interval, and what may stand before the next one.
type field struct {
	name      string
	size      int64 // in months or ms
	limit     int64 // a later field must be below it
	separator string
}

var (
	monthFields = []field{{"YEAR", 12, 0, ""}, {"MONTH", 1, 12, "-"}}
	timeFields  = []field{{"DAY", 86_400_000, 0, ""}, {"HOUR", 3_600_000, 24, " "}, {"MINUTE", 60_000, 60, ":"}, {"SECOND", 1000, 60, ":"}}
	singleUnits = map[string]int64{"QUARTER": 3, "WEEK": 7 * 86_400_000}
)

// Interval is INTERVAL [-]'text' from[(precision)] [TO to]. The leading field
// has at most two digits unless precision (else −1) says more.
func Interval(text string, negative bool, from, to string, precision int) (*Literal, error) {
	from, to = strings.ToUpper(from), strings.ToUpper(to)
	if to == "" {
		to = from
	}
	t, fields, ok := intervalFields(from, to)
	if !ok {
		return nil, fmt.Errorf("there is no interval %s TO %s", from, to)
	}
	if precision < 0 {
		precision = 2
	}
	n, err := intervalValue(strings.TrimSpace(text), fields, precision)
	if err != nil {
		return nil, fmt.Errorf("INTERVAL '%s' %s: %w", text, rangeText(from, to), err)
	}
	if negative {
		n = -n
	}
	l := i64(t.Kind, n)
	l.T = t.Nullable(false)
	return l, nil
}

func rangeText(from, to string) string {
	if from == to {
		return from
	}
	return from + " TO " + to
}

func intervalFields(from, to string) (types.Type, []field, bool) {
	if size, ok := singleUnits[from]; ok && from == to {
		t := DaySecond()
		if from == "QUARTER" {
			t = YearMonth()
		}
		return t, []field{{from, size, 0, ""}}, true
	}
	if fs, ok := between(monthFields, from, to); ok {
		return YearMonth(), fs, true
	}
	fs, ok := between(timeFields, from, to)
	return DaySecond(), fs, ok
}

func between(all []field, from, to string) ([]field, bool) {
	a, b := -1, -1
	for i, f := range all {
		if f.name == from {
			a = i
		}
		if f.name == to {
			b = i
		}
	}
	if a < 0 || b < a {
		return nil, false
	}
	return all[a : b+1], true
}

func intervalValue(text string, fields []field, precision int) (int64, error) {
	sign := int64(1)
	switch {
	case strings.HasPrefix(text, "-"):
		sign, text = -1, text[1:]
	case strings.HasPrefix(text, "+"):
		text = text[1:]
	}
	var total int64
	for i, f := range fields {
		part := text
		if i+1 < len(fields) {
			next := fields[i+1]
			var ok bool
			if part, text, ok = strings.Cut(text, next.separator); !ok {
				return 0, fmt.Errorf("%s is missing", next.name)
			}
		}
		n, err := fieldValue(part, f)
		if err != nil {
			return 0, err
		}
		whole, _, _ := strings.Cut(part, ".")
		if i == 0 && len(strings.TrimLeft(whole, "0")) > precision {
			return 0, fmt.Errorf("%s has more than %d digits; write %s(%d)", whole, precision, f.name, len(whole))
		}
		if i > 0 && n >= f.limit*f.size {
			return 0, fmt.Errorf("%s must be below %d", f.name, f.limit)
		}
		total += n
	}
	return sign * total, nil
}

// fieldValue is the value of a field in months or ms; seconds may have a
// fraction.
func fieldValue(part string, f field) (int64, error) {
	whole, frac, point := strings.Cut(part, ".")
	n, err := strconv.ParseUint(whole, 10, 40)
	if err != nil || (point && f.name != "SECOND") {
		return 0, fmt.Errorf("%q is no number of %sS", part, f.name)
	}
	ms := int64(0)
	if point {
		if len(frac) > 3 {
			frac = frac[:3]
		}
		if ms, err = strconv.ParseInt(frac+strings.Repeat("0", 3-len(frac)), 10, 64); err != nil {
			return 0, fmt.Errorf("%q is no number of SECONDs", part)
		}
	}
	return int64(n)*f.size + ms, nil
}
