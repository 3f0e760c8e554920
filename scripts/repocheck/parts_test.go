package repocheck

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the parts of the suite are for: tests that only root runs whole, and packages that start goroutines on Linux.
var (
	onlyRoot   = regexp.MustCompile(`testbed\.Privileged\(|\bGete?uid\(\) != 0 `)
	concurrent = regexp.MustCompile(`(?m)^\s*go (func\(|[\w.]+\()|\.Go\(func`)
	elsewhere  = regexp.MustCompile(`_(windows|darwin)\.go$|^(scripts|testdata|init/internal/test)/|/testdata/`)
)

// A part of the suite is made of lines of scripts/parts.
type part struct {
	packages, left, tests []string
}

// Each line of scripts/parts names a package or a test that is there, and says why; and no package is missing.
func TestParts(t *testing.T) {
	need := map[string]map[string]bool{"root": {}, "race": {}, "race-user": {}}
	tests := map[string]bool{}
	for _, name := range files(t) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		source, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			need["race"][path.Dir(name)] = need["race"][path.Dir(name)] || concurrent.Match(source) && !elsewhere.MatchString(name)
			continue
		}
		need["root"][path.Dir(name)] = need["root"][path.Dir(name)] || onlyRoot.Match(source)
		for line := range strings.Lines(string(source)) {
			if after, is := strings.CutPrefix(line, "func "); is {
				test, _, _ := strings.Cut(after, "(")
				tests[test] = true
			}
		}
	}
	parts := readParts(t)
	for name, dirs := range need {
		p := parts[name]
		for _, test := range p.tests {
			if !tests[test] {
				t.Errorf("%s: no test %s", name, test)
			}
		}
		for _, at := range append(p.packages, p.left...) {
			local, is := strings.CutPrefix(at, "./")
			tree, all := strings.CutSuffix(local, "/...")
			if _, err := os.Stat(filepath.Join(root(t), filepath.FromSlash(tree))); !is || err != nil {
				t.Errorf("%s: no package %s: %v", name, at, err)
			}
			for dir := range dirs {
				if dir == tree || all && below(dir, tree) {
					dirs[dir] = false
				}
			}
		}
		for dir, missing := range dirs {
			if missing {
				t.Errorf("%s: nothing is said of %s", name, dir)
			}
		}
		if len(p.packages) < 10 && len(dirs) > 0 {
			t.Errorf("%s: only %v", name, p.packages)
		}
	}
}

// readParts reads scripts/parts; what is for both parts is in both.
func readParts(t *testing.T) map[string]*part {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "scripts", "parts"))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]*part{"root": {}, "race": {}, "race-user": {}}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		at, why, _ := strings.Cut(rest, " ")
		if why == "" {
			t.Errorf("%s: no reason", line)
		}
		name, not := strings.CutPrefix(name, "not-")
		if name == "both" && !not {
			parts["root"].packages, parts["race"].packages = append(parts["root"].packages, at), append(parts["race"].packages, at)
			continue
		}
		p := parts[name]
		switch {
		case p == nil:
			t.Fatalf("%s: no such part", line)
		case not && strings.HasPrefix(at, "./"):
			p.left = append(p.left, at)
		case not:
			p.tests = append(p.tests, at)
		default:
			p.packages = append(p.packages, at)
		}
	}
	return parts
}
