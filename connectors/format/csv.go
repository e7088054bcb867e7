package format

import (
	"fmt"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/connectors"
)

func init() {
	Register(&Format{
		Name: "csv",
		Doc:  "One record a message or line, fields in the order of the table's columns (RFC 4180); no header line.",
		Options: []connectors.Option{
			{Key: "csv.field-delimiter", Default: ",", Doc: "one character between fields; '\\t' is a tab"},
			{Key: "csv.disable-quote-character", Kind: connectors.Boolean, Default: "false", Doc: "quotes are text"},
			{Key: "csv.quote-character", Default: `"`, Doc: "encloses fields that hold delimiters, quotes or line ends"},
			{Key: "csv.allow-comments", Kind: connectors.Boolean, Default: "false", Doc: "leave lines out that begin with '#'"},
			{Key: "csv.ignore-parse-errors", Kind: connectors.Boolean, Default: "false", Doc: "a field that cannot be read is NULL, a record that cannot be read is left out"},
			{Key: "csv.array-element-delimiter", Default: ";", Doc: "between the elements of an ARRAY or the fields of a ROW"},
			{Key: "csv.escape-character", Doc: "takes the next character as it is"},
			{Key: "csv.null-literal", Doc: "the text that stands for NULL"},
			{Key: "csv.write-bigdecimal-in-scientific-notation", Kind: connectors.Boolean, Default: "false", Doc: "accepted for Flink's sake; decimals are written plainly"},
		},
		Framing: csvFraming,
		Decoder: func(s *DecodeSpec) (Decoder, error) { return newCSVDecoder(s) },
		Encoder: func(s *EncodeSpec) (Encoder, error) { return newCSVEncoder(s) },
	})
}

// csvOptions are the options of one use of the format; a character of 0 is
// not in use.
type csvOptions struct {
	delimiter, quote, escape byte
	element                  string
	comments, lenient        bool
	null                     string
	hasNull                  bool
}

func csvOptionsOf(o *connectors.Options, prefix string) (csvOptions, error) {
	c := csvOptions{delimiter: ',', quote: '"', element: ";"}
	if o == nil {
		return c, nil
	}
	key := func(k string) string { return prefix + "csv." + k }
	var err error
	character := func(k string) byte {
		b, e := oneByte(o.Text(key(k)))
		if e != nil && err == nil {
			err = fmt.Errorf("option '%s': %w", key(k), e)
		}
		return b
	}
	c.delimiter, c.escape = character("field-delimiter"), character("escape-character")
	if c.quote = character("quote-character"); o.Bool(key("disable-quote-character")) {
		c.quote = 0
	}
	c.element = unescapeDelimiter(o.Text(key("array-element-delimiter")))
	c.comments, c.lenient = o.Bool(key("allow-comments")), o.Bool(key("ignore-parse-errors"))
	c.null, c.hasNull = o.Text(key("null-literal")), o.Given(key("null-literal"))
	return c, err
}

// oneByte reads an option that is a single ASCII character.
func oneByte(s string) (byte, error) {
	s = unescapeDelimiter(s)
	if s == "" {
		return 0, nil
	}
	if utf8.RuneCountInString(s) != 1 {
		return 0, fmt.Errorf("'%s' is not a single character", s)
	}
	if s[0] >= utf8.RuneSelf {
		return 0, &connectors.UnsupportedError{Msg: fmt.Sprintf("the non-ASCII character '%s' is not supported yet", s)}
	}
	return s[0], nil
}

// unescapeDelimiter reads the Java escapes that Flink allows here.
func unescapeDelimiter(s string) string {
	switch s {
	case `\t`:
		return "\t"
	case `\n`:
		return "\n"
	case `\r`:
		return "\r"
	case `\\`:
		return `\`
	}
	return s
}

// csvFraming ends a record at a line end outside quotes; blank lines, and
// comments where allowed, are left out.
func csvFraming(o *connectors.Options, prefix string) Framing {
	c, _ := csvOptionsOf(o, prefix)
	return func(data []byte, atEOF bool) (lo, hi, next int) {
		end, next := c.recordEnd(data, atEOF)
		if next == 0 {
			return 0, 0, 0
		}
		if end == 0 || c.comments && data[0] == '#' {
			return 1, 0, next
		}
		return 0, end, next
	}
}

func (c *csvOptions) recordEnd(data []byte, atEOF bool) (end, next int) {
	quoted := false
	for i := 0; i < len(data); i++ {
		switch b := data[i]; {
		case c.comments && data[0] == '#' && b != '\n':
		case c.escape != 0 && b == c.escape:
			i++
		case c.quote != 0 && b == c.quote && (quoted || i == 0 || data[i-1] == c.delimiter):
			quoted = !quoted
		case c.quote != 0 && b == c.quote && i > 0 && data[i-1] == c.quote:
			quoted = !quoted // a doubled quote inside quotes
		case b == '\n' && !quoted:
			end = i
			if end > 0 && data[end-1] == '\r' {
				end--
			}
			return end, i + 1
		}
	}
	if !atEOF {
		return 0, 0
	}
	return len(data), len(data)
}
