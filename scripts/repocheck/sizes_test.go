package repocheck

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What one part of the production code may hold at most.
const (
	mostFields  = 12 // of a struct
	mostMethods = 15 // of a type, those of all systems together
	mostLines   = 60 // of a function
	mostColumns = 120
)

// foreign are structs whose fields are not this project's to choose, or are those of a document for users: each is a key.
var foreign = map[string]bool{
	"init/order.Enforced":  true, // the first line of a report
	"init/order.Exited":    true, // the last line of a report
	"platform.startupInfo": true, // Windows
	"policy.Policy":        true, // the policy's document
}

// TestSizes holds the production code to sizes that can be understood at once.
func TestSizes(t *testing.T) {
	over := map[string]string{}
	methods := map[string]map[string]bool{}
	for _, s := range sources(t) {
		if s.test || strings.HasSuffix(s.path, "_gen.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root(t), s.path))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if n := len([]rune(strings.ReplaceAll(line, "\t", "    "))); n > mostColumns {
				t.Errorf("%s:%d has %d columns, more than %d", s.path, i+1, n, mostColumns)
			}
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, s.path, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if lines := fset.Position(n.End()).Line - fset.Position(n.Pos()).Line + 1; lines > mostLines {
					over[s.dir+"."+n.Name.Name] = fmt.Sprintf("%d lines, more than %d", lines, mostLines)
				}
				if n.Recv != nil {
					name := s.dir + "." + receiver(n.Recv.List[0].Type)
					if methods[name] == nil {
						methods[name] = map[string]bool{}
					}
					methods[name][n.Name.Name] = true
				}
			case *ast.TypeSpec:
				if st, ok := n.Type.(*ast.StructType); ok && !foreign[s.dir+"."+n.Name.Name] {
					if fields := st.Fields.NumFields(); fields > mostFields {
						over[s.dir+"."+n.Name.Name] = fmt.Sprintf("%d fields, more than %d", fields, mostFields)
					}
				}
			}
			return true
		})
	}
	for name, all := range methods {
		if len(all) > mostMethods {
			over[name] += fmt.Sprintf(" %d methods, more than %d", len(all), mostMethods)
		}
	}
	for name, how := range over {
		t.Errorf("%s has %s", name, strings.TrimSpace(how))
	}
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
