package fsview

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/protected"
)

// besides are the names that count anywhere, but for some, in a folder.
func besides(folder string, there ...string) (paths []string) {
	for _, name := range slices.Concat(protected.Anywhere(), protected.Beside()) {
		if !slices.Contains(there, name) {
			paths = append(paths, strings.TrimPrefix(folder+"/"+name, "/"))
		}
	}
	return paths
}

func TestProtect(t *testing.T) {
	for _, c := range []struct {
		name       string
		tree       string
		wish       wish
		want       string
		held       string // "" for the same paths that are frozen
		unheld     []string
		warning    string // what a warning says, "" for no warning
		err        error
		names      string
		policyFile string
	}{
		{name: "repository in the root", tree: "home/\n p/.git/hooks/x\n p/a", wish: wish{write: []string{"T/p"}},
			want: "frozen T/p/.git", unheld: besides("", ".git")},
		{name: "nothing there", tree: "home/\n p/", wish: wish{write: []string{"T/p"}},
			unheld: besides("")},
		{name: "not for a read grant", tree: "home/\n p/.git/x", wish: wish{read: []string{"T/p"}}},
		{name: "not in strict", tree: "home/\n p/.git/x", wish: wish{write: []string{"T/p"}, level: "strict"}, warning: "read-only in level strict"},
		{name: "three folders below", tree: "home/\n p/.git/x\n p/1/.git = gitdir: no\n p/1/2/3/.git/x\n p/1/2/3/4/.git/x", wish: wish{write: []string{"T/p"}},
			want:   "frozen T/p/.git\n pin T/p/1\n frozen T/p/1/.git\n pin T/p/1/2\n pin T/p/1/2/3\n frozen T/p/1/2/3/.git",
			unheld: append(slices.Concat(besides("", ".git"), besides("1", ".git"), besides("1/2/3", ".git")), "1/no")},
		{name: "names in a repository below", tree: "home/\n p/.git/x\n p/1/.git/x\n p/1/.vscode/x\n p/2/.vscode/x", wish: wish{write: []string{"T/p"}},
			want:   "frozen T/p/.git\n pin T/p/1\n frozen T/p/1/.git\n frozen T/p/1/.vscode\n pin T/p/2\n frozen T/p/2/.vscode",
			unheld: slices.Concat(besides("", ".git"), besides("1", ".git", ".vscode"))},
		{name: "no link is followed", tree: "home/\n q/.git/x\n p/.git/x\n p/l -> ../q", wish: wish{write: []string{"T/p"}},
			want: "frozen T/p/.git", unheld: besides("", ".git")},
		{name: "already frozen", tree: "home/\n p/.git/x\n p/a", wish: wish{write: []string{"T/p"}, noWrite: []string{"T/p/.git"}},
			want: "frozen T/p/.git", held: "none", unheld: besides("", ".git")},
		{name: "a name that is a link", tree: "home/\n p/real/x\n p/.git -> real", wish: wish{write: []string{"T/p"}},
			want: "frozen T/p/.git\n frozen T/p/real", unheld: besides("", ".git")},
		{name: "granted by name", tree: "home/\n p/.git/x", wish: wish{write: []string{"T/p", "T/p/.git"}},
			unheld: besides("", ".git"), warning: "T/p/.git is writable: hooks and config"},
		{name: "granted below", tree: "home/\n p/.git/hooks/x", wish: wish{write: []string{"T/p", "T/p/.git/hooks"}},
			want: "-", held: "T/p/.git", unheld: besides("", ".git"), warning: "T/p/.git/hooks is writable"},
		{name: "a worktree of an agent", tree: "home/\n .claude/worktrees/w/x", wish: wish{write: []string{"T/.claude/worktrees/w"}},
			want: "-", unheld: make([]string, len(besides("")))},
		{name: "grant of .claude", tree: ".claude/x", wish: wish{write: []string{"T/.claude"}}, err: ErrProtected, names: "T/.claude"},
		{name: "grant of .mcp.json", tree: ".mcp.json", wish: wish{write: []string{"T/.mcp.json"}}, err: ErrProtected},
		{name: "grant of settings", tree: ".claude/settings.json", wish: wish{write: []string{"T/.claude/settings.json"}}, err: ErrProtected},
		{name: "grant of hooks", tree: ".claude/hooks/pre", wish: wish{write: []string{"T/.claude/hooks/pre"}}, err: ErrProtected},
		{name: "grant far below .vscode", tree: ".vscode/a/b/c/d", wish: wish{write: []string{"T/.vscode/a/b/c/d"}}, err: ErrProtected},
		{name: "grant far below .cursor through a link", tree: "l -> .cursor/a/b\n .cursor/a/b/c/d", wish: wish{write: []string{"T/l/c"}}, err: ErrProtected},
		{name: "grant of all worktrees", tree: ".claude/worktrees/w/x", wish: wish{write: []string{"T/.claude/worktrees"}}, err: ErrProtected},
		{name: "grant of hooks in a worktree", tree: ".claude/worktrees/w/.claude/hooks/x", wish: wish{write: []string{"T/.claude/worktrees/w/.claude/hooks"}}, err: ErrProtected},
		{name: "grant of a worktree in settings of another", tree: ".vscode/.claude/worktrees/w/x", wish: wish{write: []string{"T/.vscode/.claude/worktrees/w"}}, err: ErrProtected},
		{name: "grant of .vscode through a link", tree: ".vscode/x\n l -> .vscode", wish: wish{write: []string{"T/l"}}, err: ErrProtected},
		{name: "reading them is no matter", tree: "home/\n .vscode/x", wish: wish{read: []string{"T/.vscode"}}, want: "-"},
		{name: "policy file", tree: "home/\n p/.git/x\n p/conf/policy.json", wish: wish{write: []string{"T/p"}}, policyFile: "T/p/conf/policy.json",
			want:   "frozen T/p/.git\n pin T/p/conf\n frozen T/p/conf/policy.json",
			unheld: besides("", ".git")},
		{name: "policy file through a link", tree: "home/\n p/.git/x\n p/pol -> ../policy.json\n policy.json", wish: wish{write: []string{"T/p"}}, policyFile: "T/p/pol",
			want: "frozen T/p/.git\n frozen T/p/pol", unheld: besides("", ".git")},
		{name: "policy file that will be", tree: "home/\n p/.git/x", wish: wish{write: []string{"T/p"}}, policyFile: "T/p/new",
			want: "frozen T/p/.git", unheld: append(besides("", ".git"), "new")},
		{name: "grant of the policy file", tree: "policy.json\n l -> policy.json", wish: wish{write: []string{"T/policy.json"}}, policyFile: "T/l", err: ErrProtected},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, c.tree)
			r := c.wish.request(root)
			if c.policyFile != "" {
				r.Own = at(root, []string{c.policyFile})
			}
			v, err := Plan(r)
			if !checkError(t, err, c.err, root, c.names) {
				return
			}
			got := slices.DeleteFunc(show(v, root), func(l string) bool {
				return l == "pin T" || !strings.HasPrefix(l, "pin") && !strings.HasPrefix(l, "frozen")
			})
			if c.want != "-" {
				same(t, "covers", got, lines(c.want))
			}
			var held []string
			for _, l := range lines(c.want) {
				if f, ok := strings.CutPrefix(l, "frozen "); ok && c.held == "" {
					held = append(held, f)
				}
			}
			if c.held != "" && c.held != "none" {
				held = []string{c.held}
			}
			same(t, "protected", relative(root, v.Protected), held)
			if len(v.Unprotected) != len(c.unheld) {
				t.Errorf("unprotected: %q", relative(root, v.Unprotected))
			}
			for _, u := range c.unheld {
				if u != "" && !slices.Contains(v.Unprotected, root+"/p/"+u) {
					t.Errorf("%s is not said to be unprotected: %q", u, relative(root, v.Unprotected))
				}
			}
			warnings := strings.Join(relative(root, v.Warnings), "\n")
			if !strings.Contains(warnings, c.warning) || (c.warning == "") != (warnings == "") {
				t.Errorf("warnings %q, want %q", warnings, c.warning)
			}
		})
	}
}

// The report file and the launcher are held as the policy file is.
func TestProtectFiles(t *testing.T) {
	root := plant(t, "home/\n p/r.jsonl\n p/bin/launcher!")
	r := wish{write: []string{"T/p"}}.request(root)
	r.Own = []string{root + "/p/r.jsonl", root + "/p/bin/launcher"}
	v, err := Plan(r)
	must(t, err)
	same(t, "protected", relative(root, v.Protected), []string{"T/p/bin/launcher", "T/p/r.jsonl"})
	for _, file := range r.Own {
		r.Policy.Filesystem.AllowWrite = []string{file}
		if _, err := Plan(r); !errors.Is(err, ErrProtected) {
			t.Errorf("grant of %s: %v", file, err)
		}
	}
}

func TestWorktree(t *testing.T) {
	const linked = "main/.git/worktrees/w/commondir = ../..\n main/.git/objects/x\n main/src\n "
	for _, c := range []struct {
		name, tree string
		wish       wish
		want       string
	}{
		{"names it back", linked + `w/.git = gitdir: T/main/.git/worktrees/w\n
			main/.git/worktrees/w/gitdir = T/w/.git\n`, wish{write: []string{"T/w"}}, "T/main/.git"},
		{"for a read grant", linked + `w/.git = gitdir: T/main/.git/worktrees/w
			main/.git/worktrees/w/gitdir = T/w/.git`, wish{read: []string{"T/w"}}, "T/main/.git"},
		{"relative", linked + `w/.git = gitdir: ../main/.git/worktrees/w\n
			main/.git/worktrees/w/gitdir = ../../../../w/.git\n`, wish{write: []string{"T/w"}}, "T/main/.git"},
		{"names another back", linked + `w/.git = gitdir: T/main/.git/worktrees/w
			main/.git/worktrees/w/gitdir = T/x/.git\n
			x/.git`, wish{write: []string{"T/w"}}, ""},
		{"names none back", linked + "w/.git = gitdir: T/main/.git/worktrees/w", wish{write: []string{"T/w"}}, ""},
		{"a secret folder", "secret/key\n w/.git = gitdir: T/secret", wish{write: []string{"T/w"}}, ""},
		{"all by the server's hand", `secret/key
			w/.git = gitdir: T/w/fake
			w/fake/gitdir = T/w/.git
			w/fake/commondir = T/secret`, wish{write: []string{"T/w"}}, ""},
		{"a grant that lies where worktrees would", `secret/key
			secret/worktrees/w/.git = gitdir: T/secret/worktrees/w
			secret/worktrees/w/gitdir = T/secret/worktrees/w/.git
			secret/worktrees/w/commondir = ../..`, wish{write: []string{"T/secret/worktrees/w"}}, ""},
		{"a home as the repository", `home/worktrees/w/gitdir = T/w/.git
			home/worktrees/w/commondir = ../..
			w/.git = gitdir: T/home/worktrees/w`, wish{write: []string{"T/w"}}, "T/home/worktrees/w"},
		{"a common folder elsewhere", `secret/key
			g/gitdir = T/w/.git
			g/commondir = T/secret
			w/.git = gitdir: T/g`, wish{write: []string{"T/w"}}, "T/g"},
		{"a submodule", "s/.git = gitdir: ../main/.git/modules/s\n main/.git/modules/s/config", wish{write: []string{"T/s"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, "home/\n"+c.tree)
			v, err := Plan(c.wish.request(root))
			must(t, err)
			same(t, "implied", relative(root, v.Implied), lines(c.want))
		})
	}
}
