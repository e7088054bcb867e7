package scalar

import "regexp"

// patterns compiles regular expressions and keeps the last ones, for the
// pattern is nearly always a constant. Syntax is RE2's: Java's look-around,
// back references and possessive quantifiers are invalid patterns.
type patterns struct {
	last string
	re   *regexp.Regexp
	all  map[string]*regexp.Regexp
}

const maxPatterns = 256

// of is the compiled pattern; nil if it is invalid.
func (p *patterns) of(pattern []byte) *regexp.Regexp {
	if p.all != nil && string(pattern) == p.last {
		return p.re
	}
	re, ok := p.all[string(pattern)]
	if !ok {
		if p.all == nil || len(p.all) >= maxPatterns {
			p.all = map[string]*regexp.Regexp{}
		}
		re, _ = regexp.Compile(string(pattern))
		p.all[string(pattern)] = re
	}
	p.last, p.re = string(pattern), re
	return re
}
