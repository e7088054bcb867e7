package format

import "github.com/sqlstream/sqlstream/exec/vec"

// timeWriter writes dates and times in the fixed forms that timeReader
// reads. It keeps the last date's text.
type timeWriter struct {
	iso, zulu bool
	precision int
	text      [10]byte
	days      int64
	valid     bool
}

const dayMicros = 86_400_000_000

func (w *timeWriter) appendTimestamp(dst []byte, us int64, ns int) []byte {
	days := vec.FloorDiv(us, dayMicros)
	dst = w.appendDate(dst, days)
	sep := byte(' ')
	if w.iso {
		sep = 'T'
	}
	dst = append(dst, sep)
	dst = w.appendClock(dst, (us-days*dayMicros)*1000+int64(ns))
	if w.zulu {
		dst = append(dst, 'Z')
	}
	return dst
}

// appendClock writes the time of day with as many fraction digits as needed,
// up to the precision.
func (w *timeWriter) appendClock(dst []byte, nanos int64) []byte {
	sec := nanos / 1e9
	dst = appendTwo(dst, int(sec/3600))
	dst = appendTwo(append(dst, ':'), int(sec/60%60))
	dst = appendTwo(append(dst, ':'), int(sec%60))
	frac := nanos % 1e9
	if frac == 0 {
		return dst
	}
	dst = append(dst, '.')
	for unit := int64(1e8); frac > 0; unit /= 10 {
		dst = append(dst, byte('0'+frac/unit))
		frac %= unit
	}
	return dst
}

func appendTwo(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }

func (w *timeWriter) appendDate(dst []byte, days int64) []byte {
	if !w.valid || days != w.days {
		y, m, d := vec.CivilOf(days)
		b := appendTwo(w.text[:0], int(y/100%100))
		b = append(appendTwo(b, int(y%100)), '-')
		b = append(appendTwo(b, m), '-')
		appendTwo(b, d)
		w.days, w.valid = days, true
	}
	return append(dst, w.text[:]...)
}
