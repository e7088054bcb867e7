package datagen

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// random makes random values of a type.
func (s *spec) random(name string, t types.Type) (maker, error) {
	seed := s.seed
	switch {
	case t.Kind == types.Boolean:
		return func(v *vec.Vector, rows []uint64, _ time.Time) {
			for _, r := range rows {
				v.Bool = append(v.Bool, mix(seed, r)&1 == 1)
			}
		}, nil
	case t.IsInteger():
		return s.integers(name, integerRange(t.Kind))
	case t.Kind == types.Decimal:
		return s.decimals(name, t)
	case t.IsApprox():
		return s.floats(name, t)
	case t.IsString(), t.IsBinary():
		return s.strings(name, t)
	case t.Kind == types.Date, t.Kind == types.TimeOfDay, t.IsTimestamp():
		return s.times(name, t), nil
	case t.IsInterval():
		return s.integers(name, [2]int64{0, 1 << 31})
	}
	return s.nested(name, t)
}

func integerRange(k types.Kind) [2]int64 {
	switch k {
	case types.TinyInt:
		return [2]int64{math.MinInt8, math.MaxInt8}
	case types.SmallInt:
		return [2]int64{math.MinInt16, math.MaxInt16}
	case types.Int:
		return [2]int64{math.MinInt32, math.MaxInt32}
	}
	return [2]int64{math.MinInt64, math.MaxInt64}
}

func (s *spec) integers(name string, bounds [2]int64) (maker, error) {
	low, err := s.number(name, "min", bounds[0])
	if err != nil {
		return nil, err
	}
	high, err := s.number(name, "max", bounds[1])
	if err != nil {
		return nil, err
	}
	if low < bounds[0] || high > bounds[1] || low > high {
		return nil, fmt.Errorf("column %s: random numbers from %d to %d, expected a range within %d to %d", name, low, high, bounds[0], bounds[1])
	}
	seed := s.seed
	return func(v *vec.Vector, rows []uint64, _ time.Time) {
		for _, r := range rows {
			v.I64 = append(v.I64, within(mix(seed, r), low, high))
		}
	}, nil
}

func (s *spec) float(name, key string, missing float64) (float64, error) {
	text := s.text(name, key)
	if text == "" {
		return missing, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("option 'fields.%s.%s' = '%s': expected a number", name, key, text)
	}
	return f, nil
}

func (s *spec) floatRange(name string, low, high float64) (float64, float64, error) {
	a, err := s.float(name, "min", low)
	if err != nil {
		return 0, 0, err
	}
	b, err := s.float(name, "max", high)
	if err == nil && a > b {
		err = fmt.Errorf("column %s: random numbers from %v to %v", name, a, b)
	}
	return a, b, err
}

func (s *spec) floats(name string, t types.Type) (maker, error) {
	most := math.MaxFloat64
	if t.Kind == types.Float {
		most = math.MaxFloat32
	}
	low, high, err := s.floatRange(name, -most, most)
	seed, narrow := s.seed, t.Kind == types.Float
	return func(v *vec.Vector, rows []uint64, _ time.Time) {
		for _, r := range rows {
			f := fraction(mix(seed, r))
			x := low*(1-f) + high*f
			if narrow {
				x = float64(float32(x))
			}
			v.F64 = append(v.F64, x)
		}
	}, err
}

// decimals are made of 15 random digits at most.
func (s *spec) decimals(name string, t types.Type) (maker, error) {
	most := math.Pow10(t.Precision-t.Scale) - math.Pow10(-t.Scale)
	low, high, err := s.floatRange(name, -most, most)
	if err == nil && (low < -most || high > most) {
		err = fmt.Errorf("column %s: random numbers from %v to %v do not fit %s", name, low, high, t)
	}
	seed := s.seed
	value := func(r uint64) vec.Int128 {
		f := fraction(mix(seed, r))
		d, _ := vec.DecimalOfFloat(low*(1-f)+high*f, t.Precision, t.Scale)
		return d
	}
	if t.Precision > 18 {
		return func(v *vec.Vector, rows []uint64, _ time.Time) {
			for _, r := range rows {
				v.I128 = append(v.I128, value(r))
			}
		}, err
	}
	return func(v *vec.Vector, rows []uint64, _ time.Time) {
		for _, r := range rows {
			v.I64 = append(v.I64, int64(value(r).Lo))
		}
	}, err
}

// length is the option, bounded by the type's own length.
func (s *spec) length(name string, most, missing int64) (int64, bool, error) {
	n, err := s.number(name, "length", missing)
	if err == nil && (n < 0 || n > most) {
		err = fmt.Errorf("option 'fields.%s.length' = '%d': expected 0 to %d", name, n, most)
	}
	return n, s.options.Bool("fields." + name + ".var-len"), err
}

const hex = "0123456789abcdef"

// strings are hexadecimal digits, binaries any bytes.
func (s *spec) strings(name string, t types.Type) (maker, error) {
	most, missing := int64(types.MaxLength), int64(100)
	if t.Precision != types.MaxLength {
		most, missing = int64(t.Precision), int64(t.Precision)
	}
	n, vary, err := s.length(name, most, missing)
	if t.Kind == types.Char || t.Kind == types.Binary {
		n, vary = most, false
	}
	seed, binary := s.seed, t.IsBinary()
	return func(v *vec.Vector, rows []uint64, _ time.Time) {
		for _, r := range rows {
			x := mix(seed, r)
			size := n
			if vary {
				size = within(mix(seed, x), min(1, n), n)
			}
			from := len(v.Data)
			for i := range size {
				if i%16 == 0 && i > 0 {
					x = mix(x, uint64(i))
				}
				b := hex[x>>(4*uint(i%16))&15]
				if binary {
					b = byte(mix(x, uint64(i)))
				}
				v.Data = append(v.Data, b)
			}
			v.Spans = append(v.Spans, vec.Span{Off: uint32(from), Len: uint32(size)})
		}
	}, err
}

// times are now, or up to max-past ago.
func (s *spec) times(name string, t types.Type) maker {
	past := s.options.Duration("fields." + name + ".max-past").Microseconds()
	seed, wide := s.seed, vec.KindOf(t) == vec.I128
	unit := precisionMicros(t.Precision)
	return func(v *vec.Vector, rows []uint64, now time.Time) {
		us := now.UnixMicro()
		for _, r := range rows {
			at := us
			if past > 0 {
				at -= within(mix(seed, r), 0, past)
			}
			day := vec.FloorDiv(at, 86_400_000_000)
			switch {
			case t.Kind == types.Date:
				v.I64 = append(v.I64, day)
			case t.Kind == types.TimeOfDay:
				v.I64 = append(v.I64, vec.FloorDiv(at-day*86_400_000_000, unit)*unit)
			case wide:
				v.I128 = append(v.I128, vec.Int128{Hi: at})
			default:
				v.I64 = append(v.I64, vec.FloorDiv(at, unit)*unit)
			}
		}
	}
}

// precisionMicros is the distance of two times of a precision.
func precisionMicros(p int) int64 {
	if p >= 6 {
		return 1
	}
	return pow10(6 - p)
}

// nested makes collections of 3 elements, or as many as 'length' says, and
// rows; the options of the parts are those of fields.NAME.element, .key,
// .value and .FIELD.
func (s *spec) nested(name string, t types.Type) (maker, error) {
	switch t.Kind {
	case types.Array:
		return s.collection(name, []string{name + ".element"}, *t.Elem)
	case types.Multiset:
		return s.collection(name, []string{name + ".element", name + ".count"}, *t.Elem, types.Of(types.Int))
	case types.Map:
		return s.collection(name, []string{name + ".key", name + ".value"}, *t.Key, *t.Elem)
	case types.Row:
		return s.row(name, t)
	}
	return nil, &connectors.UnsupportedError{Msg: fmt.Sprintf("random values of type %s (column %s) are not supported yet", t, name)}
}

func (s *spec) part(i int, name string, t types.Type) (column, error) {
	inner := &spec{options: s.options, seed: mix(s.seed, uint64(i)+0x9a57)}
	c, err := inner.column(name, t)
	if err == nil && inner.limit != 0 {
		err = fmt.Errorf("column %s: a sequence inside a nested value is not supported yet", name)
	}
	return c, err
}

func (s *spec) collection(name string, names []string, kinds ...types.Type) (maker, error) {
	n, vary, err := s.length(name, 1<<16, 3)
	if err != nil {
		return nil, err
	}
	kids := make([]column, len(kinds))
	for i, t := range kinds {
		if kids[i], err = s.part(i, names[i], t); err != nil {
			return nil, err
		}
	}
	seed := s.seed
	return func(v *vec.Vector, rows []uint64, now time.Time) {
		var inner []uint64
		off := v.Kids[0].Len()
		for _, r := range rows {
			size := n
			if vary {
				size = within(mix(seed, r), 0, n)
			}
			for j := range size {
				inner = append(inner, mix(r, uint64(j)+1))
			}
			v.Spans = append(v.Spans, vec.Span{Off: uint32(off), Len: uint32(size)})
			off += int(size)
		}
		for i, k := range kids {
			k.fill(v.Kids[i], inner, now)
		}
	}, nil
}

func (s *spec) row(name string, t types.Type) (maker, error) {
	kids := make([]column, len(t.Fields))
	for i, f := range t.Fields {
		var err error
		if kids[i], err = s.part(i, name+"."+f.Name, f.Type); err != nil {
			return nil, err
		}
	}
	return func(v *vec.Vector, rows []uint64, now time.Time) {
		v.N += len(rows)
		for i, k := range kids {
			k.fill(v.Kids[i], rows, now)
		}
	}, nil
}
