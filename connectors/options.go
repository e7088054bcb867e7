package connectors

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Options are the checked options of one table: every key is known, every
// value is of its kind.
type Options struct {
	given map[string]string
	known []Option
}

// NewOptions checks the given options against the known ones. The error
// names the key, what is wrong and the nearest known key.
func NewOptions(given map[string]string, known []Option) (*Options, error) {
	for _, key := range sortedKeys(given) {
		o := find(known, key)
		if o == nil {
			return nil, &OptionError{key, unknownOption(key, known)}
		}
		if o.Unsupported {
			return nil, &OptionError{key, &UnsupportedError{fmt.Sprintf("option '%s' is not supported yet", key)}}
		}
		if err := o.check(given[key]); err != nil {
			return nil, &OptionError{key, err}
		}
	}
	for _, o := range known {
		if _, ok := given[o.Key]; o.Required && !ok {
			return nil, fmt.Errorf("option '%s' is missing: %s", o.Key, o.Doc)
		}
	}
	return &Options{given: given, known: known}, nil
}

// UnsupportedError is a refusal because the engine lacks something, not
// because the user erred.
type UnsupportedError struct{ Msg string }

func (e *UnsupportedError) Error() string { return e.Msg }

// OptionError is about one option, whose place in the text the caller may
// know. The message names the key.
type OptionError struct {
	Key string
	Err error
}

func (e *OptionError) Error() string { return e.Err.Error() }
func (e *OptionError) Unwrap() error { return e.Err }

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func find(known []Option, key string) *Option {
	for i := range known {
		if known[i].Key == key {
			return &known[i]
		}
	}
	for i := range known {
		if known[i].matches(key) {
			return &known[i]
		}
	}
	return nil
}

func unknownOption(key string, known []Option) error {
	var names []string
	for _, o := range known {
		if !strings.ContainsAny(o.Key, "*#") {
			names = append(names, o.Key)
		}
	}
	if s := Nearest(key, names); s != "" {
		return fmt.Errorf("unknown option '%s'; did you mean '%s'?", key, s)
	}
	sort.Strings(names)
	return fmt.Errorf("unknown option '%s'; known are %s", key, strings.Join(names, ", "))
}

// Nearest returns the candidate that is closest to word, or "" if none is
// close (an edit distance of at most a third of the word's length).
func Nearest(word string, candidates []string) string {
	best, bestDistance := "", len(word)/3+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// distance is Levenshtein's.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}

// Given tells whether the user wrote the key.
func (o *Options) Given(key string) bool { _, ok := o.given[key]; return ok }

// Text is the value of the key, or its default.
func (o *Options) Text(key string) string {
	if v, ok := o.given[key]; ok {
		return v
	}
	if k := find(o.known, key); k != nil {
		return k.Default
	}
	panic(fmt.Sprintf("connectors: option %q is not described", key))
}

// Enum is Text in lower case.
func (o *Options) Enum(key string) string { return strings.ToLower(o.Text(key)) }

// Int is the value as an integer; 0 if it was not given and has no default.
func (o *Options) Int(key string) int64 {
	n, _ := strconv.ParseInt(strings.TrimSpace(o.Text(key)), 10, 64)
	return n
}

// Bool is the value as a boolean.
func (o *Options) Bool(key string) bool { b, _ := parseBool(o.Text(key)); return b }

// Duration is the value as a duration.
func (o *Options) Duration(key string) time.Duration {
	if o.Text(key) == "" {
		return 0
	}
	d, _ := ParseDuration(o.Text(key))
	return d
}

// Size is the value in bytes.
func (o *Options) Size(key string) int64 {
	if o.Text(key) == "" {
		return 0
	}
	n, _ := ParseSize(o.Text(key))
	return n
}

// List is the value split at ';', without blanks around the parts.
func (o *Options) List(key string) []string {
	var parts []string
	for _, p := range strings.Split(o.Text(key), ";") {
		if p = strings.TrimSpace(p); p != "" {
			parts = append(parts, p)
		}
	}
	return parts
}

// Prefixed returns the given options under a prefix ("properties."), keys
// without it.
func (o *Options) Prefixed(prefix string) map[string]string {
	m := map[string]string{}
	for k, v := range o.given {
		if rest, ok := strings.CutPrefix(k, prefix); ok {
			m[rest] = v
		}
	}
	return m
}

// All returns what was given, secrets masked, sorted by key, for SHOW CREATE
// TABLE and EXPLAIN.
func (o *Options) All() [][2]string {
	var all [][2]string
	for _, k := range sortedKeys(o.given) {
		v := o.given[k]
		if d := find(o.known, k); d != nil && d.Secret {
			v = "******"
		}
		all = append(all, [2]string{k, v})
	}
	return all
}
