package fsview

import (
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// Sees names what the policy gives and takes, and why; of the base system each path once.
func TestSeen(t *testing.T) {
	const tree = `
		home/.nvm/versions/node/v20/bin/node!
		home/.nvm/versions/node/v20/lib/node_modules/x
		p/.git/HEAD
		p/a/b/c
		p/secret/key
		q/file
		q/link -> T/q/file`
	for _, c := range []struct {
		name string
		wish wish
		want string // of the paths that are planted, in their order
	}{
		{"nothing", wish{}, ""},
		{"grants and denials", wish{write: []string{"T/p"}, read: []string{"T/q/link", "-T/none"}, noRead: []string{"T/p/secret"}, noWrite: []string{"T/p/a"}},
			"p write granted\np/.git read protected\np/a read denied\np/secret hidden denied\nq/file read granted"},
		{"a grant inside a denial", wish{read: []string{"T/p", "T/p/secret/key"}, noRead: []string{"T/p/secret"}},
			"p read granted\np/secret hidden denied\np/secret/key read granted"},
		{"a tie", wish{read: []string{"T/p"}, noRead: []string{"T/p"}}, "p hidden denied"},
	} {
		root := plant(t, tree)
		v, err := Plan(c.wish.request(root))
		must(t, err)
		var got []string
		for _, s := range v.Sees() {
			if path, below := strings.CutPrefix(s.Path, root+"/"); below && s.Mode != order.Private && s.Why != order.WhyAlways {
				got = append(got, path+" "+string(s.Mode)+" "+string(s.Why))
			}
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), c.want)
		}
	}
}

// What the command implies, the private folders and the base system are named, and no path twice.
func TestSeenRest(t *testing.T) {
	root := plant(t, "home/.nvm/versions/node/v20/bin/node!\n home/.nvm/versions/node/v20/lib/node_modules/x")
	r := wish{}.request(root)
	r.Command = []string{root + "/home/.nvm/versions/node/v20/bin/node"}
	v, err := Plan(r)
	must(t, err)
	all := map[string]order.Seen{}
	for _, s := range v.Sees() {
		if _, twice := all[s.Path]; twice {
			t.Errorf("%s is there twice", s.Path)
		}
		all[s.Path] = s
	}
	for _, want := range []order.Seen{
		{Path: root + "/home/.nvm/versions/node/v20", Mode: order.CanRead, Why: order.WhyImplied}, {Path: v.Home, Mode: order.Private, Why: order.WhyAlways},
		{Path: "/tmp", Mode: order.Private, Why: order.WhyAlways}, {Path: "/usr", Mode: order.CanRead, Why: order.WhyAlways},
		{Path: "/etc/passwd", Mode: order.Generated, Why: order.WhyAlways}, {Path: "/proc", Mode: order.Generated, Why: order.WhyAlways},
		{Path: "/dev/null", Mode: order.CanRead, Why: order.WhyAlways},
	} {
		if all[want.Path] != want {
			t.Errorf("%+v, want %+v", all[want.Path], want)
		}
	}
}

// A folder that is made for the way to a grant lets nobody in whom the host's does not, and the server through.
func TestModesOfFoldersOnTheWay(t *testing.T) {
	root := plant(t, "home/\n a/b/c/d/file")
	for name, mode := range map[string]os.FileMode{"a": 0o700, "a/b": 0o2751, "a/b/c": 0o777 | os.ModeSticky, "a/b/c/d": 0o100} {
		must(t, os.Chmod(root+"/"+name, mode))
	}
	defer os.Chmod(root+"/a/b/c/d", 0o700) // or its user could not remove the file
	v, err := Plan(wish{read: []string{"T/a/b/c/d/file"}}.request(root))
	must(t, err)
	got := map[string]uint32{}
	for _, n := range v.Nodes {
		if n.Kind == Dir {
			got[strings.TrimPrefix(n.Path, root)] = n.Mode
		}
	}
	for name, want := range map[string]uint32{"/a": 0o700, "/a/b": 0o751, "/a/b/c": 0o755, "/a/b/c/d": 0o500} {
		if got[name] != want {
			t.Errorf("%s has %o, want %o", name, got[name], want)
		}
	}
}
