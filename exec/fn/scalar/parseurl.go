package scalar

import (
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	simple{name: "PARSE_URL", syntax: "PARSE_URL(url, part [, key])", doc: "A part of a URL: HOST, PATH, QUERY, REF, PROTOCOL, AUTHORITY, FILE or USERINFO; with QUERY and a key that parameter.",
		params: []param{stringArg, stringArg, stringArg}, opt: 1, result: types.String(), nullable: true,
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) {
			u, ok := parseJavaURL(r.text(0))
			if !ok {
				return dst, false
			}
			part := u.part(r.text(1))
			if part == nil {
				return dst, false
			}
			if len(r.args) == 3 {
				v, ok := queryValue(*part, r.text(2))
				return append(dst, v...), ok && r.text(1) == "QUERY"
			}
			return append(dst, *part...), true
		})}.register()
}

// javaURL is the parts that java.net.URL takes a text apart into; nil is a
// part that there is not. Nothing is escaped or unescaped.
type javaURL struct {
	protocol, host, path        string
	authority, user, query, ref *string
}

// urlProtocols are those that Java knows; of others it reads no URL.
var urlProtocols = map[string]bool{"http": true, "https": true, "ftp": true, "file": true, "mailto": true}

func parseJavaURL(s string) (u javaURL, ok bool) {
	s = strings.TrimFunc(s, func(c rune) bool { return c <= ' ' })
	protocol, rest, found := strings.Cut(s, ":")
	u.protocol = strings.ToLower(protocol)
	if !found || !urlProtocols[u.protocol] {
		return u, false
	}
	rest, u.ref = cutPart(rest, "#")
	rest, u.query = cutPart(rest, "?")
	after, found := strings.CutPrefix(rest, "//")
	if !found {
		u.path = rest
		return u, true
	}
	end := strings.IndexByte(after, '/')
	if end < 0 {
		end = len(after)
	}
	u.path = after[end:]
	return u, u.setAuthority(after[:end])
}

// cutPart cuts s at a separator; the part behind it is nil if there is none.
func cutPart(s, sep string) (string, *string) {
	before, after, ok := strings.Cut(s, sep)
	if !ok {
		return s, nil
	}
	return before, &after
}

// setAuthority takes [user@]host[:port] apart; false if the port is none.
func (u *javaURL) setAuthority(s string) bool {
	u.authority, u.host = &s, s
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		user := s[:at]
		u.user, u.host = &user, s[at+1:]
	}
	if colon := strings.LastIndexByte(u.host, ':'); colon > strings.IndexByte(u.host, ']') {
		port := u.host[colon+1:]
		u.host = u.host[:colon]
		if _, err := strconv.ParseUint(port, 10, 31); port != "" && err != nil {
			return false
		}
	}
	return true
}

func (u javaURL) part(name string) *string {
	switch name {
	case "HOST":
		return &u.host
	case "PATH":
		return &u.path
	case "QUERY":
		return u.query
	case "REF":
		return u.ref
	case "PROTOCOL":
		return &u.protocol
	case "AUTHORITY":
		return u.authority
	case "USERINFO":
		return u.user
	case "FILE":
		file := u.path
		if u.query != nil {
			file += "?" + *u.query
		}
		return &file
	}
	return nil
}

// queryValue is the raw value of a parameter.
func queryValue(query, key string) (string, bool) {
	for _, p := range strings.Split(query, "&") {
		if k, v, ok := strings.Cut(p, "="); ok && k == key {
			return v, true
		}
	}
	return "", false
}
