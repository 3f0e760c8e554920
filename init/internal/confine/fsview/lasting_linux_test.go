package fsview

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// The product's folders are protected and hidden wherever variables put them, also in grants of less than the home.
func TestOwnFolders(t *testing.T) {
	root := plant(t, "home/.local/state/mcp-sandbox/state/x/f\n home/.local/state/mcp-sandbox/reports/r\n xdg/mcp-sandbox/state/x/f\n xdg/mcp-sandbox/reports/r\n xdg/f")
	folders := []string{root + "/xdg/mcp-sandbox", root + "/missing/mcp-sandbox"}
	for _, c := range []struct {
		name string
		wish wish
		want string
		err  error
	}{
		{name: "writing around it", wish: wish{write: []string{"T/xdg"}}, want: "frozen T/xdg/mcp-sandbox\n denied T/xdg/mcp-sandbox/reports"},
		{name: "reading around it", wish: wish{read: []string{"T/xdg"}}, want: "denied T/xdg/mcp-sandbox"},
		{name: "writing the whole home", wish: wish{write: []string{"T/home"}}, want: "frozen T/home/.local/state/mcp-sandbox\ndenied T/home/.local/state/mcp-sandbox/reports"},
		{name: "writing a part of the home", wish: wish{write: []string{"T/home/.local"}}, want: "frozen T/home/.local/state/mcp-sandbox\ndenied T/home/.local/state/mcp-sandbox/reports"},
		{name: "writing all", wish: wish{write: []string{"T"}}, want: "frozen T/home/.local/state/mcp-sandbox\ndenied T/home/.local/state/mcp-sandbox/reports\nfrozen T/xdg/mcp-sandbox\ndenied T/xdg/mcp-sandbox/reports"},
		{name: "reading the whole home", wish: wish{read: []string{"T/home"}}, want: "denied T/home/.local/state/mcp-sandbox"},
		{name: "reading all", wish: wish{read: []string{"T"}}, want: "denied T/home/.local/state/mcp-sandbox\ndenied T/xdg/mcp-sandbox"},
		{name: "reading all and writing the home", wish: wish{read: []string{"T"}, write: []string{"T/home"}},
			want: "frozen T/home/.local/state/mcp-sandbox\ndenied T/home/.local/state/mcp-sandbox/reports\ndenied T/xdg/mcp-sandbox"},
		{name: "reading around it, below the home", wish: wish{read: []string{"T/home/.local"}}, want: "denied T/home/.local/state/mcp-sandbox"},
		{name: "reading what lies in it", wish: wish{read: []string{"T/xdg/mcp-sandbox/state/x"}}},
		{name: "writing it", wish: wish{write: []string{"T/xdg/mcp-sandbox"}}, err: ErrProtected},
		{name: "writing what lies in it", wish: wish{write: []string{"T/xdg/mcp-sandbox/state/x"}}, err: ErrProtected},
	} {
		r := c.wish.request(root)
		r.Folders, r.Reports = folders, root+"/xdg/mcp-sandbox/reports"
		v, err := Plan(r)
		if !errors.Is(err, c.err) || c.err == nil && err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if err == nil {
			held := func(l string) bool { return strings.HasPrefix(l, "frozen") || strings.HasPrefix(l, "denied") }
			same(t, c.name, slices.DeleteFunc(show(v, root), func(l string) bool { return !held(l) }), lines(c.want))
		}
	}
}

// What would be made in the private home is a place in a home that lasts, and the folder itself is mounted there.
func TestLastingHome(t *testing.T) {
	root := plant(t, "home/\n home/tools/v1/bin/x\n home/now -> tools/v1\n home/notes/f\n states/acme/")
	r := wish{read: []string{"T/home/now/bin", "T/home/notes/f"}, write: []string{"T/home/notes"}}.request(root)
	r.State = root + "/states/acme"
	v, err := Plan(r)
	must(t, err)
	want := []Place{{Name: "notes", Folder: true}, {Name: "now", Target: "tools/v1"}, {Name: "tools", Folder: true, Inner: true},
		{Name: "tools/v1", Folder: true, Inner: true}, {Name: "tools/v1/bin", Folder: true}}
	for i := range v.Places {
		if v.Places[i].Target == root+"/home/tools/v1" { // as it was written, or as it was resolved
			v.Places[i].Target = "tools/v1"
		}
	}
	if !slices.Equal(v.Places, want) {
		t.Errorf("%+v", v.Places)
	}
	if i := slices.IndexFunc(v.Private, func(n Node) bool { return n.Kind == Bind }); i < 0 || v.Private[i].Path != root+"/home" || v.Private[i].Source != r.State {
		t.Errorf("%+v", v.Private)
	}
	for _, n := range v.Nodes {
		if n.Kind != Bind && policy.Below(n.Path, root+"/home") {
			t.Errorf("made by path: %+v", n)
		}
	}
	for _, grant := range []string{"T/home", "T"} {
		r := wish{read: []string{grant}}.request(root)
		r.State = root + "/states/acme"
		if _, err := Plan(r); !errors.Is(err, ErrShown) {
			t.Errorf("with a grant of %s: %v", grant, err)
		}
	}
}

// A folder of the product's that is not there yet cannot be hidden, and is listed.
func TestMissingOwnFolder(t *testing.T) {
	root := plant(t, "home/f")
	for _, c := range []struct {
		wish wish
		want bool
	}{{wish{read: []string{"T/home"}}, true}, {wish{}, false}} {
		r := c.wish.request(root)
		r.Folders = []string{root + "/home/.local/state/mcp-sandbox"}
		v, err := Plan(r)
		must(t, err)
		if slices.Contains(v.Unprotected, r.Folders[0]) != c.want {
			t.Errorf("%+v: %q", c.wish, v.Unprotected)
		}
	}
}
