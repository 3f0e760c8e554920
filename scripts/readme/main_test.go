package readme

import (
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
	read := map[string]int{"json": 4, "sh": 7, "text": 1, "go": 1, "c": 1}
	fences := 0
	for line := range strings.Lines(text(t)) {
		if language, found := strings.CutPrefix(strings.TrimSpace(line), "```"); found && language != "" {
			fences++
			if read[language] == 0 {
				t.Errorf("a block of %q: no test reads those", language)
			}
		}
	}
	blocks := 0
	for language, least := range read {
		n := len(Blocks(text(t), language))
		if blocks += n; n < least {
			t.Errorf("%d blocks of %s, want %d or more", n, language, least)
		}
	}
	if fences != blocks {
		t.Errorf("%d fences, %d blocks", fences, blocks)
	}
}

func TestBlocks(t *testing.T) {
	got := Blocks("a\n```sh\nb\nc\n```\n```json\n{}\n```\n\n```sh\nd\n```\n", "sh")
	if want := []string{"b\nc\n", "d\n"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
