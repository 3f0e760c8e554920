package repocheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A program of the product does not take a client's variables for its user's word: tests alone do, and what they share.
func TestOnlyTestsTrustTheEnvironment(t *testing.T) {
	found := false
	for _, s := range sources(t) {
		text, err := os.ReadFile(filepath.Join(root(t), s.path))
		if err != nil {
			t.Fatal(err)
		}
		calls := strings.Contains(string(text), "platform."+"EnvironmentIsUsers()")
		if found = found || calls && s.dir == "scripts/testbed"; calls && !s.test && s.dir != "scripts/testbed" {
			t.Errorf("%s has every variable count as the user's", s.path)
		}
		for _, p := range s.imports {
			product := below(s.dir, "cmd") || below(s.dir, "init") || below(s.dir, "launcher/packages/store")
			if p == module+"/scripts/testbed" && product && !s.test && !below(s.dir, testOnly) {
				t.Errorf("%s imports %s, in which every variable counts", s.path, p)
			}
		}
	}
	if !found {
		t.Error("scripts/testbed does not call it: the test looks for the wrong thing")
	}
}

// Every variable by which the product goes stands in a table of docs/SECURITY.md, with the reason why an entry may set
// it. What package managers are asked with has a page of its own.
func TestVariablesAreNamed(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root(t), "docs", "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## What the environment of mcp-sandbox run decides\n")
	section, _, _ = strings.Cut(section, "\n## ")
	found := map[string]bool{}
	for _, s := range sources(t) {
		first, _, _ := strings.Cut(s.dir, "/")
		if s.test || !slices.Contains(strings.Fields("cmd init launcher platform policy"), first) ||
			below(s.dir, testOnly) || below(s.dir, "launcher/packages/install") || strings.HasSuffix(s.path, "_windows.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), s.path), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			name := ""
			switch f := call.Fun.(type) {
			case *ast.Ident:
				name = f.Name
			case *ast.SelectorExpr:
				name = f.Sel.Name
			}
			literal, ok := call.Args[0].(*ast.BasicLit)
			if !ok || !slices.Contains([]string{"Getenv", "LookupEnv", "getenv", "env"}, name) {
				return true
			}
			variable, err := strconv.Unquote(literal.Value)
			if found[variable] = true; err != nil || !strings.Contains(section, "`"+variable+"`") {
				t.Errorf("%s goes by %s, of which docs/SECURITY.md says nothing", s.path, variable)
			}
			return true
		})
	}
	if !found["TMPDIR"] || !found["no_proxy"] {
		t.Errorf("only %v: the test looks for the wrong thing", found)
	}
}
