package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The packages that every start of the shim pays for import nothing that is dear, and have nothing to initialise.
func TestImports(t *testing.T) {
	allowed := []string{"embed", "errors", "math", "math/bits", "net/netip", "path", "runtime", "slices", "strconv", "strings", "time", "unicode/utf16",
		"unicode/utf8", "github.com/security-mcp/mcp-sandbox/policy/nearest", "github.com/security-mcp/mcp-sandbox/policy/strictjson", "github.com/security-mcp/mcp-sandbox/policy/suffix",
		"github.com/security-mcp/mcp-sandbox/policy/text"}
	files := 0
	for _, folder := range []string{".", "nearest", "strictjson", "suffix", "text"} {
		names, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			files++
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range f.Imports {
				if path, _ := strconv.Unquote(spec.Path.Value); !slices.Contains(allowed, path) {
					t.Errorf("%s imports %s", name, path)
				}
			}
			for _, d := range f.Decls {
				initialised(t, name, d)
			}
		}
	}
	if files < 20 {
		t.Errorf("only %d files looked at", files)
	}
}

// initialised reports what would run before main: init functions, and variables made by a call or of a map. Function
// literals are data.
func initialised(t *testing.T, file string, d ast.Decl) {
	if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
		t.Errorf("%s has an init function", file)
	}
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR {
		return
	}
	ast.Inspect(g, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr, *ast.MapType:
			t.Errorf("%s has a variable that is made at the start", file)
		}
		return true
	})
}
