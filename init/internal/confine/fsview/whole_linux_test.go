package fsview

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// What is read-only because of what may lie in it is noted, with its grant and the reason, and why has the reason too.
func TestHeldAsAWhole(t *testing.T) {
	for _, c := range []struct {
		name, make    string
		n             int
		want          string // path, grant, whether a grant of the path opens it
		why           string
		opens, denied string // a grant more, and a file that is read-only still
	}{
		{"nothing", "p/%03d", 100, "", "", "", ""},
		{"a folder", "p/many/%03d", 250, "T/p/many T/p true", "more than 200 folders", "T/p/many/001", "T/p/many/002"},
		{"a grant", "p/%03d", 250, "T/p T/p true", "more than 200 folders", "", ""},
		{"repositories", "p/x/%03d/.git", 150, "T/p/x T/p false", "more than 100 mounts", "", "T/p/x/001/f"},
		{"a grant of repositories", "p/%03d/.git", 150, "T/p T/p false", "more than 100 mounts", "", "T/p/001/f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, "home/\n p/a/b/\n p/.vscode/x")
			many(t, root+"/"+c.make, c.n, func(path string) error { return os.MkdirAll(path, 0o755) })
			wished := wish{write: []string{"T/p"}}
			plan := func() *Explained {
				r := wished.request(root)
				r.bounds.folders, r.bounds.mounts = 200, 100
				e, err := Explain(r)
				must(t, err)
				return e
			}
			e, got := plan(), ""
			for _, h := range e.View.Held {
				got += fmt.Sprint(strings.ReplaceAll(h.Path+" "+h.Grant+" ", root, "T"), h.Granted)
				if !strings.Contains(h.Why, c.why) {
					t.Errorf("%q, want %q", h.Why, c.why)
				}
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if c.denied != "" {
				spot := e.Find(strings.Replace(c.denied, "T", root, 1))
				if spot.Write || spot.Writing.Kind != ByProtected || !strings.Contains(spot.Writing.Why, c.why) {
					t.Errorf("%+v", spot)
				}
			}
			if spot := e.Find(root + "/p/.vscode/x"); spot.Write || !strings.HasSuffix(c.want, "T/p") && spot.Writing.At == root+"/p/.vscode" && spot.Writing.Why != "" {
				t.Errorf("a protected name: %+v", spot)
			}
			if c.opens == "" {
				return
			}
			wished.write = append(wished.write, c.opens)
			if spot := plan().Find(strings.Replace(c.opens, "T", root, 1)); !spot.Write {
				t.Errorf("%s opens nothing: %+v", c.opens, spot)
			}
		})
	}
}

// Links of packages that lead out of a grant are found, and no others: whoever made a project chose where they lead.
func TestLinksOut(t *testing.T) {
	const packages = "home/\n ws/node_modules/dep/package.json = {}\n ws/node_modules/@s/x/package.json = {}\n lib/own/package.json = {}\n secret/x\n"
	for _, c := range []struct {
		name, tree, want string
		others           int
	}{
		{"none", "ws/app/index.js", "", 0},
		{"inside", "ws/app/node_modules/.pnpm/dep/package.json = {}\n ws/app/node_modules/dep -> .pnpm/dep", "", 0},
		{"a workspace", "ws/app/node_modules/dep -> ../../node_modules/dep", "T/ws/app/node_modules/dep T/ws/node_modules", 0},
		{"a scope", "ws/app/node_modules/@s/x -> ../../../node_modules/@s/x", "T/ws/app/node_modules/@s/x T/ws/node_modules", 0},
		{"a package of its own", "ws/app/node_modules/own -> T/lib/own", "T/ws/app/node_modules/own T/lib/own", 0},
		{"several", "ws/app/node_modules/dep -> ../../node_modules/dep\n ws/app/node_modules/@s/x -> T/ws/node_modules/@s/x", "T/ws/app/node_modules/dep T/ws/node_modules", 1},
		{"no package", "ws/app/node_modules/dep -> T/secret", "", 0},
		{"nothing there", "ws/app/node_modules/dep -> ../../node_modules/gone", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, packages+c.tree)
			v, err := Plan(wish{read: []string{"T/ws/app"}}.request(root))
			must(t, err)
			viewer := &Viewer{View: v, Home: root + "/home"}
			link, to, others := viewer.LinksOut(root + "/ws/app")
			if got := strings.TrimSpace(strings.ReplaceAll(link+" "+to, root, "T")); got != c.want || others != c.others {
				t.Errorf("%q and %d, want %q and %d", got, others, c.want, c.others)
			}
		})
	}
}

// A folder of many things is no advice for a grant.
func TestBroad(t *testing.T) {
	if v := (&Viewer{View: &View{}, Home: "/data/users/ann"}); !v.Broad("/data/users") || v.Broad("/data/users/bob") {
		t.Error("what holds the home")
	}
	v := &Viewer{View: &View{}, Home: "/home/ann"}
	for at, want := range map[string]bool{"/home/ann/notes": false, "/srv/data": false, "/home/ann": true, "/home": true, "/": true, "/tmp": true, "/usr/share/x": true, "/home/bob": true,
		"/run/user/1000": true, "/home/ann/.config": true, "/home/ann/.config/x": false, "/home/ann/.local/share": true, "/home/ann/.local/share/x": false} {
		if got := v.Broad(at); got != want {
			t.Errorf("%s: %v", at, got)
		}
	}
}
