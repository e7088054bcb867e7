package connectors

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec"
)

// The option that says what a sink promises, under its two names.
const (
	SemanticKey  = "sink.semantic"
	GuaranteeKey = "sink.delivery-guarantee"
)

// Guarantees are its values, in the order of exec.Guarantee.
var Guarantees = []string{"none", "at-least-once", "exactly-once"}

// GuaranteeOf reads the option of a sink that describes both names as Enum of
// Guarantees. Two different values are refused.
func GuaranteeOf(o *Options) (exec.Guarantee, error) {
	value := o.Enum(GuaranteeKey)
	if o.Given(SemanticKey) {
		if o.Given(GuaranteeKey) && o.Enum(SemanticKey) != value {
			return 0, fmt.Errorf("options '%s' = '%s' and '%s' = '%s' say different things; they are two names of one option, give one",
				SemanticKey, o.Text(SemanticKey), GuaranteeKey, o.Text(GuaranteeKey))
		}
		value = o.Enum(SemanticKey)
	}
	for i, g := range Guarantees {
		if g == value {
			return exec.Guarantee(i), nil
		}
	}
	panic("connectors: guarantee " + value)
}
