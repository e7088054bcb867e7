package scalar

import (
	"encoding/binary"
	"unicode/utf8"
)

// Strings are counted in characters (code points); where all are ASCII a
// position is an offset.

func isASCII(s []byte) bool {
	for ; len(s) >= 8; s = s[8:] {
		if binary.LittleEndian.Uint64(s)&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, c := range s {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func length(s []byte) int {
	if isASCII(s) {
		return len(s)
	}
	return utf8.RuneCount(s)
}

// offset is where character n (from 0) begins; the end if there are fewer.
func offset(s []byte, n int) int {
	if n <= 0 {
		return 0
	}
	if n <= len(s) && isASCII(s[:n]) {
		return n
	}
	at := 0
	for n > 0 && at < len(s) {
		if s[at] < utf8.RuneSelf {
			at++
		} else {
			_, size := utf8.DecodeRune(s[at:])
			at += size
		}
		n--
	}
	return at
}

// cut is the characters from start (from 0) to end.
func cut(s []byte, start, end int) []byte {
	a := offset(s, start)
	return s[a : a+offset(s[a:], end-start)]
}
