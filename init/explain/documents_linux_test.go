package explain

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the goldens in testdata instead of comparing with them")

// The goldens are the valid documents of package policy, in sentences, with the defaults of Linux.
func TestDocuments(t *testing.T) {
	files, err := filepath.Glob("../../policy/testdata/valid/*.json")
	if err != nil || len(files) < 10 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		doc, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", strings.TrimSuffix(filepath.Base(file), ".json")+".golden")
		got := textOf(of(t, string(doc)))
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || got != string(want) {
			t.Errorf("%s: %v: got\n%s", golden, err, got)
		}
	}
}
