package perr

import (
	"errors"
	"testing"

	"github.com/sqlstream/sqlstream/parser/ast"
)

func TestError(t *testing.T) {
	at := ast.Pos{Line: 3, Col: 14}
	for want, err := range map[string]error{
		`line 3:14: column "a" not found; did you mean "b"?`: New(at, "column %q not found", "a").WithHint("did you mean %q?", "b"),
		"line 3:14: PIVOT is not supported yet":              NotYet(at, "PIVOT"),
		"line 3:14: no such thing":                           At(at, errors.New("no such thing")),
		"line 1:1: kept":                                     At(at, New(ast.Pos{Line: 1, Col: 1}, "kept")),
		"nowhere":                                            New(ast.Pos{}, "nowhere"),
	} {
		if err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	}
	if At(at, nil) != nil {
		t.Error("no error became one")
	}
}
