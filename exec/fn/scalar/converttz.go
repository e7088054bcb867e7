package scalar

import (
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	simple{name: "CONVERT_TZ", syntax: "CONVERT_TZ(string, from, to)", doc: "The text of a timestamp moved from one time zone to another, as yyyy-MM-dd HH:mm:ss; NULL if it is none.",
		params: []param{stringArg, stringArg, stringArg}, result: types.String(), nullable: true,
		kernel: func() fn.Kernel {
			var from, to zones
			return textRows(func(dst []byte, r row) ([]byte, bool) {
				us, _, ok := vec.ParseTimestamp(r.bytes(0), 6)
				a, _ := from.of(r.bytes(1))
				b, _ := to.of(r.bytes(2))
				return standardPattern.append(dst, vec.LocalOf(lastInstantOf(us, a), b), 0), ok
			})()
		}}.register()
}

// zones remembers the last time zone.
type zones struct {
	name  string
	zone  *time.Location
	known bool
}

// of finds a zone by name, or GMT+hh:mm; UTC if there is none.
func (z *zones) of(name []byte) (*time.Location, bool) {
	if z.zone != nil && string(name) == z.name {
		return z.zone, z.known
	}
	z.name = string(name)
	z.zone, z.known = findZone(z.name)
	return z.zone, z.known
}

func findZone(name string) (*time.Location, bool) {
	for _, prefix := range []string{"GMT", "UTC", ""} {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || rest == "" || (rest[0] != '+' && rest[0] != '-') {
			continue
		}
		for _, layout := range []string{"-07:00", "-0700", "-07"} {
			if t, err := time.Parse(layout, rest); err == nil {
				_, offset := t.Zone()
				return time.FixedZone(name, offset), true
			}
		}
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC, false
	}
	return zone, true
}
