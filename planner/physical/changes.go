package physical

import "strings"

// Changes is a set of kinds of changes.
type Changes uint8

const (
	Insert Changes = 1 << iota
	Update
	Delete
)

// Every is all kinds.
const Every = Insert | Update | Delete

// Has tells whether c holds k.
func (c Changes) Has(k Changes) bool { return c&k != 0 }

// Text is Flink's changelog mode: [I], [I,UA,D], [I,UB,UA].
func (c Changes) Text(before bool) string {
	var parts []string
	if c.Has(Insert) {
		parts = append(parts, "I")
	}
	if c.Has(Update) {
		if before {
			parts = append(parts, "UB")
		}
		parts = append(parts, "UA")
	}
	if c.Has(Delete) {
		parts = append(parts, "D")
	}
	return "[" + strings.Join(parts, ",") + "]"
}
