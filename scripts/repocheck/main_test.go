package repocheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

const module = "github.com/security-mcp/mcp-sandbox"

func root(t *testing.T) string {
	t.Helper()
	dir, err := testbed.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// files are the paths of everything below the top but for what the builds leave there, relative and with slashes.
func files(t *testing.T) []string {
	t.Helper()
	top := root(t)
	var all []string
	err := filepath.WalkDir(top, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, at)
		if rel = filepath.ToSlash(rel); rel == "." || err != nil {
			return err
		}
		if d.IsDir() && (ignored(rel) || strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !d.IsDir() {
			all = append(all, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 200 {
		t.Fatalf("only %d files: not the repository", len(all))
	}
	return all
}

// ignored is what .gitignore names.
func ignored(name string) bool {
	return name == "bin" || name == ".cache" || strings.HasSuffix(name, ".test") || strings.HasSuffix(name, ".out")
}

// A source is one Go file as far as these tests look.
type source struct {
	path    string
	dir     string
	test    bool
	lines   int
	imports []string
	syntax  *ast.File
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	for _, name := range files(t) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if os.IsNotExist(err) {
			continue // an editor's, gone since
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		s := source{path: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
			lines: strings.Count(string(text), "\n"), syntax: f}
		for _, spec := range f.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			s.imports = append(s.imports, p)
		}
		all = append(all, s)
	}
	return all
}
