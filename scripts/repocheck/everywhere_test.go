package repocheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The packages that scripts/everywhere names for go test are there: one that is not fails the whole run on another system.
func TestEverywhere(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "scripts", "everywhere"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, word := range strings.Fields(string(text)) {
		name, local := strings.CutPrefix(word, "./")
		if !local {
			continue
		}
		found++
		if _, err := os.Stat(filepath.Join(root(t), filepath.FromSlash(strings.TrimSuffix(name, "/...")))); err != nil {
			t.Error(err)
		}
	}
	if found < 10 {
		t.Errorf("only %d packages", found)
	}
}
