package scalar_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
)

// written are functions that scripts do not call by name.
var written = map[string]string{"IN_SET": " IN (", "ITEM": "[1]"}

// TestRegistry: every function explains itself and occurs in a script.
func TestRegistry(t *testing.T) {
	var scripts strings.Builder
	files, err := filepath.Glob("testdata/*")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts: ", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(text)
	}
	for _, f := range fn.All() {
		if f.Doc == "" || f.Syntax == "" || !strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s has no doc or syntax", f.Name)
		}
		name, ok := written[f.Name]
		if !ok {
			name = f.Name
		}
		if !strings.Contains(scripts.String(), name) {
			t.Errorf("%s is in no script", f.Name)
		}
	}
}
