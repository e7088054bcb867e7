package format

import (
	"fmt"

	"github.com/sqlstream/sqlstream/connectors"
)

func init() {
	Register(&Format{
		Name: "json",
		Doc:  "One JSON object a message; nested objects are ROWs, arrays ARRAYs, objects with free keys MAPs.",
		Options: []connectors.Option{
			{Key: "json.fail-on-missing-field", Kind: connectors.Boolean, Default: "false", Doc: "fail when a declared field is missing, instead of reading NULL"},
			{Key: "json.ignore-parse-errors", Kind: connectors.Boolean, Default: "false", Doc: "a field that cannot be read is NULL, a message that cannot be read is left out"},
			{Key: "json.timestamp-format.standard", Kind: connectors.Enum, Default: "SQL", Values: []string{"SQL", "ISO-8601"}, Doc: "'2024-01-31 10:11:12.5' or '2024-01-31T10:11:12.5'; TIMESTAMP_LTZ ends in Z"},
			{Key: "json.map-null-key.mode", Kind: connectors.Enum, Default: "FAIL", Values: []string{"FAIL", "DROP", "LITERAL"}, Doc: "what writing a map with a NULL key does"},
			{Key: "json.map-null-key.literal", Default: "null", Doc: "the text that stands for a NULL key with mode LITERAL"},
			{Key: "json.encode.decimal-as-plain-number", Kind: connectors.Boolean, Default: "false", Doc: "write decimals without exponent (they always are)"},
			{Key: "json.encode.ignore-null-fields", Kind: connectors.Boolean, Default: "false", Doc: "leave fields out that are NULL"},
			{Key: "json.decode.json-parser.enabled", Kind: connectors.Boolean, Default: "true", Doc: "accepted for Flink's sake; there is one parser"},
		},
		Decoder: func(s *DecodeSpec) (Decoder, error) { return newJSONDecoder(s) },
		Encoder: func(s *EncodeSpec) (Encoder, error) { return newJSONEncoder(s) },
	})
}

// jsonOptions are the options of one use of the format.
type jsonOptions struct {
	failOnMissing, ignoreErrors bool
	iso                         bool
	nullKey                     string // FAIL, DROP, LITERAL
	nullLiteral                 string
	ignoreNulls                 bool
}

func jsonOptionsOf(o *connectors.Options, prefix string) jsonOptions {
	key := func(k string) string { return prefix + "json." + k }
	if o == nil {
		return jsonOptions{nullKey: "fail"}
	}
	return jsonOptions{
		failOnMissing: o.Bool(key("fail-on-missing-field")),
		ignoreErrors:  o.Bool(key("ignore-parse-errors")),
		iso:           o.Enum(key("timestamp-format.standard")) == "iso-8601",
		nullKey:       o.Enum(key("map-null-key.mode")),
		nullLiteral:   o.Text(key("map-null-key.literal")),
		ignoreNulls:   o.Bool(key("encode.ignore-null-fields")),
	}
}

// errType is a type that JSON cannot carry.
func errType(t fmt.Stringer) error { return fmt.Errorf("type %s cannot be a JSON value", t) }
