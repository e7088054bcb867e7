package scalar

import (
	"net/url"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	simple{name: "PARSE_URL", syntax: "PARSE_URL(url, part [, key])", doc: "A part of a URL: HOST, PATH, QUERY, REF, PROTOCOL, AUTHORITY, FILE or USERINFO; with QUERY and a key that parameter.",
		params: []param{stringArg, stringArg, stringArg}, opt: 1, result: types.String(), nullable: true,
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) {
			u, err := url.Parse(r.text(0))
			if err != nil {
				return dst, false
			}
			if len(r.args) == 3 {
				v, ok := queryValue(u.RawQuery, r.text(2))
				return append(dst, v...), ok && r.text(1) == "QUERY"
			}
			v, ok := urlPart(u, r.text(1))
			return append(dst, v...), ok
		})}.register()
}

func urlPart(u *url.URL, part string) (string, bool) {
	v := ""
	switch part {
	case "HOST":
		v = u.Hostname()
	case "PATH":
		return u.EscapedPath(), true
	case "QUERY":
		v = u.RawQuery
	case "REF":
		v = u.EscapedFragment()
	case "PROTOCOL":
		v = u.Scheme
	case "AUTHORITY":
		v = u.Host
		if u.User != nil {
			v = u.User.String() + "@" + v
		}
	case "FILE":
		v = u.EscapedPath()
		if u.RawQuery != "" {
			v += "?" + u.RawQuery
		}
		return v, true
	case "USERINFO":
		if u.User != nil {
			v = u.User.String()
		}
	}
	return v, v != ""
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
