package fsview

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/protected"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Every name of the tables is held where it is, as a file or as a folder, and nothing of what servers write for a project.
func TestAllNames(t *testing.T) {
	const free = "package.json\n Makefile\n .envrc\n .tool-versions\n .github/workflows/x.yml\n AGENTS.md\n .npmrc\n .svn/x\n .gitignore\n .gitattributes\n .gitmodules\n Cargo.toml\n config\n HEAD\n .mise.d"
	root := plant(t, "home/")
	var want []string
	for i, name := range slices.Concat(protected.Anywhere(), protected.Beside()) {
		must(t, os.MkdirAll(dirOf(root+"/p/"+name), 0o755))
		if _, err := os.Lstat(root + "/p/" + name); err == nil {
			continue
		}
		if i%2 == 0 {
			must(t, os.Mkdir(root+"/p/"+name, 0o755))
		} else {
			must(t, os.WriteFile(root+"/p/"+name, nil, 0o644))
		}
		want = append(want, "frozen T/p/"+name)
	}
	for _, name := range lines(free) {
		must(t, os.MkdirAll(dirOf(root+"/p/"+name), 0o755))
		must(t, os.WriteFile(root+"/p/"+name, nil, 0o644))
	}
	v, err := Plan(wish{write: []string{"T/p"}}.request(root))
	must(t, err)
	got := covers(v, root)
	slices.Sort(got)
	slices.Sort(want)
	same(t, "covers", got, want)
	same(t, "unprotected", relative(root, v.Unprotected), nil)
}

func TestAllNamesOfHome(t *testing.T) {
	root := plant(t, "home/")
	for name := range protected.AtHome() {
		if _, err := os.Lstat(root + "/home/" + name); err != nil {
			must(t, os.MkdirAll(root+"/home/"+name, 0o755))
		}
	}
	v, err := Plan(wish{write: []string{"T/home"}}.request(root))
	must(t, err)
	for name := range protected.AtHome() {
		if !slices.ContainsFunc(v.Protected, func(held string) bool { return policy.Within(root+"/home/"+name, held) }) {
			t.Errorf("%s is not held", name)
		}
	}
	for path, want := range map[string]error{
		".local/lib/python3.12/site-packages": ErrProtected, ".local/etc/npmrc": ErrProtected,
		".config/nvim/lua": ErrProtected, ".BASHRC": ErrProtected, ".Config/Fish/x": ErrProtected,
		".m2/repository": nil, ".cargo/registry": nil, ".gradle/caches": nil, ".npm": nil, ".local/share/app": nil, ".local/library": nil, ".cache": nil,
	} {
		must(t, os.MkdirAll(root+"/home/"+path, 0o755))
		if _, err := Plan(wish{write: []string{"T/home/" + path}}.request(root)); !errors.Is(err, want) {
			t.Errorf("grant of %s: %v, want %v", path, err, want)
		}
	}
}

// A version control system's folder may be granted by name, with a warning; other protected names may not.
func TestGrantByName(t *testing.T) {
	for _, c := range []struct {
		path string
		err  error
	}{{".hg", nil}, {".Git/hooks", nil}, {"_darcs", nil}, {".VSCode", ErrProtected}, {".gemini/commands", ErrProtected}, {"opencode.json", ErrProtected},
		{".github/hooks", ErrProtected}, {".github/Hooks/x", ErrProtected}, {".github/workflows", nil}, {".claude/worktrees/w/mise.toml", ErrProtected}} {
		root := plant(t, "home/\n p/"+c.path+"/x")
		v, err := Plan(wish{write: []string{"T/p/" + c.path}}.request(root))
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v", c.path, err)
		}
		if vcs := protected.IsVersionControl(strings.Split(c.path, "/")[0]); err == nil && vcs != strings.Contains(strings.Join(v.Warnings, " "), "is writable: hooks") {
			t.Errorf("%s: %q", c.path, v.Warnings)
		}
	}
}
