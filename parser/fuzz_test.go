package parser

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// seeds are the conformance cases and the inputs of the scripts.
func seeds(f *testing.F) {
	for _, file := range conformanceFiles(f) {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, file := range []string{"expr", "query", "ddl", "statements", "errors", "broken"} {
		text, err := os.ReadFile("testdata/" + file + ".txt")
		if err != nil {
			f.Fatal(err)
		}
		for _, input := range scriptInputs(string(text)) {
			f.Add(input)
		}
	}
}

// scriptInputs are the inputs of a script; expressions become queries.
func scriptInputs(script string) []string {
	var inputs []string
	for _, block := range strings.Split(script, "\n\n") {
		_, input, _ := strings.Cut(block, "\n")
		input, _, _ = strings.Cut(input, "\n----")
		if strings.HasPrefix(block, "expr") {
			input = "SELECT " + input
		}
		inputs = append(inputs, input)
	}
	return inputs
}

// foreignWording is what must never be in a message: TiDB's words and our slots.
var foreignWording = regexp.MustCompile("(?i)tidb|pingcap|near \"|\\[parser:|" + "mariadb|`[0-9]+` *\\(")

func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		_, err := Parse(text)
		Split(text)
		Complete(text)
		if err == nil {
			return
		}
		e := err.(*Error)
		if !e.Pos.IsValid() || e.Caret(text) == "" {
			t.Errorf("no place in the text: %v", e)
		}
		if foreignWording.MatchString(e.Msg+e.Hint) && !foreignWording.MatchString(text) {
			t.Errorf("foreign wording: %v", e)
		}
		if strings.Contains(e.Msg, fallbackMessage) {
			t.Errorf("the walk over the tokens should have found this: %v", e)
		}
	})
}

func FuzzPrint(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		stmts, err := Parse(text)
		if err != nil {
			return
		}
		for _, s := range stmts {
			once := ast.Print(s)
			again, err := reparse(s, once)
			if err != nil {
				t.Fatalf("printed as\n%s\nwhich does not parse: %v", once, err)
			}
			if twice := ast.Print(again); twice != once {
				t.Fatalf("printed as\n%s\nand then as\n%s", once, twice)
			}
		}
	})
}
