package exectest

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// ParseValue reads a value as CAST(x AS STRING) prints it: 12.50, TRUE, text
// or 'quoted text', 2024-02-29 10:11:12.5, [1, NULL], {k=v}, (a, b), NULL.
func ParseValue(text string, t types.Type) (vec.Value, error) {
	p := &parser{text: text}
	v, err := p.value(t)
	if err == nil && strings.TrimSpace(p.text[p.pos:]) != "" {
		err = fmt.Errorf("unexpected %q", p.text[p.pos:])
	}
	if err != nil {
		return v, fmt.Errorf("%s as %s: %w", text, t, err)
	}
	return v, nil
}

type parser struct {
	text string
	pos  int
}

func (p *parser) space() {
	for p.pos < len(p.text) && p.text[p.pos] == ' ' {
		p.pos++
	}
}

func (p *parser) eat(c byte) bool {
	p.space()
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *parser) value(t types.Type) (vec.Value, error) {
	p.space()
	if strings.HasPrefix(p.text[p.pos:], "NULL") {
		p.pos += 4
		return vec.NullValue(vec.KindOf(t)), nil
	}
	switch t.Kind {
	case types.Array:
		return p.list('[', ']', *t.Elem)
	case types.Map:
		return p.list('{', '}', *t.Key, *t.Elem)
	case types.Multiset:
		return p.list('{', '}', *t.Elem, types.Of(types.Int))
	case types.Row:
		return p.row(t)
	}
	return scalar(p.word(), t)
}

// word is quoted text, or all up to the next delimiter.
func (p *parser) word() string {
	if p.eat('\'') {
		var b strings.Builder
		for p.pos < len(p.text) {
			c := p.text[p.pos]
			p.pos++
			if c != '\'' {
				b.WriteByte(c)
			} else if p.pos < len(p.text) && p.text[p.pos] == '\'' {
				b.WriteByte(c)
				p.pos++
			} else {
				break
			}
		}
		return b.String()
	}
	n := strings.IndexAny(p.text[p.pos:], ",=)]}")
	if n < 0 {
		n = len(p.text) - p.pos
	}
	w := p.text[p.pos : p.pos+n]
	p.pos += n
	return strings.TrimSpace(w)
}

// list reads elements, or pairs with '=' between them.
func (p *parser) list(open, end byte, kinds ...types.Type) (vec.Value, error) {
	v := vec.Value{Kind: vec.List}
	if !p.eat(open) {
		return v, fmt.Errorf("expected %q at %q", open, p.text[p.pos:])
	}
	if p.eat(end) {
		return v, nil
	}
	for {
		for c, t := range kinds {
			if c > 0 && !p.eat('=') {
				return v, fmt.Errorf("expected '=' at %q", p.text[p.pos:])
			}
			e, err := p.value(t)
			if err != nil {
				return v, err
			}
			v.L = append(v.L, e)
		}
		if p.eat(end) {
			return v, nil
		}
		if !p.eat(',') {
			return v, fmt.Errorf("expected ',' or %q at %q", end, p.text[p.pos:])
		}
	}
}

func (p *parser) row(t types.Type) (vec.Value, error) {
	v := vec.Value{Kind: vec.Row}
	for i, f := range t.Fields {
		want := byte(',')
		if i == 0 {
			want = '('
		}
		if !p.eat(want) {
			return v, fmt.Errorf("expected %q at %q", want, p.text[p.pos:])
		}
		e, err := p.value(f.Type)
		if err != nil {
			return v, err
		}
		v.L = append(v.L, e)
	}
	if !p.eat(')') {
		return v, fmt.Errorf("expected ')' at %q", p.text[p.pos:])
	}
	return v, nil
}

func scalar(s string, t types.Type) (vec.Value, error) {
	v := vec.Value{Kind: vec.KindOf(t)}
	var err error
	switch t.Kind {
	case types.Boolean:
		var b bool
		b, err = strconv.ParseBool(strings.ToLower(s))
		if b {
			v.I = 1
		}
	case types.Float, types.Double:
		v.F, err = strconv.ParseFloat(s, 64)
		if t.Kind == types.Float {
			v.F = float64(float32(v.F))
		}
	case types.Decimal:
		return decimal(s, t)
	case types.Char, types.Varchar, types.Binary, types.Varbinary:
		v.S = s
	case types.Date:
		var d time.Time
		d, err = time.Parse("2006-01-02", s)
		v.I = d.Unix() / 86400
	case types.TimeOfDay:
		var d time.Time
		d, err = time.Parse("15:04:05", s)
		v.I = d.Sub(d.Truncate(24 * time.Hour)).Microseconds()
	case types.Timestamp, types.TimestampLTZ:
		return timestamp(s, t)
	default:
		v.I, err = strconv.ParseInt(s, 10, 64)
	}
	return v, err
}

func decimal(s string, t types.Type) (vec.Value, error) {
	v := vec.Value{Kind: vec.KindOf(t)}
	whole, frac, _ := strings.Cut(s, ".")
	if len(frac) > t.Scale {
		return v, fmt.Errorf("more than %d fraction digits", t.Scale)
	}
	n, ok := new(big.Int).SetString(whole+frac+strings.Repeat("0", t.Scale-len(frac)), 10)
	if !ok {
		return v, fmt.Errorf("not a decimal")
	}
	v.I = n.Int64()
	if v.Kind == vec.I128 {
		lo := new(big.Int).And(n, new(big.Int).SetUint64(^uint64(0)))
		v.I, v.W = 0, vec.Int128{Hi: new(big.Int).Rsh(n, 64).Int64(), Lo: lo.Uint64()}
	}
	return v, nil
}

// timestamp reads a date, with an optional time of day.
func timestamp(s string, t types.Type) (vec.Value, error) {
	v := vec.Value{Kind: vec.KindOf(t)}
	d, err := parseTime(s)
	if v.Kind == vec.I128 {
		us := d.UnixMicro()
		v.W = vec.Int128{Hi: us, Lo: uint64(d.Nanosecond() % 1000)}
		return v, err
	}
	v.I = d.UnixMicro()
	return v, err
}

func parseTime(s string) (time.Time, error) {
	s = strings.TrimSuffix(s, "Z")
	if len(s) == len("2006-01-02 15:04") {
		return time.Parse("2006-01-02 15:04", s)
	}
	if len(s) <= len("2006-01-02") {
		return time.Parse("2006-01-02", s)
	}
	return time.Parse("2006-01-02 15:04:05", s)
}
