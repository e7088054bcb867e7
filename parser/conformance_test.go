package parser

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// conformanceFiles are the cases of the conformance suite.
func conformanceFiles(t testing.TB) []string {
	files, err := filepath.Glob("../conformance/cases/*/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("SKIPPED: ../conformance/cases is not there, so none of its statements is parsed")
	}
	return files
}

// expectsParseError tells whether the reference system refuses the case as text.
func expectsParseError(t testing.TB, sqlFile string) bool {
	data, err := os.ReadFile(strings.TrimSuffix(sqlFile, ".sql") + ".error")
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(data), "phase: parse")
}

// refusedEarlier are cases that Flink refuses a step later, and why we do not wait.
var refusedEarlier = map[string]string{
	"errors/unknown_type.sql": "the name of a type needs no catalog; the message says which type was meant",
}

func TestConformanceCasesParse(t *testing.T) {
	for _, file := range conformanceFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Parse(string(text))
		refused := expectsParseError(t, file)
		for name := range refusedEarlier {
			refused = refused || strings.HasSuffix(filepath.ToSlash(file), "/"+name)
		}
		switch {
		case refused && err == nil:
			t.Errorf("%s: parsed, but Flink refuses it", file)
		case refused && !err.(*Error).Pos.IsValid():
			t.Errorf("%s: refused without a position: %v", file, err)
		case !refused && err != nil:
			t.Errorf("%s: %s", file, err.(*Error).Render(string(text)))
		}
	}
}
