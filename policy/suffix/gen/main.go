// Command gen writes the tables of package suffix from the rules of golang.org/x/net/publicsuffix, the version in
// go.mod.
//
//	go generate ./policy/suffix
package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"
)

func main() {
	log.SetFlags(0)
	icann, private, err := rules()
	if err != nil {
		log.Fatal(err)
	}
	for name, rules := range map[string][]string{"icann.txt": icann, "private.txt": private} {
		if err := os.WriteFile(name, table(rules), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	log.Print(publicsuffix.List)
}

// table is the names of two labels and more, reversed and sorted, a line each.
func table(rules []string) []byte {
	var lines []string
	for _, rule := range rules {
		exception := strings.HasPrefix(rule, "!")
		labels := strings.Split(strings.TrimPrefix(rule, "!"), ".")
		if len(labels) < 2 {
			continue
		}
		if exception {
			labels[0] = "!" + labels[0]
		}
		slices.Reverse(labels)
		lines = append(lines, strings.Join(labels, "."))
	}
	slices.Sort(lines)
	return []byte(strings.Join(slices.Compact(lines), "\n") + "\n")
}

// rules are those of the package's own test, which has the list as text: the package has a trie alone, without a way to
// list the trie.
func rules() (icann, private []string, err error) {
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", "golang.org/x/net/publicsuffix").Output()
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(strings.TrimSpace(string(folder)), "table_test.go")
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	var all []string
	count := 0
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			v, ok := s.(*ast.ValueSpec)
			if !ok || len(v.Names) != 1 || len(v.Values) != 1 {
				continue
			}
			switch v.Names[0].Name {
			case "numICANNRules":
				count, err = strconv.Atoi(v.Values[0].(*ast.BasicLit).Value)
			case "rules":
				all, err = texts(v.Values[0].(*ast.CompositeLit))
			}
			if err != nil {
				return nil, nil, err
			}
		}
	}
	if count < 1000 || len(all) < count+1000 {
		return nil, nil, errors.New(file + " has not the two lists that it had")
	}
	return all[:count], all[count:], nil
}

func texts(list *ast.CompositeLit) ([]string, error) {
	var all []string
	for _, e := range list.Elts {
		s, err := strconv.Unquote(e.(*ast.BasicLit).Value)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}
