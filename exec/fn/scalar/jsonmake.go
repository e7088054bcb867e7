package scalar

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "JSON_OBJECT", Syntax: "JSON_OBJECT([KEY] k VALUE v, … [NULL | ABSENT ON NULL])", Doc: "A JSON object as text; nulls are kept unless ABSENT.", Bind: bindJSONObject})
	fn.Register(&fn.Scalar{Name: "JSON_ARRAY", Syntax: "JSON_ARRAY(v, … [NULL | ABSENT ON NULL])", Doc: "A JSON array as text; nulls are left out unless NULL ON NULL.", Bind: bindJSONArray})
	fn.Register(&fn.Scalar{Name: "JSON_STRING", Syntax: "JSON_STRING(x)", Doc: "A value as JSON text, with the keys of objects in order.", Bind: bindJSONString})
}

// jsonValue writes a value as JSON. embed: it is JSON text already.
type jsonValue struct {
	t     types.Type
	embed bool
}

func jsonValueOf(a fn.Arg) jsonValue {
	return jsonValue{t: a.Type, embed: a.Func == "JSON_OBJECT" || a.Func == "JSON_ARRAY" || a.Func == "JSON"}
}

func (j jsonValue) append(dst []byte, v *vec.Vector, i int) []byte {
	if j.embed && !v.IsNull(i) {
		return append(dst, v.BytesAt(i)...)
	}
	return appendJSON(dst, v, i, j.t)
}

// appendJSON writes numbers and booleans as such, nested values as arrays
// and objects with their keys in order, and everything else as the string that CAST gives.
func appendJSON(dst []byte, v *vec.Vector, i int, t types.Type) []byte {
	switch {
	case v.IsNull(i):
		return append(dst, "null"...)
	case t.Kind == types.Boolean:
		return fmt.Append(dst, v.Bool[i])
	case t.IsApprox():
		return appendJSONFloat(dst, v.F64[i])
	case t.IsNumeric():
		return appendJSONNumber(dst, vec.AppendText(nil, v, i, t))
	case t.IsString():
		return quoteJSON(dst, v.BytesAt(i))
	case t.Kind == types.Array:
		return appendJSONList(dst, v, i, t)
	case t.Kind == types.Map:
		return appendJSONMap(dst, v, i, t)
	case t.Kind == types.Row:
		return appendJSONRow(dst, v, i, t)
	}
	return quoteJSON(dst, vec.AppendText(nil, v, i, t))
}

func appendJSONList(dst []byte, v *vec.Vector, i int, t types.Type) []byte {
	s := v.Spans[i]
	dst = append(dst, '[')
	for j := s.Off; j < s.Off+s.Len; j++ {
		if j > s.Off {
			dst = append(dst, ',')
		}
		dst = appendJSON(dst, v.Kids[0], int(j), *t.Elem)
	}
	return append(dst, ']')
}

// jsonMember is a member of an object to be, and where its value is.
type jsonMember struct {
	key []byte
	at  int
}

func sortMembers(m []jsonMember) []jsonMember {
	slices.SortStableFunc(m, func(a, b jsonMember) int { return bytes.Compare(a.key, b.key) })
	return m
}

func appendJSONRow(dst []byte, v *vec.Vector, i int, t types.Type) []byte {
	members := make([]jsonMember, len(t.Fields))
	for c, f := range t.Fields {
		members[c] = jsonMember{[]byte(f.Name), c}
	}
	dst = append(dst, '{')
	for n, m := range sortMembers(members) {
		dst = append(quoteJSON(comma(dst, n), m.key), ':')
		dst = appendJSON(dst, v.Kids[m.at], i, t.Fields[m.at].Type)
	}
	return append(dst, '}')
}

func appendJSONMap(dst []byte, v *vec.Vector, i int, t types.Type) []byte {
	s := v.Spans[i]
	members := make([]jsonMember, s.Len)
	for j := range members {
		at := int(s.Off) + j
		members[j] = jsonMember{vec.AppendText(nil, v.Kids[0], at, *t.Key), at}
	}
	dst = append(dst, '{')
	for n, m := range sortMembers(members) {
		dst = append(quoteJSON(comma(dst, n), m.key), ':')
		dst = appendJSON(dst, v.Kids[1], m.at, *t.Elem)
	}
	return append(dst, '}')
}

// comma separates element n from the one before it.
func comma(dst []byte, n int) []byte {
	if n > 0 {
		dst = append(dst, ',')
	}
	return dst
}

func bindJSONString(args []fn.Arg) (*fn.Bound, error) {
	ts, err := bind("JSON_STRING(x)", args, 0, anyArg)
	if err != nil {
		return nil, err
	}
	return &fn.Bound{Params: ts, Result: strict(types.String(), args), New: func() fn.Kernel {
		return textRows(func(dst []byte, r row) ([]byte, bool) { return appendJSON(dst, r.args[0], r.i, ts[0]), true })()
	}}, nil
}

// bindJSONObject takes 'NULL' or 'ABSENT', then keys and values in turn. Keys
// are written in order.
func bindJSONObject(args []fn.Arg) (*fn.Bound, error) {
	const syntax = "JSON_OBJECT(k VALUE v, …)"
	ts, absent, err := bindJSONMake(syntax, args)
	if err != nil {
		return nil, err
	}
	if len(args)%2 == 0 {
		return nil, fmt.Errorf("%s takes keys and values in turn", syntax)
	}
	values := make([]jsonValue, len(args))
	var keys []int
	for i := 1; i < len(args); i += 2 {
		if !args[i].Type.IsString() || args[i].Literal == nil || args[i].Literal.Null {
			return nil, fmt.Errorf("a key of %s must be a constant string", syntax)
		}
		values[i+1] = jsonValueOf(args[i+1])
		keys = append(keys, i)
	}
	slices.SortStableFunc(keys, func(a, b int) int { return strings.Compare(args[a].Literal.S, args[b].Literal.S) })
	return &fn.Bound{Params: ts, Result: types.String().Nullable(false), NullAware: true, New: textRows(func(dst []byte, r row) ([]byte, bool) {
		dst = append(dst, '{')
		first := true
		for _, i := range keys {
			if absent && r.null(i+1) {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(quoteJSON(dst, r.bytes(i)), ':')
			dst = values[i+1].append(dst, r.args[i+1], r.i)
		}
		return append(dst, '}'), true
	})}, nil
}

func bindJSONMake(syntax string, args []fn.Arg) (ts []types.Type, absent bool, err error) {
	if ts, err = bindAll(syntax, args, 1, anyArg); err != nil {
		return nil, false, err
	}
	onNull, err := word(syntax, args[0])
	return ts, onNull == "ABSENT", err
}

// bindJSONArray takes 'NULL' or 'ABSENT', then the elements.
func bindJSONArray(args []fn.Arg) (*fn.Bound, error) {
	ts, absent, err := bindJSONMake("JSON_ARRAY(v, …)", args)
	if err != nil {
		return nil, err
	}
	values := make([]jsonValue, len(args))
	for i, a := range args {
		values[i] = jsonValueOf(a)
	}
	return &fn.Bound{Params: ts, Result: types.String().Nullable(false), NullAware: true, New: textRows(func(dst []byte, r row) ([]byte, bool) {
		dst = append(dst, '[')
		first := true
		for i := 1; i < len(r.args); i++ {
			if absent && r.null(i) {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = values[i].append(dst, r.args[i], r.i)
		}
		return append(dst, ']'), true
	})}, nil
}
