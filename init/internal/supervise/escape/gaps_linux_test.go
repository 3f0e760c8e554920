package escape_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// gaps are what confinement full is known to let through, in the words of docs/SECURITY.md: whoever finds another adds it
// to both, and whoever closes one takes it from both and adds the row that is refused.
func gaps() []string {
	return []string{
		"a core dump may reach the host's core_pattern program",
	}
}

func TestKnownGapsAreDocumented(t *testing.T) {
	root, err := testbed.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs/SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Known gaps of full\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for line := range strings.Lines(section) {
		if item, ok := strings.CutPrefix(line, "- "); ok {
			name, _, _ := strings.Cut(strings.TrimSpace(item), ":")
			listed = append(listed, name)
		}
	}
	if !slices.Equal(listed, gaps()) {
		t.Errorf("docs/SECURITY.md lists %q, the table %q", listed, gaps())
	}
}
