package connectors

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// OptionKind is how an option's text is read.
type OptionKind uint8

const (
	Text     OptionKind = iota
	Integer             // decimal
	Boolean             // true, false, in any case
	Duration            // "5 s", "500ms", "1 min", "2 h", "1 d"
	Size                // bytes: "64 kb", "1mb"
	Enum                // one of Values
	List                // separated by ';'
)

// Option describes one key of WITH (…).
type Option struct {
	Key      string // a key that ends in ".*" stands for all with that prefix; '#' stands for any one part
	Kind     OptionKind
	Default  string // as it would be written; "": none
	Required bool
	Values   []string // of an Enum
	Doc      string
	Secret   bool // masked wherever options are printed
	// Unsupported is set for a known key whose effect we lack: its use is
	// refused with "… is not supported yet".
	Unsupported bool
}

// matches tells whether the described key covers the written one.
func (o *Option) matches(key string) bool {
	if prefix, ok := strings.CutSuffix(o.Key, "*"); ok && !strings.Contains(o.Key, "#") {
		return strings.HasPrefix(key, prefix) && len(key) > len(prefix)
	}
	if !strings.Contains(o.Key, "#") {
		return o.Key == key
	}
	before, after, _ := strings.Cut(o.Key, "#")
	return strings.HasPrefix(key, before) && strings.HasSuffix(key, after) && len(key) > len(before)+len(after)
}

// check reads the text by the option's kind.
func (o *Option) check(text string) error {
	var err error
	switch o.Kind {
	case Integer:
		if _, e := strconv.ParseInt(strings.TrimSpace(text), 10, 64); e != nil {
			err = fmt.Errorf("expected an integer")
		}
	case Boolean:
		if _, e := parseBool(text); e != nil {
			err = e
		}
	case Duration:
		_, err = ParseDuration(text)
	case Size:
		_, err = ParseSize(text)
	case Enum:
		err = o.checkEnum(text)
	}
	if err != nil {
		return fmt.Errorf("option '%s' = '%s': %w", o.Key, text, err)
	}
	return nil
}

func (o *Option) checkEnum(text string) error {
	for _, v := range o.Values {
		if strings.EqualFold(v, text) {
			return nil
		}
	}
	return fmt.Errorf("expected one of '%s'", strings.Join(o.Values, "', '"))
}

func parseBool(text string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("expected 'true' or 'false'")
}

// ParseDuration reads Flink's durations: a number and an optional unit (ns,
// us, ms, s, min, h, d and their long names); without a unit milliseconds.
func ParseDuration(text string) (time.Duration, error) {
	num, unit := splitUnit(text)
	n, err := strconv.ParseInt(num, 10, 64)
	scale, ok := durationUnits[strings.ToLower(unit)]
	if err != nil || !ok || n < 0 || (n > 0 && int64(scale) > (1<<63-1)/n) {
		return 0, fmt.Errorf("expected a duration such as '500 ms', '10 s' or '5 min'")
	}
	return time.Duration(n) * scale, nil
}

var durationUnits = map[string]time.Duration{
	"": time.Millisecond, "ms": time.Millisecond, "milli": time.Millisecond, "millis": time.Millisecond,
	"millisecond": time.Millisecond, "milliseconds": time.Millisecond,
	"ns": 1, "nano": 1, "nanos": 1, "nanosecond": 1, "nanoseconds": 1,
	"us": time.Microsecond, "µs": time.Microsecond, "micro": time.Microsecond, "micros": time.Microsecond,
	"microsecond": time.Microsecond, "microseconds": time.Microsecond,
	"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
}

// ParseSize reads Flink's memory sizes: a number and an optional unit (b,
// kb, mb, gb, powers of 1024); without a unit bytes.
func ParseSize(text string) (int64, error) {
	num, unit := splitUnit(text)
	n, err := strconv.ParseInt(num, 10, 64)
	shift, ok := map[string]int{"": 0, "b": 0, "bytes": 0, "k": 10, "kb": 10, "m": 20, "mb": 20, "g": 30, "gb": 30, "t": 40, "tb": 40}[strings.ToLower(unit)]
	if err != nil || !ok || n < 0 || n > (1<<62)>>shift {
		return 0, fmt.Errorf("expected a size such as '64 kb' or '1 mb'")
	}
	return n << shift, nil
}

func splitUnit(text string) (num, unit string) {
	text = strings.TrimSpace(text)
	i := 0
	for i < len(text) && (text[i] >= '0' && text[i] <= '9' || i == 0 && text[i] == '-') {
		i++
	}
	return text[:i], strings.TrimSpace(text[i:])
}
