package repocheck

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// The top level is fixed; names that begin with a dot are free.
func TestTopLevel(t *testing.T) {
	want := strings.Fields("LICENSE Makefile README.md cmd docs go.mod go.sum init launcher platform policy scripts testdata")
	entries, err := os.ReadDir(root(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !ignored(e.Name()) {
			got = append(got, e.Name())
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("top level %v, want %v", got, want)
	}
	if _, err := os.Stat(path.Join(root(t), ".github")); err != nil {
		t.Error(err)
	}
}

// A package named init cannot be imported under its own name.
func TestInitHoldsPackagesOnly(t *testing.T) {
	entries, err := os.ReadDir(path.Join(root(t), "init"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			t.Errorf("init/%s is a file", e.Name())
		}
	}
}

const longest = 250 // lines of one file

func TestFilesAreShort(t *testing.T) {
	for _, s := range sources(t) {
		if s.lines > longest {
			t.Errorf("%s has %d lines", s.path, s.lines)
		}
	}
	for _, name := range files(t) {
		switch path.Ext(name) {
		case ".s", ".c", ".mjs", ".sh":
			text, err := os.ReadFile(path.Join(root(t), name))
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(text), "\n"); n > longest {
				t.Errorf("%s has %d lines", name, n)
			}
		}
	}
}

// Each package says once what it is, in a sentence that begins with its name.
func TestPackageDocs(t *testing.T) {
	docs, packages := map[string][]string{}, map[string]string{}
	for _, s := range sources(t) {
		name := s.syntax.Name.Name
		if !s.test {
			packages[s.dir] = name
		}
		if s.syntax.Doc == nil {
			continue
		}
		text := s.syntax.Doc.Text()
		first := "Package " + name + " "
		if name == "main" {
			first = "Command " + path.Base(s.dir) + " "
		}
		if s.test || !strings.HasPrefix(text, first) {
			t.Errorf("%s: a comment before the package clause that does not begin with %q", s.path, first)
		}
		if sentence, _, whole := strings.Cut(text, "."); !whole || len(sentence) < 20 {
			t.Errorf("%s: the first sentence says nothing", s.path)
		}
		docs[s.dir] = append(docs[s.dir], s.path)
	}
	for dir := range packages {
		if len(docs[dir]) != 1 {
			t.Errorf("%s: package comments in %v", dir, docs[dir])
		}
	}
	if len(packages) < 15 {
		t.Errorf("only %d packages", len(packages))
	}
}
