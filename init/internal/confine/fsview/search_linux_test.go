package fsview

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const someone = 12345

// owned gives a tree to an ordinary user, as whom this test then looks at files: root may look everywhere.
func owned(t *testing.T, root string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	must(t, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, someone, someone))
	}))
	must(t, os.Chmod(filepath.Dir(root), 0o755))
	runtime.LockOSThread()
	must(t, unix.Setfsuid(someone))
	t.Cleanup(func() {
		must(t, unix.Setfsuid(0))
		runtime.UnlockOSThread()
	})
}

// covers are the covers of a view below its root, but for pins.
func covers(v *View, root string) []string {
	return slices.DeleteFunc(show(v, root), func(l string) bool { return !strings.HasPrefix(l, "frozen") })
}

// What one server makes of the folders' modes takes no protection away from the next.
func TestProtectedWhatCannotBeSearched(t *testing.T) {
	const tree = "home/.config/fish/x\n p/.git/x\n p/a/.git/x\n p/a/.vscode/x\n p/a/f\n p/1/2/3/.git/x\n p/w/.git = gitdir: T/p/bare/b\n p/bare/b/HEAD"
	const all = "frozen T/p/.git\n frozen T/p/1/2/3/.git\n frozen T/p/a/.git\n frozen T/p/a/.vscode\n frozen T/p/bare/b\n frozen T/p/w/.git"
	without := func(prefix, instead string) string {
		var out []string
		for _, l := range lines(all) {
			if !strings.HasPrefix(l, "frozen T/p/"+prefix+"/") && l != "frozen T/p/"+prefix {
				out = append(out, l)
			}
		}
		out = append(out, "frozen T/p/"+instead)
		slices.Sort(out)
		return strings.Join(out, "\n")
	}
	for _, c := range []struct {
		path string
		mode os.FileMode
		want string // "" for a refusal
	}{
		{"p", 0o755, all}, // the control
		{"p", 0o600, ""}, {"p", 0o400, ""}, {"p", 0o300, ""}, {"p", 0, ""},
		{"p/a", 0, without("a", "a")}, {"p/a", 0o600, without("a", "a")}, {"p/a", 0o300, without("a", "a")},
		{"p/1", 0o600, without("1", "1")}, {"p/1/2", 0o600, without("1", "1/2")}, {"p/1/2/3", 0o600, without("1", "1/2/3")},
		{"p/1/2/3", 0o300, without("1", "1/2/3")},
		{"p/.git", 0, all}, {"p/a/.git", 0, all}, {"p/a/.vscode", 0, all},
		{"p/bare", 0o600, without("bare", "bare")}, {"p/bare/b", 0, all},
	} {
		t.Run(fmt.Sprintf("%s %o", c.path, c.mode), func(t *testing.T) {
			root := plant(t, tree)
			owned(t, root)
			must(t, os.Chmod(root+"/"+c.path, c.mode))
			defer os.Chmod(root+"/"+c.path, 0o755)
			v, err := Plan(wish{write: []string{"T/p"}}.request(root))
			if c.want == "" {
				if !errors.Is(err, ErrSearch) || !errors.Is(err, syscall.EACCES) || !strings.Contains(err.Error(), root+"/p") {
					t.Fatalf("%v, want a refusal that names the folder", err)
				}
				return
			}
			must(t, err)
			want := lines(c.want)
			slices.SortFunc(want, func(a, b string) int { return comparePaths(a, b) })
			same(t, "covers", covers(v, root), want)
			for _, l := range want {
				if path := root + strings.TrimPrefix(l, "frozen T"); !slices.Contains(v.Protected, path) {
					t.Errorf("%s is not in protected: %q", path, v.Protected)
				}
			}
		})
	}
}

// A root launcher sees more than the server: what the server may not enter is held from outside.
func TestProtectedWhatTheServerCannotEnter(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("a root launcher's")
	}
	root := plant(t, "home/\n p/.git/x\n p/a/.git/x\n p/b/.git/x")
	for _, path := range []string{"p", "p/a", "p/.git", "p/b"} {
		must(t, os.Chown(root+"/"+path, someone, 0))
	}
	must(t, os.Chmod(root+"/p/a", 0))
	r := wish{write: []string{"T/p"}}.request(root)
	r.Root, r.UID, r.GID = true, someone, someone
	v, err := Plan(r)
	must(t, err)
	same(t, "covers", covers(v, root), lines("frozen T/p/.git\n frozen T/p/a\n frozen T/p/b/.git"))
}

// many makes folders or files.
func many(t *testing.T, pattern string, n int, make func(string) error) {
	t.Helper()
	for i := range n {
		must(t, make(fmt.Sprintf(pattern, i)))
	}
}

func folderAt(path string) error { return os.Mkdir(path, 0o755) }

func TestSearchCountsFolders(t *testing.T) {
	const bound = 200
	const tree = "home/\n p/.git/x\n p/src/a/.git/x\n p/src/b/c/.mcp.json\n p/many/"
	const all = "frozen T/p/.git\n frozen T/p/src/a/.git\n frozen T/p/src/b/c/.mcp.json"
	for _, c := range []struct {
		name, make string
		n          int
		file       bool
		want       string
		warning    string
	}{
		{"files", "p/many/%05d", bound + 100, true, all, ""},
		{"too many folders in one", "p/many/%05d", bound, false, "frozen T/p/.git\n frozen T/p/many\n frozen T/p/src/a/.git\n frozen T/p/src/b/c/.mcp.json",
			"T/p/many is read-only as a whole: more than 200 folders"},
		{"packages", "p/many/node_modules/%05d", bound, false, all, ""},
		{"too many in the grant itself", "p/%05d", bound, false, "", "T/p is read-only as a whole: more than 200 folders"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, tree)
			make := folderAt
			if c.file {
				make = func(path string) error { return os.WriteFile(path, nil, 0o644) }
			}
			must(t, os.MkdirAll(filepath.Dir(root+"/"+c.make), 0o755))
			many(t, root+"/"+c.make, c.n, make)
			r := wish{write: []string{"T/p"}}.request(root)
			r.bounds.folders = bound
			v, err := Plan(r)
			must(t, err)
			same(t, "covers", covers(v, root), lines(c.want))
			if w := strings.Join(relative(root, v.Warnings), "\n"); !strings.Contains(w, c.warning) || (w == "") != (c.warning == "") {
				t.Errorf("warnings %q, want %q", w, c.warning)
			}
			if i := slices.IndexFunc(v.Nodes, func(n Node) bool { return n.Path == root+"/p" }); v.Nodes[i].Write != (c.want != "") {
				t.Errorf("%+v", v.Nodes[i])
			}
		})
	}
}

// A server that makes repositories by the thousand has its next launch neither refused nor unprotected.
func TestManyNames(t *testing.T) {
	const bound = 100
	for _, c := range []struct {
		name, make string
		n          int
		want       string
		write      bool
	}{
		{"a few", "p/x/%04d/.git", bound/2 - 5, "", true},
		{"in one folder", "p/x/%04d/.git", bound, "frozen T/p/.git\n frozen T/p/src/a/.git\n frozen T/p/x", true},
		{"with long names", "p/x/" + strings.Repeat("n", 250) + "%04d/.git", bound / 2, "frozen T/p/.git\n frozen T/p/src/a/.git\n frozen T/p/x", true},
		{"in the grant", "p/%04d/.git", bound + 1, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, "home/\n p/.git/x\n p/src/a/.git/x")
			many(t, root+"/"+c.make, c.n, func(path string) error { return os.MkdirAll(path, 0o755) })
			r := wish{write: []string{"T/p"}}.request(root)
			r.bounds.mounts = bound
			v, err := Plan(r)
			must(t, err)
			if c.want != "" || !c.write {
				same(t, "covers", covers(v, root), lines(c.want))
			} else if got := len(covers(v, root)); got != c.n+2 {
				t.Errorf("%d covers", got)
			}
			if len(v.Covers) > bound+5 || len(v.Unprotected) > maxUnprotected+1 || len(v.Warnings) > maxProtectWarn+2 {
				t.Errorf("%d covers, %d unprotected, %d warnings", len(v.Covers), len(v.Unprotected), len(v.Warnings))
			}
			if i := slices.IndexFunc(v.Nodes, func(n Node) bool { return n.Path == root+"/p" }); v.Nodes[i].Write != c.write {
				t.Errorf("%+v", v.Nodes[i])
			}
			if !c.write && !slices.Contains(v.Protected, root+"/p") {
				t.Errorf("protected: %q", v.Protected)
			}
		})
	}
}

func TestProtectedOfAnyKind(t *testing.T) {
	root := plant(t, "home/\n p/real\n p/.mcp.json -> real\n p/.vscode -> nowhere\n p/.idea -> .idea\n p/a\tb\\n/.git/x\n p/c/.Git/x\n p/d/.Vscode/x\n p/l -> ../q\n q/.git/x\n p/m/.claude -> /proc/self")
	must(t, unix.Mkfifo(root+"/p/.cursor", 0o600))
	must(t, os.MkdirAll(root+"/p/new\nline/.git", 0o755))
	v, err := Plan(wish{write: []string{"T/p"}}.request(root))
	must(t, err)
	same(t, "covers", covers(v, root), []string{"frozen T/p/.idea", "frozen T/p/.mcp.json", "frozen T/p/.vscode", "frozen T/p/a\tb\\n/.git",
		"frozen T/p/c/.Git", "frozen T/p/d/.Vscode", "frozen T/p/m/.claude", "frozen T/p/new\nline/.git", "frozen T/p/real"})
	if !slices.Contains(v.Unprotected, root+"/p/.vscode") {
		t.Errorf("a link that leads nowhere is not in unprotected: %q", v.Unprotected)
	}
}

// What a .git file, a link of that name or a commondir leads to is a repository too, if the server could write it.
func TestProtectedRepositories(t *testing.T) {
	const bare = "p/.bare/HEAD\n p/.bare/worktrees/main/commondir = ../..\n p/.bare/worktrees/main/gitdir = T/p/main/.git\n "
	for _, c := range []struct {
		name, tree string
		wish       wish
		want       string
	}{
		{"bare and worktrees", bare + "p/.git = gitdir: ./.bare\n p/main/.git = gitdir: T/p/.bare/worktrees/main", wish{write: []string{"T/p"}},
			"frozen T/p/.bare\n frozen T/p/.git\n frozen T/p/main/.git"},
		{"worktrees alone", bare + "p/main/.git = gitdir: T/p/.bare/worktrees/main", wish{write: []string{"T/p"}}, "frozen T/p/.bare\n frozen T/p/main/.git"},
		{"a separate folder", "p/.git = gitdir: store/deep/er/and/deeper\n p/store/deep/er/and/deeper/HEAD", wish{write: []string{"T/p"}},
			"frozen T/p/.git\n frozen T/p/store/deep/er/and/deeper"},
		{"in another grant", "p/.git = gitdir: T/g\n g/commondir = ../h/x\n h/x/HEAD", wish{write: []string{"T/p", "T/h"}},
			"frozen T/h/x\n frozen T/p/.git"},
		{"through a link", "p/.git = gitdir: l/x\n p/l -> store\n p/store/x/HEAD", wish{write: []string{"T/p"}},
			"frozen T/p/.git\n frozen T/p/l\n frozen T/p/store/x"},
		{"a link of that name", "p/.git -> store\n p/store/commondir = ../other\n p/other/HEAD", wish{write: []string{"T/p"}},
			"frozen T/p/.git\n frozen T/p/other\n frozen T/p/store"},
		{"a link to a file", "p/.git -> at\n p/at = gitdir: store\n p/store/HEAD", wish{write: []string{"T/p"}},
			"frozen T/p/.git\n frozen T/p/at\n frozen T/p/store"},
		{"commondir of a folder", "p/.git/commondir = ../other\n p/other/HEAD", wish{write: []string{"T/p"}}, "frozen T/p/.git\n frozen T/p/other"},
		{"a submodule", "p/.git/modules/s/HEAD\n p/s/.git = gitdir: ../.git/modules/s", wish{write: []string{"T/p"}}, "frozen T/p/.git\n frozen T/p/s/.git"},
		{"not in a read grant", "p/.git = gitdir: store\n p/store/HEAD", wish{read: []string{"T/p"}}, ""},
		{"the root of another grant", "p/.git = gitdir: T/g\n g/HEAD", wish{write: []string{"T/p", "T/g"}}, "frozen T/p/.git"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, "home/\n "+c.tree)
			v, err := Plan(c.wish.request(root))
			must(t, err)
			same(t, "covers", covers(v, root), lines(c.want))
			if byName := c.name == "the root of another grant"; byName != (len(v.Warnings) > 0) {
				t.Errorf("warnings: %q", v.Warnings)
			}
		})
	}
}
