package repocheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program of the product does not take a client's variables for its user's word: tests alone do, and what they share.
func TestOnlyTestsTrustTheEnvironment(t *testing.T) {
	found := false
	for _, s := range sources(t) {
		text, err := os.ReadFile(filepath.Join(root(t), s.path))
		if err != nil {
			t.Fatal(err)
		}
		calls := strings.Contains(string(text), "platform."+"EnvironmentIsUsers()")
		if found = found || calls && s.dir == "scripts/testbed"; calls && !s.test && s.dir != "scripts/testbed" {
			t.Errorf("%s has every variable count as the user's", s.path)
		}
		for _, p := range s.imports {
			product := below(s.dir, "cmd") && !below(s.dir, "cmd/internal/scripttest") || below(s.dir, "init") || below(s.dir, "store")
			if p == module+"/scripts/testbed" && product && !s.test && !below(s.dir, testOnly) {
				t.Errorf("%s imports %s, in which every variable counts", s.path, p)
			}
		}
	}
	if !found {
		t.Error("scripts/testbed does not call it: the test looks for the wrong thing")
	}
}
