package parser

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// TestMutationsAreRefusedInOurWords drops, doubles, swaps and replaces tokens of real statements.
// Whatever comes out is parsed, or refused at a place in the text and in our own words; what is
// parsed survives printing.
func TestMutationsAreRefusedInOurWords(t *testing.T) {
	var texts []string
	for _, file := range conformanceFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for _, file := range []string{"expr", "query", "ddl", "statements"} {
		text, err := os.ReadFile("testdata/" + file + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, scriptInputs(string(text))...)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, text := range texts {
		for range 4 {
			checkMutation(t, mutate(r, text, texts))
		}
	}
}

// mutate changes one to three tokens of the last statement of text.
func mutate(r *rand.Rand, text string, texts []string) string {
	fragments, err := Split(text)
	if err != nil || len(fragments) == 0 {
		return text
	}
	words := tokenTexts(fragments[len(fragments)-1].Text)
	for range 1 + r.IntN(3) {
		if len(words) < 2 {
			break
		}
		i, j := r.IntN(len(words)), r.IntN(len(words))
		switch r.IntN(5) {
		case 0:
			words = append(words[:i:i], words[i+1:]...)
		case 1:
			words = append(words[:i:i], append([]string{words[j]}, words[i:]...)...)
		case 2:
			words[i], words[j] = words[j], words[i]
		case 3:
			words[i] = words[j]
		case 4:
			if other := tokenTexts(texts[r.IntN(len(texts))]); len(other) > 0 {
				words[i] = other[r.IntN(len(other))]
			}
		}
	}
	return strings.Join(words, " ")
}

func tokenTexts(text string) []string {
	toks, _ := lex(text)
	var words []string
	for _, t := range toks[:len(toks)-1] {
		words = append(words, t.text)
	}
	return words
}

func checkMutation(t *testing.T, text string) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%s\npanic: %v", text, r)
		}
	}()
	stmts, err := Parse(text)
	if err != nil {
		e := err.(*Error)
		if !e.Pos.IsValid() || e.Caret(text) == "" {
			t.Errorf("%s\nno place in the text: %v", text, e)
		}
		if foreignWording.MatchString(e.Msg+e.Hint) || strings.Contains(e.Msg, fallbackMessage) {
			t.Errorf("%s\n%v", text, e)
		}
		return
	}
	for _, s := range stmts {
		once := ast.Print(s)
		again, err := reparse(s, once)
		if err != nil {
			t.Errorf("%s\nprinted as %s\n%v", text, once, err)
		} else if twice := ast.Print(again); twice != once {
			t.Errorf("%s\nprinted as\n%s\nand then as\n%s", text, once, twice)
		}
	}
}
