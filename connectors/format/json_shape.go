package format

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// jsonShape is a form of message that came before: the same keys in the same
// order with the same blanks between them. The texts between the values are
// compared as a whole and the values go straight to their columns. A message
// that departs from it in anything is left to the general decoder, so a shape
// needs no error of its own.
type jsonShape struct {
	steps  []shapeStep
	tail   []byte // behind the last value
	absent []int  // columns that no value of such a message reaches
	hits   int64
}

// shapeStep is one value and the text before it.
type shapeStep struct {
	kind   stepKind
	text   []byte
	value  *jsonValue // nil: checked and skipped
	column int
	depth  int
}

// stepKind is what the value was when the shape was learnt; any other is read,
// too, but not at once.
type stepKind uint8

const (
	otherStep stepKind = iota
	skippedInt
	skippedText
	plainInt
	plainText
	plainTime // of ms, to a column of µs
)

// decode reads w's message into row; false if it is of another form or not
// good, and then what was written into the row is to be written again. Each
// byte is either compared with one that is known to be good, or looked at.
func (s *jsonShape) decode(w *jsonWriter, cols []*vec.Vector, row int) bool {
	b := w.text.b
	i, high := 0, uint64(0)
	for k := range s.steps {
		st := &s.steps[k]
		at := i + len(st.text)
		if at >= len(b) || string(b[i:at]) != string(st.text) {
			return false
		}
		i = 0
		switch st.kind {
		case skippedInt:
			_, i = shortInt(b, at)
		case plainInt:
			if x, end := shortInt(b, at); end > 0 && x >= st.value.min && x <= st.value.max {
				cols[st.column].I64[row], i = x, end
			}
		case skippedText, plainText:
			if b[at] != '"' {
				break
			}
			end, bits := stringEnd(b, at+1)
			if end == len(b) || b[end] != '"' {
				return false
			}
			if high |= bits; st.kind == plainText {
				cols[st.column].Spans[row] = vec.Span{Off: w.base + uint32(at) + 1, Len: uint32(end - at - 1)}
			}
			i = end + 1
		case plainTime:
			if end := at + 2 + len("2024-01-31 10:11:12.123"); end < len(b) && b[at] == '"' && b[end-1] == '"' {
				if us, ok := st.value.times.millis(b[at+1 : end-1]); ok {
					cols[st.column].I64[row], i = us, end
				}
			}
		}
		if i > 0 {
			continue
		}
		if i = st.any(w, cols, at, row); i == 0 {
			return false
		}
		high |= anyHigh(b[at:i])
	}
	if string(b[i:]) != string(s.tail) || high&highs != 0 && !utf8.Valid(b) {
		return false
	}
	for _, c := range s.absent {
		cols[c].SetNull(row)
	}
	return true
}

// any reads a value that is not as the step's kind would have it; it returns
// the position behind it, or 0.
func (st *shapeStep) any(w *jsonWriter, cols []*vec.Vector, at, row int) (end int) {
	var err error
	if st.value == nil {
		end, err = w.text.skip(at, st.depth)
	} else {
		end, err = st.value.decode(w, at, st.depth, cols[st.column], row)
	}
	if err != nil {
		return 0
	}
	return end
}

// stringEnd returns the first position from i on of a quote, a backslash or a
// control character, and bits that tell whether a byte from 0x80 was met on
// the way. (x^2s) − 0x21s flags, lowest first, the bytes below 0x20 and 0x22;
// see classify.
func stringEnd(b []byte, i int) (end int, high uint64) {
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		slash := x ^ ones*'\\'
		m := ((x^ones*2)-ones*0x21)&^x | (slash-ones)&^slash
		high |= x
		if m &= highs; m != 0 {
			return i + bits.TrailingZeros64(m)>>3, high
		}
	}
	for ; i < len(b); i++ {
		c := b[i]
		if c < 0x20 || c == '"' || c == '\\' {
			break
		}
		high |= uint64(c)
	}
	return i, high
}

// shortInt reads a number of one to seven digits at i; end is 0 if there is
// none, or one with a sign or leading zeros. What follows is not looked at.
// Eight bytes are read at once: pairs, fours and eights of digits are joined by
// one multiplication each.
func shortInt(b []byte, i int) (x int64, end int) {
	if i+8 > len(b) {
		return 0, 0
	}
	d := binary.LittleEndian.Uint64(b[i:]) ^ ones*'0'
	n := bits.TrailingZeros64(((d+ones*0x76)|d)&highs) >> 3
	if n == 8 || n == 0 || n > 1 && d&0xff == 0 {
		return 0, 0
	}
	d <<= (8 - n) * 8
	d = d * (1 + 10<<8) >> 8 & 0x00ff00ff00ff00ff
	d = d * (1 + 100<<16) >> 16 & 0x0000ffff0000ffff
	return int64(d * (1 + 10000<<32) >> 32), i + n
}

func anyHigh(b []byte) (high uint64) {
	for ; len(b) >= 8; b = b[8:] {
		high |= binary.LittleEndian.Uint64(b)
	}
	for _, c := range b {
		high |= uint64(c)
	}
	return high
}

// jsonShapes are the shapes of a decoder, the frequent ones first.
type jsonShapes struct {
	list []*jsonShape
	// Every round of messages it is decided whether shapes are of use.
	tried, hit int
	pause      int // messages that are not tried
	wait, step int // misses until the next shape is learnt, and how many next
}

const (
	maxShapes  = 8
	shapeRound = 4096
	shapePause = 64 * shapeRound
	maxStep    = shapeRound
	maxSteps   = 1024 // values of a shape
)

// decode tries the shapes.
func (s *jsonShapes) decode(w *jsonWriter, cols []*vec.Vector, row int) bool {
	if s.pause > 0 {
		s.pause--
		return false
	}
	if s.tried++; s.tried == shapeRound {
		s.review()
	}
	for k, shape := range s.list {
		if !shape.decode(w, cols, row) {
			continue
		}
		s.hit++
		shape.hits++
		if k > 0 && shape.hits > s.list[k-1].hits {
			s.list[k], s.list[k-1] = s.list[k-1], shape
		}
		return true
	}
	for _, c := range cols {
		clearNulls(c, row)
	}
	return false
}

// review drops shapes that fit too few messages to pay for the trying.
func (s *jsonShapes) review() {
	if s.hit < s.tried/4 {
		*s = jsonShapes{pause: shapePause}
		return
	}
	s.tried, s.hit = 0, 0
	for _, shape := range s.list {
		shape.hits /= 2
	}
}

// learn takes the form of w's message, which the general decoder has read
// without complaint. Once all places are taken the rarest shape goes, more
// and more seldom.
func (s *jsonShapes) learn(w *jsonWriter, root *jsonObject) {
	if s.pause > 0 {
		return
	}
	if s.wait > 0 {
		s.wait--
		return
	}
	s.step = min(2*s.step+1, maxStep)
	if len(s.list) >= maxShapes/2 {
		s.wait = s.step
	}
	l := shapeLearner{text: w.text, shape: &jsonShape{}}
	if _, ok := l.object(root, w.text.space(0), 1); !ok {
		s.wait = s.step
		return
	}
	l.shape.tail = bytes.Clone(w.text.b[l.from:])
	if len(s.list) == maxShapes {
		s.list = s.list[:maxShapes-1]
	}
	s.list = append(s.list, l.shape)
}

// shapeLearner walks a message that is known to be good JSON.
type shapeLearner struct {
	text  *jsonText
	from  int // end of the last value
	shape *jsonShape
}

// object notes the values of the object at i; not ok if a shape cannot stand
// for it: a key twice or with escapes, a value of a nested type, or with two
// uses.
func (l *shapeLearner) object(o *jsonObject, i, depth int) (end int, ok bool) {
	seen := map[string]bool{}
	ok = true
	end, err := l.text.members(i, depth, func(key, value int) (int, error) {
		name, escaped := l.name(key)
		if ok = ok && !escaped && !seen[name] && len(l.shape.steps) < maxSteps; !ok {
			return l.text.skip(value, depth+1)
		}
		seen[name] = true
		var next int
		next, ok = l.member(o.byName[name], value, depth)
		return next, nil
	})
	for k := range o.fields {
		if f := &o.fields[k]; !seen[f.name] {
			l.missing(f)
		}
	}
	return end, ok && err == nil
}

func (l *shapeLearner) name(key int) (name string, escaped bool) {
	end, escaped, err := l.text.str(key)
	if err != nil {
		return "", true
	}
	return string(l.text.b[key+1 : end-1]), escaped
}

// member notes the value at i of field f, or of a key that is not in the schema.
func (l *shapeLearner) member(f *jsonField, i, depth int) (end int, ok bool) {
	end, err := l.text.skip(i, depth+1)
	switch {
	case err != nil:
		return end, false
	case f == nil || len(f.targets) == 0:
		// Whether an object is there tells forms apart.
		if f == nil || !f.nested || l.text.b[i] != 'n' {
			l.step(i, end, nil, 0, depth)
		}
		return end, true
	case len(f.targets) > 1:
		return end, false
	}
	t := &f.targets[0]
	switch {
	case t.path == nil:
		l.step(i, end, t.value, t.column, depth)
		return end, t.value.kind < arrayValue
	case l.text.b[i] == '{':
		return l.object(t.path, i, depth+1)
	case l.text.b[i] == 'n':
		l.missing(f)
		return end, true
	}
	return end, false
}

func (l *shapeLearner) step(i, end int, v *jsonValue, column, depth int) {
	l.shape.steps = append(l.shape.steps, shapeStep{kind: stepKindOf(l.text.b[i], v), text: bytes.Clone(l.text.b[l.from:i]), value: v, column: column, depth: depth + 1})
	l.from = end
}

// stepKindOf takes the first byte of the value.
func stepKindOf(first byte, v *jsonValue) stepKind {
	switch digit := first-'0' <= 9; {
	case v == nil && first == '"':
		return skippedText
	case v == nil && digit:
		return skippedInt
	case v == nil:
		return otherStep
	case v.kind == stringValue:
		return plainText
	case v.kind == intValue:
		return plainInt
	case v.kind == timestampValue && v.typ.Precision >= 3 && vec.KindOf(v.typ) == vec.I64:
		return plainTime
	}
	return otherStep
}

// missing notes that the columns of f become null.
func (l *shapeLearner) missing(f *jsonField) {
	for k := range f.targets {
		if t := &f.targets[k]; t.path != nil {
			for j := range t.path.fields {
				l.missing(&t.path.fields[j])
			}
		} else if !slices.Contains(l.shape.absent, t.column) {
			l.shape.absent = append(l.shape.absent, t.column)
		}
	}
}
