package repocheck

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What a document names is there: files that it links to or calls by their path from the top, tests, variables of the tests'
// environment, and what make makes. Who renames one of them sees here where it is told of.
func TestDocsNameWhatIsThere(t *testing.T) {
	top := root(t)
	var code strings.Builder
	for _, name := range files(t) {
		if ext := path.Ext(name); ext != ".md" && (ext == ".go" || ext == "" || ext == ".yml") && name != "scripts/repocheck/docs_test.go" {
			text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(name)))
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			code.Write(text)
		}
	}
	all := code.String()
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(top, filepath.FromSlash(name)))
		return err == nil
	}
	inDir := func(dir, name string) bool { return exists(path.Join(dir, name)) }
	names := []struct {
		pattern string
		there   func(dir, name string) bool
	}{
		{`\]\(([^)#:]+)(?:#[^)]*)?\)`, inDir},
		{`\]\(([^):]*#[^)]+)\)`, func(dir, link string) bool { return hasHeading(t, top, dir, link) }},
		{"`((?:cmd|docs|init|launcher|platform|policy|scripts|testdata)/[a-zA-Z0-9_./-]+)`", func(_, name string) bool { return exists(name) }},
		{"[ `]((?:layers|launch|shim)/[a-z_]+\\.go)", func(_, name string) bool {
			return inDir("init/internal/confine", name) || inDir("init/internal/supervise", name)
		}},
		{"[ `]\\./((?:cmd|init|launcher|platform|policy|scripts)/[a-zA-Z0-9_/-]+)", func(_, name string) bool { return exists(name) }},
		{`\b((?:Test|Fuzz)[A-Z]\w+)`, func(_, name string) bool { return strings.Contains(all, "func "+name+"(") }},
		{`\b(MCP_SANDBOX_[A-Z_]+)`, func(_, name string) bool { return strings.Contains(all, name) }},
		{"`make ([a-z-]+)", func(_, name string) bool { return strings.Contains(all, "\n"+name+": ;") }},
	}
	found := make([]int, len(names))
	for _, name := range files(t) {
		if path.Ext(name) != ".md" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range names {
			for _, m := range regexp.MustCompile(n.pattern).FindAllStringSubmatch(string(text), -1) {
				found[i]++
				if strings.HasPrefix(m[1], "#") { // in the document itself
					m[1] = path.Base(name) + m[1]
				}
				if !n.there(path.Dir(name), m[1]) {
					t.Errorf("%s names %s, which is not there", name, m[1])
				}
			}
		}
	}
	for i, n := range found {
		if n == 0 {
			t.Errorf("nothing matches %s: the test looks for the wrong thing", names[i].pattern)
		}
	}
}

// hasHeading reports whether a link with an anchor leads to a heading: its words in lower case, with hyphens.
func hasHeading(t *testing.T, top, dir, link string) bool {
	t.Helper()
	name, anchor, _ := strings.Cut(link, "#")
	text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(path.Join(dir, name))))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if words, is := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); is && line[0] == '#' {
			words = regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(words)), "")
			if strings.ReplaceAll(words, " ", "-") == anchor {
				return true
			}
		}
	}
	return false
}
