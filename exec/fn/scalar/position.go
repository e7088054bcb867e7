package scalar

import (
	"bytes"

	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	simple{name: "POSITION", syntax: "POSITION(part IN string [FROM start])", doc: "Where a part first stands in a string, counted from 1; 0 if it does not.",
		params: []param{stringArg, stringArg, bigArg}, opt: 1, result: types.Of(types.Int),
		kernel: intRows(func(r row) (int64, bool) { return position(r.bytes(1), r.bytes(0), r.intOr(2, 1)), true })}.register()
	simple{name: "LOCATE", syntax: "LOCATE(part, string [, start])", doc: "Where a part stands in a string from a position on, counted from 1; 0 if it does not.",
		params: []param{stringArg, stringArg, bigArg}, opt: 1, result: types.Of(types.Int),
		kernel: intRows(func(r row) (int64, bool) { return position(r.bytes(1), r.bytes(0), r.intOr(2, 1)), true })}.register()
	simple{name: "INSTR", syntax: "INSTR(string, part [, start [, occurrence]])", doc: "Where the nth occurrence of a part stands, counted from 1; 0 if there is none. A negative start searches backwards.",
		params: []param{stringArg, stringArg, bigArg, bigArg}, opt: 2, result: types.Of(types.Int),
		kernel: intRows(func(r row) (int64, bool) {
			return instr(r.bytes(0), r.bytes(1), r.intOr(2, 1), r.intOr(3, 1)), true
		})}.register()
}

func position(s, part []byte, start int64) int64 {
	if start < 1 {
		return 0
	}
	from := offset(s, clamp(start-1))
	i := bytes.Index(s[from:], part)
	if i < 0 {
		return 0
	}
	return int64(length(s[:from+i])) + 1
}

func instr(s, part []byte, start, occurrence int64) int64 {
	if start < 0 {
		return instrBack(s, part, start, occurrence)
	}
	at := int64(0)
	for ; occurrence > 0; occurrence-- {
		if at = position(s, part, max(start, at+1)); at == 0 {
			return 0
		}
	}
	return at
}

func instrBack(s, part []byte, start, occurrence int64) int64 {
	end := min(offset(s, max(0, length(s)+int(max(start, -1<<30))+1))+len(part), len(s))
	for ; occurrence > 0; occurrence-- {
		i := bytes.LastIndex(s[:end], part)
		if i < 0 {
			return 0
		}
		if occurrence == 1 {
			return int64(length(s[:i])) + 1
		}
		end = i + len(part) - 1
	}
	return 0
}
