package datagen

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// column makes the values of a column.
type column struct {
	make     maker
	nullRate float64
	seed     uint64
}

// maker appends one value for each row number.
type maker func(v *vec.Vector, rows []uint64, now time.Time)

func (c column) fill(v *vec.Vector, rows []uint64, now time.Time) {
	from := v.Len()
	c.make(v, rows, now)
	if c.nullRate <= 0 {
		return
	}
	for i, r := range rows {
		if fraction(mix(c.seed, r)) < c.nullRate {
			v.SetNull(from + i)
		}
	}
}

// mix is a hash of two numbers: the 128-bit product folded.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd1b54a32d192ed03)
	x := hi ^ lo
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>32
}

// fraction is in [0, 1).
func fraction(x uint64) float64 { return float64(x>>11) / (1 << 53) }

// within is in [low, high], evenly.
func within(x uint64, low, high int64) int64 {
	span := uint64(high) - uint64(low) + 1
	if span == 0 {
		return int64(x)
	}
	hi, _ := bits.Mul64(x, span)
	return int64(uint64(low) + hi)
}

// spec builds a column from its options.
type spec struct {
	options *connectors.Options
	seed    uint64
	limit   int64 // rows of the shortest sequence + 1; 0: none
}

// rows is where a sequence ends the table.
func (s *spec) rows() int64 {
	if s.limit == 0 {
		return math.MaxInt64
	}
	return s.limit - 1
}

func (s *spec) text(name, key string) string { return s.options.Text("fields." + name + "." + key) }

func (s *spec) number(name, key string, missing int64) (int64, error) {
	text := s.text(name, key)
	if text == "" {
		return missing, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("option 'fields.%s.%s' = '%s': expected an integer", name, key, text)
	}
	return n, nil
}

func (s *spec) column(name string, t types.Type) (column, error) {
	c := column{seed: mix(s.seed, 0x5eed)}
	rate, err := strconv.ParseFloat(s.text(name, "null-rate"), 64)
	if err != nil || rate < 0 || rate > 1 {
		return c, fmt.Errorf("option 'fields.%s.null-rate' = '%s': expected a number from 0 to 1", name, s.text(name, "null-rate"))
	}
	c.nullRate = rate
	if t.NotNull && rate > 0 {
		return c, fmt.Errorf("option 'fields.%s.null-rate': the column is NOT NULL", name)
	}
	if s.options.Enum("fields."+name+".kind") == "sequence" {
		c.make, err = s.sequence(name, t)
	} else {
		c.make, err = s.random(name, t)
	}
	return c, err
}

// sequence counts from start to end; a string column shows the number.
func (s *spec) sequence(name string, t types.Type) (maker, error) {
	for _, key := range []string{"start", "end"} {
		if s.text(name, key) == "" {
			return nil, fmt.Errorf("option 'fields.%s.%s' is missing: a sequence needs it", name, key)
		}
	}
	start, err := s.number(name, "start", 0)
	if err != nil {
		return nil, err
	}
	end, err := s.number(name, "end", 0)
	if err != nil {
		return nil, err
	}
	if end < start {
		return nil, fmt.Errorf("option 'fields.%s.end' = '%d': it is below the start, %d", name, end, start)
	}
	if n := end - start + 2; s.limit == 0 || n < s.limit {
		s.limit = n
	}
	if make := counter(start, t); make != nil {
		return make, nil
	}
	return nil, &connectors.UnsupportedError{Msg: fmt.Sprintf("a sequence of type %s (column %s) is not supported yet", t, name)}
}

// counter makes start, start+1 …; nil for a type that cannot.
func counter(start int64, t types.Type) maker {
	switch {
	case t.IsInteger(), t.Kind == types.Decimal && t.Precision <= 18:
		scale := pow10(t.Scale)
		return func(v *vec.Vector, rows []uint64, _ time.Time) {
			for _, r := range rows {
				v.I64 = append(v.I64, (start+int64(r))*scale)
			}
		}
	case t.IsApprox():
		return func(v *vec.Vector, rows []uint64, _ time.Time) {
			for _, r := range rows {
				v.F64 = append(v.F64, float64(start+int64(r)))
			}
		}
	case t.IsString():
		return func(v *vec.Vector, rows []uint64, _ time.Time) {
			var buf [24]byte
			for _, r := range rows {
				v.AppendBytes(strconv.AppendInt(buf[:0], start+int64(r), 10))
			}
		}
	}
	return nil
}

func pow10(n int) int64 {
	x := int64(1)
	for range n {
		x *= 10
	}
	return x
}
