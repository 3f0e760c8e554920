package fsview

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// The mounts of a view, applied in the order in which the root is built.
type mounted struct {
	path  string
	kind  string // none, read, write, private
	after bool   // freezes what is below instead of replacing it
}

func build(t testing.TB, v *View) []mounted {
	var ms []mounted
	made := map[string]bool{"/": true}
	if v.HostRoot {
		ms = append(ms, mounted{path: "/", kind: "read"})
	} else {
		ms = append(ms, mounted{path: "/", kind: "none"})
	}
	rest := v.Private
	private := func(n Node) {
		place(t, ms, made, n.Path, true)
		ms = append(ms, mounted{path: n.Path, kind: "private"})
	}
	for _, n := range v.Nodes {
		for len(rest) > 0 && policy.Below(n.Path, rest[0].Path) {
			private(rest[0])
			rest = rest[1:]
		}
		for _, p := range rest {
			if policy.Below(n.Path, p.Path) {
				t.Errorf("%s comes before the private folder %s that it lies in", n.Path, p.Path)
			}
		}
		place(t, ms, made, n.Path, n.Kind == Bind)
		if n.Kind == Bind {
			kind := "read"
			if n.Write {
				kind = "write"
			}
			ms = append(ms, mounted{path: n.Path, kind: kind})
		}
	}
	for _, p := range rest {
		private(p)
	}
	for i, c := range v.Covers {
		if i > 0 && comparePaths(v.Covers[i-1].Path, c.Path) >= 0 {
			t.Errorf("cover of %s comes after that of %s", c.Path, v.Covers[i-1].Path)
		}
		switch c.Kind {
		case ReadOnly:
			ms = append(ms, mounted{path: c.Path, kind: "read", after: true})
		case Deny:
			ms = append(ms, mounted{path: c.Path, kind: "none"})
		}
	}
	return ms
}

// place checks that an entry can be made where a node wants it: a mount point exists in what was bound, all else lies in
// a folder that was made before.
func place(t testing.TB, ms []mounted, made map[string]bool, path string, mount bool) {
	switch k := effective(ms, path); {
	case k == "read" || k == "write":
		if !mount {
			t.Errorf("%s cannot be made in what is bound", path)
		} else if _, err := os.Lstat(path); err != nil {
			t.Errorf("no mount point %s: %v", path, err)
		}
	case made[path]:
		t.Errorf("%s is made twice", path)
	case !made[dirOf(path)]:
		t.Errorf("%s has no parent", path)
	}
	made[path] = true
}

// effective is what a path of the host is inside.
func effective(ms []mounted, path string) string {
	kind := "none"
	for _, m := range ms {
		switch {
		case !policy.Within(path, m.path):
		case !m.after:
			kind = m.kind
		case kind == "write":
			kind = "read"
		}
	}
	return kind
}

// wanted is the contract's rule, said once more: the longest path wins, on a tie the deny.
func wanted(w wish, held []string, root, path string) string {
	best := func(yes, no []string) bool {
		most, got := -1, false
		for _, list := range []struct {
			paths []string
			is    bool
		}{{yes, true}, {no, false}} {
			for _, g := range at(root, list.paths) {
				g, err := filepath.EvalSymlinks(strings.TrimPrefix(g, "-"))
				if err == nil && policy.Within(path, g) && (len(g) > most || len(g) == most && !list.is) {
					most, got = len(g), list.is
				}
			}
		}
		return got
	}
	all := func(lists ...[]string) (out []string) {
		for _, l := range lists {
			out = append(out, l...)
		}
		return out
	}
	switch {
	case !best(all(w.read, w.write), w.noRead):
		return "none"
	case w.level != "strict" && best(w.write, all(w.noRead, w.noWrite, held)):
		return "write"
	}
	return "read"
}

// found is what Find says of a path.
func found(e *Explained, path string) string {
	switch s := e.Find(path); {
	case s.Host() && s.Write:
		return "write"
	case s.Host():
		return "read"
	}
	return "none"
}

// FuzzPlan puts grants and denies on random paths of a small tree and compares what the view's mounts amount to
// with the rule, and what Find says.
func FuzzPlan(f *testing.F) {
	root := plant(f, "home/\n a/b/c/d/e\n a/b/.git/x\n a/x/y\n a/l -> b/c\n l -> a/x\n f\n a/out -> ../f")
	paths := []string{"T", "T/a", "T/a/b", "T/a/b/c", "T/a/b/c/d", "T/a/b/c/d/e", "T/a/x", "T/a/x/y", "T/a/l", "T/l/y", "T/f", "-T/none", "T/a/b/.git", "T/a/out", "T/home", "T/a/b/.git/x"}
	for _, seed := range []string{"", "\x01", "\x11\x22\x33", "\x00\x40\x81\xc3", "\x41\x62\x14\x95", "\x41\x44\x83\xc2\x05"} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(1))
	}
	f.Fuzz(func(t *testing.T, b []byte, how uint8) {
		var w wish
		for _, c := range b[:min(len(b), 8)] {
			p := paths[int(c&0x0f)%len(paths)]
			list := []*[]string{&w.read, &w.write, &w.noRead, &w.noWrite}[c>>6]
			*list = append(*list, p)
		}
		if how&1 != 0 {
			w.level = "strict"
		}
		r := w.request(root)
		if how&2 != 0 {
			r.Command = []string{root + "/f"}
		}
		e, err := Explain(r)
		if err != nil {
			return
		}
		v := e.View
		ms := build(t, v)
		held := relative(root, v.Protected)
		for _, p := range at(root, []string{"T", "T/a", "T/a/b", "T/a/b/c", "T/a/b/c/d", "T/a/b/c/d/e", "T/a/b/.git", "T/a/b/.git/x", "T/a/x", "T/a/x/y", "T/f"}) {
			got, want := effective(ms, p), wanted(w, held, root, p)
			if got == "private" {
				got = "none" // nothing of the host
			}
			if got != want {
				t.Errorf("%+v: %s is %s, want %s", w, p, got, want)
			}
			if got := found(e, p); got != want {
				t.Errorf("%+v: %s is found to be %s, want %s", w, p, got, want)
			}
		}
	})
}
