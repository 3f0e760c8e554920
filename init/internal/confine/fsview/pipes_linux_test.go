package fsview

import (
	"slices"
	"strconv"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// TestPipes puts named pipes where nothing may be written, and where something may.
func TestPipes(t *testing.T) {
	for _, c := range []struct {
		name, tree string
		pipes      []string
		wish       wish
		want       string
	}{
		{"in a read-only folder", "home/\n p/.git/x\n p/a/b/c/x", []string{"p/a/f", "p/a/b/c/g", "p/h"}, wish{write: []string{"T/p"}, noWrite: []string{"T/p/a"}},
			"frozen T/p/.git\n frozen T/p/a\n denied T/p/a/b/c/g\n denied T/p/a/f"},
		{"itself", "home/\n p/.git/x", []string{"p/f"}, wish{write: []string{"T/p"}, noWrite: []string{"T/p/f"}}, "frozen T/p/.git\n denied T/p/f"},
		{"in a read grant", "home/\n p/a/", []string{"p/a/f", "p/g"}, wish{read: []string{"T/p"}, noWrite: []string{"T/p/a", "T/p/g"}}, "denied T/p/a/f\n denied T/p/g"},
		{"granted below a read-only folder", "home/\n p/.git/x\n p/a/b/", []string{"p/a/b/f"}, wish{write: []string{"T/p", "T/p/a/b"}, noWrite: []string{"T/p/a"}},
			"frozen T/p/.git"},
		{"protected", "home/\n p/.git/hooks/x", []string{"p/.git/config", "p/.git/hooks/post-commit", "p/.mcp.json"}, wish{write: []string{"T/p"}},
			"frozen T/p/.git\n denied T/p/.git/config\n denied T/p/.git/hooks/post-commit\n denied T/p/.mcp.json"},
		{"denied", "home/\n p/.git/x\n p/a/b/", []string{"p/a/b/f"}, wish{write: []string{"T/p"}, noWrite: []string{"T/p/a"}, noRead: []string{"T/p/a/b"}},
			"frozen T/p/.git\n frozen T/p/a\n denied T/p/a/b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, c.tree)
			for _, path := range c.pipes {
				must(t, unix.Mkfifo(root+"/"+path, 0o666))
			}
			v, err := Plan(c.wish.request(root))
			must(t, err)
			var got []string
			for _, k := range v.Covers {
				if policy.Below(k.Path, root) && k.Kind != Pin {
					got = append(got, relative(root, []string{[]string{"", "frozen", "denied"}[k.Kind] + " " + k.Path})...)
				}
			}
			same(t, "covers", got, lines(c.want))
			if at := root + "/p/.mcp.json"; c.name == "protected" && !slices.Contains(v.Protected, at) {
				t.Errorf("protected: %q", v.Protected)
			}
			build(t, v)
		})
	}
}

// The search of pipes is bounded, whatever the host has there.
func TestPipesAreBounded(t *testing.T) {
	tree := "home/"
	for i := range maxPiped + 10 {
		tree += "\n p/a/" + strconv.Itoa(i) + "/"
	}
	root := plant(t, tree)
	must(t, unix.Mkfifo(root+"/p/a/pipe", 0o666))
	v, err := Plan(wish{write: []string{"T/p"}, noWrite: []string{"T/p/a"}}.request(root))
	must(t, err)
	for _, k := range v.Covers {
		if k.Path == root+"/p/a/pipe" && k.Kind == Deny {
			return
		}
	}
	t.Error("the nearest one is not denied")
}
