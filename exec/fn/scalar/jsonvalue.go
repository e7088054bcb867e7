package scalar

import (
	"fmt"
	"strconv"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "JSON_VALUE", Syntax: "JSON_VALUE(json, path [RETURNING type] [… ON EMPTY] [… ON ERROR])",
		Doc: "The scalar at a path of a JSON text, as STRING, BOOLEAN, INT or DOUBLE. As in Flink 2.2, a value that is missing or null is a case of ON EMPTY only if the path begins with lax, else of ON ERROR.", Bind: bindJSONValue})
	fn.Register(&fn.Scalar{Name: "JSON_EXISTS", Syntax: "JSON_EXISTS(json, path [TRUE | FALSE | UNKNOWN | ERROR ON ERROR])",
		Doc: "Whether a path of a JSON text leads to a value.", Bind: bindJSONExists})
	fn.Register(&fn.Scalar{Name: "JSON_QUERY", Syntax: "JSON_QUERY(json, path [wrapper] [… ON EMPTY] [… ON ERROR])",
		Doc: "The object or array at a path of a JSON text, with keys in order. As in Flink 2.2, a value that is missing is a case of ON EMPTY only if the path begins with lax, else of ON ERROR.", Bind: bindJSONQuery})
}

// clause is what happens on empty or on error.
type clause struct {
	word         string // "", NULL, ERROR, DEFAULT, TRUE …
	defaultValue int    // argument with the default
}

func clauseWord(syntax string, args []fn.Arg, i int) (string, error) {
	if i >= len(args) {
		return "", nil
	}
	return word(syntax, args[i])
}

func checkPath(a fn.Arg) error {
	if a.Literal == nil || a.Literal.Null {
		return nil
	}
	_, err := compilePath(a.Literal.S)
	return err
}

// bindJSONValue takes json, path and perhaps returning, onEmpty, default,
// onError, default.
func bindJSONValue(args []fn.Arg) (*fn.Bound, error) {
	const syntax = "JSON_VALUE(json, path …)"
	ts, err := bind(syntax, args, 5, stringArg, stringArg, anyArg, stringArg, anyArg, stringArg, anyArg)
	if err != nil {
		return nil, err
	}
	if err := checkPath(args[1]); err != nil {
		return nil, err
	}
	result := types.String()
	if len(args) == 7 && args[2].Type.Kind != types.Null {
		result = args[2].Type.Nullable(true)
	}
	store := storeScalar(result)
	if store == nil {
		return nil, fmt.Errorf("JSON_VALUE returns STRING, BOOLEAN, INT, BIGINT or DOUBLE, not %s", result.Text())
	}
	empty, failed := clause{defaultValue: 4}, clause{defaultValue: 6}
	if len(args) == 7 {
		ts[2], ts[4], ts[6] = result, result, result
		if empty.word, err = word(syntax, args[3]); err != nil {
			return nil, err
		}
		if failed.word, err = word(syntax, args[5]); err != nil {
			return nil, err
		}
	}
	return &fn.Bound{Params: ts, Result: result, NullAware: true, New: func() fn.Kernel {
		j := &jsonLookup{}
		return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, i := range rows {
				if args[0].IsNull(int(i)) || args[1].IsNull(int(i)) {
					out.SetNull(int(i))
					continue
				}
				if err := j.scalar(args, i, out, store, empty, failed); err != nil {
					return err
				}
			}
			return nil
		}
	}}, nil
}

// jsonLookup holds the memory of looking into JSON texts.
type jsonLookup struct {
	doc   jsonDoc
	paths jsonPaths
	found []int
	lax   bool // what is missing is a case of ON EMPTY
	many  bool // the path has [*] or .*
	text  []byte
}

// find is the nodes at the path in row i. A path that leads nowhere or to a
// null is invalid, as is text that is no JSON, but for a lax one: there
// nothing is found. (A text of null is invalid in any case.)
func (j *jsonLookup) find(args []*vec.Vector, i int32) (valid bool, err error) {
	p, err := j.paths.of(args[1].BytesAt(int(i)))
	if err != nil {
		return false, err
	}
	j.found, j.lax, j.many = j.found[:0], p.lax, p.many
	if !j.doc.parse(args[0].BytesAt(int(i))) {
		return p.lax, nil
	}
	if j.doc.nodes[0].kind == 'n' {
		j.lax = false
		return false, nil
	}
	found, ok := p.find(&j.doc, j.found)
	if !ok || !p.many && j.doc.nodes[found[0]].kind == 'n' {
		return p.lax, nil
	}
	j.found = found
	return true, nil
}

func (j *jsonLookup) scalar(args []*vec.Vector, i int32, out *vec.Vector, store scalarStore, empty, failed clause) error {
	valid, err := j.find(args, i)
	if err != nil {
		return err
	}
	missing := failed
	if j.lax {
		missing = empty
	}
	if !valid || len(j.found) == 0 || j.many {
		return missing.apply(args, i, out)
	}
	n := j.doc.nodes[j.found[0]]
	switch n.kind {
	case '{', '[':
		return missing.apply(args, i, out)
	case '"':
		j.text = unquote(j.text[:0], j.doc.raw(j.found[0]))
	case '0':
		j.text = appendJSONNumber(j.text[:0], j.doc.raw(j.found[0]))
	default:
		j.text = append(j.text[:0], j.doc.raw(j.found[0])...)
	}
	if !store(j.text, n.kind, out, i) {
		return failed.apply(args, i, out)
	}
	return nil
}

// apply gives what the clause says for a row without a value.
func (c clause) apply(args []*vec.Vector, i int32, out *vec.Vector) error {
	switch c.word {
	case "ERROR":
		return fmt.Errorf("JSON path '%s' leads to no such value in '%s'", args[1].BytesAt(int(i)), args[0].BytesAt(int(i)))
	case "DEFAULT":
		setFrom(out, i, args[c.defaultValue], int(i))
	default:
		out.SetNull(int(i))
	}
	return nil
}

// scalarStore stores the text of a scalar of the given kind; false if it is
// no value of the type.
type scalarStore func(text []byte, kind byte, out *vec.Vector, i int32) bool

func storeScalar(t types.Type) scalarStore {
	switch t.Kind {
	case types.Char, types.Varchar:
		return func(text []byte, _ byte, out *vec.Vector, i int32) bool {
			out.SetBytes(int(i), text)
			return true
		}
	case types.Boolean:
		return func(_ []byte, kind byte, out *vec.Vector, i int32) bool {
			out.Bool[i] = kind == 't'
			return kind == 't' || kind == 'f'
		}
	case types.Int, types.BigInt:
		bits := intBits[t.Kind]
		return func(text []byte, kind byte, out *vec.Vector, i int32) bool {
			n, err := strconv.ParseInt(string(text), 10, bits)
			out.I64[i] = n
			return kind == '0' && err == nil
		}
	case types.Double:
		return func(text []byte, kind byte, out *vec.Vector, i int32) bool {
			f, err := strconv.ParseFloat(string(text), 64)
			out.F64[i] = f
			return kind == '0' && err == nil
		}
	}
	return nil
}

func bindJSONExists(args []fn.Arg) (*fn.Bound, error) {
	const syntax = "JSON_EXISTS(json, path …)"
	ts, err := bind(syntax, args, 1, stringArg, stringArg, stringArg)
	if err != nil {
		return nil, err
	}
	if err := checkPath(args[1]); err != nil {
		return nil, err
	}
	onError, err := clauseWord(syntax, args, 2)
	if err != nil {
		return nil, err
	}
	return &fn.Bound{Params: ts, Result: boolean, New: func() fn.Kernel {
		j := &jsonLookup{}
		return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, i := range rows {
				valid, err := j.find(args, i)
				if err != nil {
					return err
				}
				out.Bool[i] = len(j.found) > 0
				if valid {
					continue
				}
				out.Bool[i] = onError == "TRUE"
				if onError == "UNKNOWN" {
					out.SetNull(int(i))
				}
				if onError == "ERROR" {
					return clause{word: onError}.apply(args, i, out)
				}
			}
			return nil
		}
	}}, nil
}

// bindJSONQuery takes json, path and perhaps returning, wrapper, onEmpty,
// onError.
func bindJSONQuery(args []fn.Arg) (*fn.Bound, error) {
	const syntax = "JSON_QUERY(json, path …)"
	ts, err := bind(syntax, args, 4, stringArg, stringArg, anyArg, stringArg, stringArg, stringArg)
	if err != nil {
		return nil, err
	}
	if err := checkPath(args[1]); err != nil {
		return nil, err
	}
	if len(args) > 2 && args[2].Type.Kind != types.Null && !args[2].Type.IsString() {
		return nil, fmt.Errorf("JSON_QUERY RETURNING %s is not supported yet; it returns STRING", args[2].Type.Text())
	}
	var words [3]string
	for i := range words {
		if words[i], err = clauseWord(syntax, args, 3+i); err != nil {
			return nil, err
		}
	}
	if len(ts) > 2 {
		ts[2] = types.String()
	}
	q := jsonQuery{wrapper: words[0], empty: words[1], failed: words[2]}
	return &fn.Bound{Params: ts, Result: types.String(), NullAware: true, New: func() fn.Kernel { return q.kernel() }}, nil
}

type jsonQuery struct{ wrapper, empty, failed string }

func (q jsonQuery) kernel() fn.Kernel {
	j := &jsonLookup{}
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, i := range rows {
			if args[0].IsNull(int(i)) || args[1].IsNull(int(i)) {
				out.SetNull(int(i))
				continue
			}
			if err := q.row(j, args, i, out); err != nil {
				return err
			}
		}
		return nil
	}
}

func (q jsonQuery) row(j *jsonLookup, args []*vec.Vector, i int32, out *vec.Vector) error {
	valid, err := j.find(args, i)
	if err != nil {
		return err
	}
	text, ok := q.wrap(j)
	if !valid || !ok {
		if j.lax {
			return q.otherwise(q.empty, args, i, out)
		}
		return q.otherwise(q.failed, args, i, out)
	}
	out.SetBytes(int(i), text)
	return nil
}

// wrap writes what was found, in an array if the clause says so, which is for
// all but an array if it is conditional, or the path has [*]; not ok if what
// would stand there is neither object nor array.
func (q jsonQuery) wrap(j *jsonLookup) ([]byte, bool) {
	j.text = j.text[:0]
	wrap := j.many
	if !wrap {
		if len(j.found) == 0 {
			return nil, false
		}
		kind := j.doc.nodes[j.found[0]].kind
		wrap = q.wrapper == "WITH UNCONDITIONAL" || q.wrapper == "WITH CONDITIONAL" && kind != '['
		if !wrap && kind != '[' && kind != '{' {
			return nil, false
		}
	}
	if wrap {
		j.text = append(j.text, '[')
	}
	for n, at := range j.found {
		if n > 0 {
			j.text = append(j.text, ',')
		}
		j.text = j.doc.write(j.text, at)
	}
	if wrap {
		j.text = append(j.text, ']')
	}
	return j.text, true
}

func (q jsonQuery) otherwise(word string, args []*vec.Vector, i int32, out *vec.Vector) error {
	switch word {
	case "EMPTY ARRAY":
		out.SetString(int(i), "[]")
		return nil
	case "EMPTY OBJECT":
		out.SetString(int(i), "{}")
		return nil
	}
	return clause{word: word}.apply(args, i, out)
}
