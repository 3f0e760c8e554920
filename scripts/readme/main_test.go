package readme

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

func TestMain(m *testing.M) {
	testbed.Nameless() // a reader's home is a folder of the test
	os.Exit(testbed.Run(m))
}

// embedding is docs/embedding.md.
func embedding(t *testing.T) string { return document(t, "docs/embedding.md") }

// text is README.md.
func text(t *testing.T) string { return document(t, "README.md") }

// document is a file of the repository.
func document(t *testing.T, name string) string {
	t.Helper()
	root, err := testbed.Root()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}

// A fence in a language that no test reads would be an example that nobody tries.
func TestLanguages(t *testing.T) {
	for document, want := range map[string]map[string]int{
		text(t):      {"json": 4, "sh": 7, "text": 1},
		embedding(t): {"go": 1, "ts": 1, "python": 1, "sh": 1, "c": 1},
	} {
		got := map[string]int{}
		for line := range strings.Lines(document) {
			if language, found := strings.CutPrefix(strings.TrimSpace(line), "```"); found && language != "" {
				got[language]++
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("blocks %v, tests read %v", got, want)
		}
		for language, n := range want {
			if blocks := len(Blocks(document, language)); blocks != n {
				t.Errorf("%d blocks of %s, want %d", blocks, language, n)
			}
		}
	}
}

func TestBlocks(t *testing.T) {
	got := Blocks("a\n```sh\nb\nc\n```\n```json\n{}\n```\n\n```sh\nd\n```\n", "sh")
	if want := []string{"b\nc\n", "d\n"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
