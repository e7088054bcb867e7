package scalar_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/expr/exprtest"
	_ "github.com/sqlstream/sqlstream/exec/fn/scalar"
)

func TestScripts(t *testing.T) { exprtest.Run(t, "testdata") }
