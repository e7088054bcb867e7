package expr

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// parser stores the value that text stands for in row r of out; false if it
// stands for none.
type parser func(zone *time.Location, text []byte, out *vec.Vector, r int32) bool

// fromString parses; text that cannot be read fails the job, or is NULL for
// TRY_CAST.
func (c conversion) fromString() fn.Kernel {
	parse := c.parser()
	if parse == nil {
		if c.to.IsBinary() {
			return c.toBinary()
		}
		return nil
	}
	return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, r := range rows {
			text := args[0].BytesAt(int(r))
			if parse(env.Zone, text, out, r) {
				continue
			}
			if !c.try {
				return fmt.Errorf("cannot cast '%s' to %s; TRY_CAST gives NULL instead", text, c.to.Text())
			}
			out.SetNull(int(r))
		}
		return nil
	}
}

func (c conversion) parser() parser {
	switch c.to.Kind {
	case types.Boolean:
		return parseBoolean
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		bits := map[types.Kind]int{types.TinyInt: 8, types.SmallInt: 16, types.Int: 32, types.BigInt: 64}[c.to.Kind]
		return func(_ *time.Location, text []byte, out *vec.Vector, r int32) (ok bool) {
			out.I64[r], ok = parseInteger(bytes.TrimSpace(text), bits)
			return ok
		}
	case types.Float, types.Double:
		return c.parseFloat
	case types.Decimal:
		return c.parseDecimal
	case types.Date:
		return func(_ *time.Location, text []byte, out *vec.Vector, r int32) (ok bool) {
			out.I64[r], ok = vec.ParseDate(bytes.TrimSpace(text))
			return ok
		}
	case types.TimeOfDay:
		return func(_ *time.Location, text []byte, out *vec.Vector, r int32) bool {
			us, ns, ok := vec.ParseTime(bytes.TrimSpace(text))
			out.I64[r], _ = vec.CutFraction(us, ns, min(c.to.Precision, 6))
			return ok
		}
	case types.Timestamp, types.TimestampLTZ:
		return c.parseTimestamp
	}
	return nil
}

var booleanWords = map[string]bool{"t": true, "true": true, "y": true, "yes": true, "1": true,
	"f": false, "false": false, "n": false, "no": false, "0": false}

func parseBoolean(_ *time.Location, text []byte, out *vec.Vector, r int32) bool {
	b, ok := booleanWords[string(bytes.ToLower(text))]
	out.Bool[r] = b
	return ok
}

// parseInteger reads digits with a sign; a fraction is allowed and cut.
func parseInteger(s []byte, bits int) (int64, bool) {
	if i := bytes.IndexByte(s, '.'); i >= 0 {
		if i == 0 && len(s) > 1 {
			s, i = append([]byte{'0'}, s...), 1
		}
		for _, d := range s[i+1:] {
			if d-'0' > 9 {
				return 0, false
			}
		}
		s = s[:i]
	}
	negative := len(s) > 0 && s[0] == '-'
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	if len(s) == 0 {
		return 0, false
	}
	var n uint64
	for _, d := range s {
		if d -= '0'; d > 9 || n > (1<<63)/10 {
			return 0, false
		}
		n = n*10 + uint64(d)
	}
	limit := uint64(1) << (bits - 1)
	if negative {
		return -int64(n), n <= limit
	}
	return int64(n), n < limit
}

func (c conversion) parseFloat(_ *time.Location, text []byte, out *vec.Vector, r int32) bool {
	f, ok := javaFloat(string(bytes.TrimSpace(text)))
	if c.to.Kind == types.Float {
		f = float64(float32(f))
	}
	out.F64[r] = f
	return ok
}

// javaFloat reads what Double.parseDouble does; too large is infinite.
func javaFloat(s string) (float64, bool) {
	switch s {
	case "NaN", "+NaN", "-NaN":
		return math.NaN(), true
	case "Infinity", "+Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	case "":
		return 0, false
	}
	if c := s[len(s)-1] | 0x20; (c == 'd' || c == 'f') && len(s) > 1 {
		s = s[:len(s)-1] // 1d, 1.5f
	}
	if c := s[len(s)-1]; c-'0' > 9 && c != '.' || strings.Contains(s, "_") {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if e, ok := err.(*strconv.NumError); ok && e.Err == strconv.ErrRange {
		return f, true
	}
	return f, err == nil
}

// parseDecimal: a number with too many digits is NULL, not an error.
func (c conversion) parseDecimal(_ *time.Location, text []byte, out *vec.Vector, r int32) bool {
	text = bytes.TrimSpace(text)
	w, ok := vec.ParseDecimal(text, c.to.Precision, c.to.Scale)
	if !ok {
		if _, number := javaFloat(string(text)); !number {
			return false
		}
		out.SetNull(int(r))
		return true
	}
	if out.Kind == vec.I64 {
		out.I64[r] = int64(w.Lo)
	} else {
		out.I128[r] = w
	}
	return true
}

func (c conversion) parseTimestamp(zone *time.Location, text []byte, out *vec.Vector, r int32) bool {
	us, ns, ok := vec.ParseTimestamp(bytes.TrimSpace(text), c.to.Precision)
	if c.to.Kind == types.TimestampLTZ {
		us = vec.InstantOf(us, zone)
	}
	setTime(out, r, us, ns)
	return ok
}

// setTime stores a timestamp in a column of either width.
func setTime(out *vec.Vector, r int32, us, ns int64) {
	if out.Kind == vec.I128 {
		out.I128[r] = vec.Int128{Hi: us, Lo: uint64(ns)}
		return
	}
	out.I64[r] = us
}
