package repocheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// The policies in docs/deployment.md's manifests are some, and this version enforces them.
func TestDeploymentPolicies(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "deployment.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(string(text), "policy.json: |\n")
	for _, after := range all[1:] {
		doc, _, ended := strings.Cut(after, "---\n")
		if _, err := policy.Parse([]byte(doc)); err != nil || !ended {
			t.Error(doc, err)
		}
	}
	if len(all) != 3 {
		t.Errorf("%d manifests with a policy.json", len(all)-1)
	}
}
