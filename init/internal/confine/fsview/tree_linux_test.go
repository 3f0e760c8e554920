package fsview

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// plant makes a tree in a temporary folder and returns its path, without a link in it. An entry is "folder/",
// "file", "file = content", "program! = content" or "link -> target"; T stands for the folder.
func plant(t testing.TB, entries string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for _, e := range lines(entries) {
		e = strings.ReplaceAll(e, "T/", root+"/")
		if at, target, ok := strings.Cut(e, " -> "); ok {
			at = filepath.Join(root, at)
			must(t, os.MkdirAll(filepath.Dir(at), 0o755))
			must(t, os.Symlink(target, at))
			continue
		}
		at, content, _ := strings.Cut(e, " = ")
		if strings.HasSuffix(at, "/") {
			must(t, os.MkdirAll(filepath.Join(root, at), 0o755))
			continue
		}
		at, mode := filepath.Join(root, at), os.FileMode(0o644)
		if strings.HasSuffix(at, "!") {
			at, mode = at[:len(at)-1], 0o755
		}
		must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		must(t, os.WriteFile(at, []byte(strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(content)), mode))
	}
	return root
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func lines(s string) []string {
	var out []string
	for _, l := range strings.Split(s, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// at puts the tree's folder in front of paths, after a leading '-'.
func at(root string, paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		switch {
		case strings.HasPrefix(p, "T"):
			p = root + p[1:]
		case strings.HasPrefix(p, "-T"):
			p = "-" + root + p[2:]
		}
		out[i] = p
	}
	return out
}

// wish is a policy with T for the tree's folder.
type wish struct {
	read, write, noRead, noWrite []string
	level                        policy.Level
	host                         bool // filesystem.default read
	cwd                          string
	leads                        []string // a path, and where it has to lead
}

// request is what a launch of /bin/true with this policy would ask for; the home is T/home.
func (w wish) request(root string) Request {
	var r Request
	fs := &r.Policy.Filesystem
	fs.AllowRead, fs.AllowWrite = at(root, w.read), at(root, w.write)
	fs.DenyRead, fs.DenyWrite = at(root, w.noRead), at(root, w.noWrite)
	if w.host {
		fs.Default = policy.Read
	}
	r.Policy.Level = w.level
	if w.cwd != "" {
		r.Policy.Cwd = at(root, []string{w.cwd})[0]
	}
	r.UID, r.GID = os.Getuid(), os.Getgid()
	r.Dir = "/"
	r.Env = []string{"HOME=" + root + "/home", "PATH=/usr/bin:/bin"}
	r.Command = []string{"/bin/true"}
	for l := range slices.Chunk(at(root, w.leads), 2) {
		r.Leads = append(r.Leads, order.Lead{Path: l[0], To: l[1]})
	}
	return r
}

// show prints what of a view lies in the tree.
func show(v *View, root string) []string {
	var out []string
	add := func(path string, words ...string) {
		if policy.Within(path, root) {
			out = append(out, strings.ReplaceAll(strings.Join(words, " "), root, "T"))
		}
	}
	for _, n := range v.Nodes {
		switch n.Kind {
		case Dir:
			add(n.Path, "dir", n.Path, mode(n.Mode))
		case File:
			add(n.Path, "file", n.Path)
		case Link:
			add(n.Path, "link", n.Path, "->", n.Content)
		case Bind:
			kind := "read"
			if n.Write {
				kind = "write"
			}
			add(n.Path, kind, n.Path)
		}
	}
	for _, n := range v.Private {
		add(n.Path, "private", n.Path, mode(n.Mode))
	}
	for _, c := range v.Covers {
		add(c.Path, []string{"pin", "frozen", "denied"}[c.Kind], c.Path)
	}
	return out
}

func mode(m uint32) string { return strconv.FormatUint(uint64(m), 8) }

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got:\n\t%s\n want:\n\t%s", what, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func relative(root string, paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = strings.ReplaceAll(p, root, "T")
	}
	return out
}
