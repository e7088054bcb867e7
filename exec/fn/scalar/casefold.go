package scalar

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// longUpper are letters that become several in upper case, from Unicode's
// SpecialCasing.
var longUpper = map[rune]string{
	'ß': "SS", 'ŉ': "ʼN", 'ǰ': "J\u030C", 'ΐ': "\u0399\u0308\u0301", 'ΰ': "\u03A5\u0308\u0301", 'և': "ԵՒ",
	'ﬀ': "FF", 'ﬁ': "FI", 'ﬂ': "FL", 'ﬃ': "FFI", 'ﬄ': "FFL", 'ﬅ': "ST", 'ﬆ': "ST",
}

func upper(s []byte) []byte {
	var out []byte
	for _, c := range string(s) {
		if long, ok := longUpper[c]; ok {
			out = append(out, long...)
			continue
		}
		out = utf8.AppendRune(out, unicode.ToUpper(c))
	}
	return out
}

// lower differs from bytes.ToLower in İ, which keeps its dot, and in a Σ at
// the end of a word.
func lower(s []byte) []byte {
	if !bytes.ContainsAny(s, "İΣ") {
		return bytes.ToLower(s)
	}
	var out []byte
	text := []rune(string(s))
	for i, c := range text {
		switch {
		case c == 'İ':
			out = append(out, "i\u0307"...)
		case c == 'Σ' && i > 0 && unicode.IsLetter(text[i-1]) && (i == len(text)-1 || !unicode.IsLetter(text[i+1])):
			out = utf8.AppendRune(out, 'ς')
		default:
			out = utf8.AppendRune(out, unicode.ToLower(c))
		}
	}
	return out
}
