package repocheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// The policy in docs/deployment.md's manifest is one, and this version enforces it.
func TestDeploymentPolicy(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "deployment.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "policy.json: |\n")
	doc, _, ended := strings.Cut(after, "---\n")
	if !found || !ended {
		t.Fatal("the manifest has no policy.json")
	}
	if _, err := policy.Parse([]byte(doc)); err != nil {
		t.Error(err)
	}
}
