package fsview

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What git and hosts read through what is protected is protected too: behind links, and what a configuration names.
func TestProtectedBehindLinks(t *testing.T) {
	for _, c := range []struct{ name, tree, want string }{
		{"a hook", "p/.git/hooks/pre-commit -> ../../scripts/check\n p/scripts/check!", "frozen T/p/.git\n frozen T/p/scripts/check"},
		{"a folder of hooks", "p/.git/hooks -> ../hooks\n p/hooks/x!\n p/hooks/y -> ../y\n p/y!", "frozen T/p/.git\n frozen T/p/hooks\n frozen T/p/y"},
		{"a configuration", "p/.git/config -> ../.repo/config\n p/.repo/config", "frozen T/p/.git\n frozen T/p/.repo/config"},
		{"settings", "p/.vscode/tasks.json -> ../l/tasks.json\n p/l -> share\n p/share/tasks.json", "frozen T/p/.vscode\n frozen T/p/l\n frozen T/p/share/tasks.json"},
		{"a link in a folder above the file", "p/.vscode/a/b/tasks.json -> ../../../t\n p/t", "frozen T/p/.vscode\n frozen T/p/t"},
		{"a folder of dotfiles", "home/dot/config.fish\n home/.config/fish/config.fish -> ../../dot/config.fish\n home/.ssh/config -> ../dot/ssh\n home/dot/ssh",
			"frozen T/home/.config/fish\n frozen T/home/.ssh\n frozen T/home/dot/config.fish\n frozen T/home/dot/ssh"},
		{"dotfiles elsewhere", "p/dot/fish/config.fish\n p/dot/ssh\n p/bashrc\n p/other\n home/.config/fish -> T/p/dot/fish\n home/.ssh/config -> ../../p/dot/ssh\n home/.bashrc -> ../p/bashrc\n home/.zshrc -> ../p/zshrc",
			"frozen T/p/bashrc\n frozen T/p/dot/fish\n frozen T/p/dot/ssh"},
		{"what is only above, or elsewhere", "p/.claude/top -> ../..\n p/.claude/out -> T/q\n q/x\n p/.claude/s -> ../sub\n p/sub/.claude/back -> ../../sub", "frozen T/p/.claude\n frozen T/p/sub"},
		{"what is above alone", "p/sub/.claude/back -> ../../sub\n p/sub/x", "frozen T/p/sub/.claude"},
		{"an agent's checkout", "p/.claude/worktrees/node_modules -> ../../node_modules\n p/node_modules/x", "frozen T/p/.claude"},
		{"loops", "p/.git/hooks/a -> b\n p/.git/hooks/b -> a\n p/.git/c -> ../d\n p/d/e -> ../.git/c\n p/d/f -> .", "frozen T/p/.git\n frozen T/p/d"},
		{"a submodule of a submodule", "p/.git/modules/a/modules/b/hooks/x -> T/p/s\n p/s!", "frozen T/p/.git\n frozen T/p/s"},
		{"a submodule with the name of a part", "p/.git/HEAD\n p/.git/modules/logs/HEAD\n p/.git/modules/logs/hooks/b -> T/p/s\n p/s!\n p/.git/logs/x -> T/p/t\n p/t", "frozen T/p/.git\n frozen T/p/s"},
		{"a repository that is a setting's too", "p/.claude/x -> ../.git\n p/.git/modules/a/modules/b/hooks/x -> T/p/s\n p/s!", "frozen T/p/.claude\n frozen T/p/.git\n frozen T/p/s"},
		{"a work tree elsewhere", "p/.git/config = [core]\\nhooksPath=h\\nworktree=../src\n p/src/h/x!\n p/h/y!", "frozen T/p/.git\n frozen T/p/src/h"},
		{"objects are not looked at", "p/.git/HEAD\n p/.git/objects/info/alternates -> T/p/s\n p/s!", "frozen T/p/.git"},
		{"a project that is a link", "real/.git/hooks/x -> ../../s\n real/s!\n p -> real", "frozen T/real/.git\n frozen T/real/s"},
		{"a link of that name", "p/.git -> ../up/.git\n up/.git/hooks/x -> ../../../p/s\n p/s!", "frozen T/p/.git\n frozen T/p/s"},
		{"a repository above", ".git/hooks/x -> ../../p/s\n .git/config = [core]\\nhooksPath=p/h\n p/s!\n p/h/x!", "frozen T/p/h\n frozen T/p/s"},
		{"included", "p/.git/config = [include]\\n  Path = ../.gitconfig # ours\\n[core] hooksPath=\"hooks\"\n p/.gitconfig = [include]\\npath=more\n p/more\n p/hooks/x!",
			"frozen T/p/.git\n frozen T/p/.gitconfig\n frozen T/p/hooks\n frozen T/p/more"},
		{"included from where the link lies", "p/.git/config -> ../.repo/config\n p/.repo/config = [include]\\npath=../more\n p/more", "frozen T/p/.git\n frozen T/p/.repo/config\n frozen T/p/more"},
		{"included on a condition", "p/.git/config = [includeIf \"gitdir:~/a]\\\"b/\"]\\npath = ../c\n p/c", "frozen T/p/.git\n frozen T/p/c"},
		{"no include", "p/.git/config = [include \"x\"]\\npath = ../c\n p/c", "frozen T/p/.git"},
		{"in a circle", "p/.git/config = [include]\\npath = ../c\n p/c = [include]\\npath = d\n p/d/x", "frozen T/p/.git\n frozen T/p/c\n frozen T/p/d"},
		{"commands, which are not followed", "p/.git/config = [filter \"x\"]\\nclean = python3 'tools/clean.py' %f\\n[core]\\nfsmonitor=./watch\\nattributesFile=attrs\\n[alias]\\nx = !tools/x.sh \\\"a;b\\\"\\ny=status plain\\n[user]\\nname = plain\n p/tools/clean.py\n p/tools/other\n p/tools/x.sh!\n p/watch!\n p/attrs\n p/plain",
			"frozen T/p/.git"},
		{"of the user", "home/.gitconfig = [core]\\nhooksPath = .githooks\\n[include]\\npath = ~/dot/git\\n[gpg]program=$HOME/../p/gpg\n home/dot/git = [core]\\nsshCommand = ../p/ssh -x\n p/.githooks/x!\n p/r/.git/x\n p/r/.githooks/y!\n p/gpg!\n p/ssh",
			"frozen T/p/r/.git\n frozen T/p/r/.githooks"},
		{"of the user, both files", "home/.gitconfig = [core]\\nfsmonitor=T/p/f\n home/.config/git/config = [core]\\nhooksPath=T/p/h\n p/f!\n p/h/x!\n p/g!", "frozen T/p/h"},
		{"husky", "p/.git/config = [core]\\n hookspath = .husky/_\n p/.husky/_/h", "frozen T/p/.git\n frozen T/p/.husky"},
		{"of a worktree", "main/.git/worktrees/w/commondir = ../..\n main/.git/worktrees/w/config.worktree = [core]\\nhooksPath=wh\n main/.git/config = [core]\\nfsmonitor=T/p/f\n p/.git = gitdir: ../main/.git/worktrees/w\n p/wh/x!\n p/f!",
			"frozen T/p/.git\n frozen T/p/wh"},
		{"of a bare repository", "p/.bare/config = [core]\\nhooksPath=h\n p/.bare/hooks/x -> ../../x\n p/x\n p/.git = gitdir: .bare\n p/h/x",
			"frozen T/p/.bare\n frozen T/p/.git\n frozen T/p/h\n frozen T/p/x"},
		{"a bare repository without a .git", "p/m/x.git/HEAD\n p/m/x.git/objects/\n p/m/x.git/refs/\n p/m/x.git/hooks/y -> ../../../y\n p/y!\n p/docs/HEAD\n p/docs/commondir = ../else\n p/else/config\n p/no/HEAD\n p/no/refs/x",
			"frozen T/p/docs\n frozen T/p/else\n frozen T/p/m/x.git\n frozen T/p/y"},
		{"a grant that is one", "p/HEAD\n p/objects/\n p/refs/\n p/hooks/x -> ../y\n p/y!\n p/config = [core]\\nfsmonitor=z\\nattributesFile=a\n p/a\n p/r/.git/x",
			"frozen T/p/config\n frozen T/p/hooks\n frozen T/p/r/.git\n frozen T/p/y"},
		{"odd names", "p/.vscode/a\tb -> ../x y\n p/x y\n p/.vscode/é -> ../ü\n p/ü", "frozen T/p/.vscode\n frozen T/p/x y\n frozen T/p/ü"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, "home/\n "+c.tree)
			write := []string{"T/p"}
			if strings.Contains(c.tree, "home/dot/") && !strings.Contains(c.tree, "p/gpg") {
				write = []string{"T/home"}
			}
			v, err := Plan(wish{write: write}.request(root))
			must(t, err)
			same(t, "covers", covers(v, root), lines(c.want))
		})
	}
}

// What was found to lie in a write grant is not told as missing, and what is missing is.
func TestNamedAndMissing(t *testing.T) {
	root := plant(t, "home/\n p/.git/config = [core]\\nhooksPath=later\\nfsmonitor=./nothing\n p/.git/hooks/x -> ../../y")
	v, err := Plan(wish{write: []string{"T/p"}}.request(root))
	must(t, err)
	for path, want := range map[string]bool{"/p/later": true, "/p/.git/hooks/x": true, "/p/nothing": false} {
		if slices.Contains(v.Unprotected, root+path) != want {
			t.Errorf("%s: %q", path, relative(root, v.Unprotected))
		}
	}
	must(t, os.WriteFile(root+"/p/y", nil, 0o755))
	paths, _, _ := v.Appeared(time.Second)
	same(t, "appeared", relative(root, paths), []string{"T/p/.git/hooks/x"})
}

// quiet waits until no folder has changed just now: the kernel tells times that are some milliseconds old.
func quiet(t *testing.T, root string) {
	t.Helper()
	must(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			testbed.Await(t, path+" of a while ago", func() bool { return !changedSince(path, time.Now()) })
		}
		return err
	}))
}

// A server may have made another name of what the host then moved, or made, where it is denied or protected. Only a name
// that it can open is of use to it.
func TestOtherNames(t *testing.T) {
	for _, c := range []struct {
		name, other string
		wish        wish
		err         error
	}{
		{"p/.env", "p/kept", wish{write: []string{"T/p"}, noRead: []string{"T/p/.env"}}, ErrLinked},
		{"p/.env", "p/kept", wish{write: []string{"T/p"}, noWrite: []string{"T/p/.env"}}, ErrLinked},
		{"p/.env", "p/kept", wish{read: []string{"T/p"}, noRead: []string{"T/p/.env"}}, nil},
		{"p/.env", "p/kept", wish{write: []string{"T/p"}, noRead: []string{"T/p/.env"}, level: "strict"}, nil},
		{"p/.env", "q/kept", wish{write: []string{"T/p"}, read: []string{"T/q"}, noRead: []string{"T/p/.env"}}, ErrLinked},
		{"p/.env", "q/kept", wish{write: []string{"T/p"}, read: []string{"T/q"}, noWrite: []string{"T/p/.env"}}, nil},
		{"p/.env", "q/kept", wish{write: []string{"T/p", "T/q/kept"}, noWrite: []string{"T/p/.env"}}, ErrLinked},
		{"p/.env", "p/node_modules/a/b/c/d/e/kept", wish{write: []string{"T/p"}, noRead: []string{"T/p/.env"}}, ErrLinked},
		{"p/.env", "p/also/.env", wish{write: []string{"T/p"}, noRead: []string{"T/p/.env", "T/p/also"}}, nil},
		{"p/.env", "backup/.env", wish{write: []string{"T/p"}, noRead: []string{"T/p/.env"}}, nil},
		{"p/.mcp.json", "p/kept", wish{write: []string{"T/p"}}, ErrLinked},
		{"p/.mcp.json", "p/kept", wish{read: []string{"T/p"}}, nil},
		{"p/.mcp.json", "p/two/.mcp.json", wish{write: []string{"T/p"}}, nil},
		{"p/r/.git/config", "p/kept", wish{write: []string{"T/p"}}, ErrLinked},
		{"p/r/.git/config", "p/backup/.git/config", wish{write: []string{"T/p"}}, nil},
		{"p/.git/hooks/x", "p/kept", wish{write: []string{"T/p"}}, ErrLinked},
		{"p/.git/objects/12/34", "p/kept", wish{write: []string{"T/p"}}, nil},
		{"p/bin/launcher", "store/launcher", wish{write: []string{"T/p"}}, nil},
		{"p/bin/launcher", "p/store/launcher", wish{write: []string{"T/p"}}, ErrLinked},
		{"home/.bashrc", "home/kept", wish{write: []string{"T/home"}}, ErrLinked},
		{"p/s", "p/kept", wish{write: []string{"T/p"}}, ErrLinked},
	} {
		t.Run(c.name+" "+c.other, func(t *testing.T) {
			root := plant(t, "home/\n p/x\n p/.git/HEAD\n p/.vscode/s -> ../s\n q/x\n p/also/x\n "+c.name)
			r := c.wish.request(root)
			r.Own = []string{root + "/p/bin/launcher"}
			must(t, os.MkdirAll(dirOf(root+"/"+c.other), 0o755))
			if !strings.HasPrefix(c.other, "q/") {
				_, err := Plan(r)
				must(t, err)
			}
			must(t, os.Link(root+"/"+c.name, root+"/"+c.other))
			quiet(t, root)
			v, err := Plan(r)
			warned := err == nil && slices.ContainsFunc(v.Warnings, func(w string) bool { return strings.Contains(w, "has another name") })
			if warned != (len(c.wish.write) == 0 && len(c.wish.noRead) > 0) {
				t.Errorf("warnings %q", v.Warnings)
			}
			if !errors.Is(err, c.err) || c.err != nil && !strings.Contains(err.Error(), root+"/"+c.other) {
				t.Errorf("%v, want %v", err, c.err)
			}
		})
	}
}

// Names that the server made in one protected folder hide nothing in the others: what was not looked at is held as a whole.
func TestInsideBound(t *testing.T) {
	const tree = "home/\n p/.git/hooks/x -> ../../s\n p/s!\n p/a/.git/1\n p/a/.git/2\n p/a/.git/3\n p/b/.git/hooks/x -> ../../s\n p/b/s"
	for bound, want := range map[int]string{
		20: "T/p/.git\n T/p/a/.git\n T/p/b/.git\n T/p/b/s\n T/p/s",
		3:  "T/p/.git\n T/p/a\n T/p/b\n T/p/s",
		1:  "T/p",
	} {
		root := plant(t, tree)
		r := wish{write: []string{"T/p"}}.request(root)
		r.bounds.inside = bound
		v, err := Plan(r)
		must(t, err)
		same(t, "protected", relative(root, v.Protected), lines(want))
		if told := strings.Contains(strings.Join(v.Warnings, " "), errMuch.Error()); told != (bound < 20) {
			t.Errorf("warnings %q", v.Warnings)
		}
	}
}
