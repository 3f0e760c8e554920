package fsview

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform"
)

// TestCrowded has the folders in which sockets for others are expected, for the names that lead there too.
func TestCrowded(t *testing.T) {
	const tree = `
		home/
		tmp/x/bin/srv!
		tmp/x/lib/node_modules/m
		tmp/file
		var/tmp/y/
		var/lib/z/
		var/run -> T/run
		run/user/7/bus
		tmpfile
		u/project/src/
		u/.config
		people/u -> T/u
		peoples/
		away -> T/tmp/x`
	for _, c := range []struct {
		name    string
		wish    wish
		home    string // of the policy
		homes   []string
		command string
		want    string // the folder for which the family is refused
		why     string
	}{
		{name: "nothing granted"},
		{name: "is one", wish: wish{read: []string{"T/tmp"}}, want: "T/tmp", why: "it is, holds or lies in T/tmp"},
		{name: "lies in one", wish: wish{write: []string{"T/var/tmp/y"}}, want: "T/var/tmp/y"},
		{name: "holds one", wish: wish{read: []string{"T/var"}}, want: "T/var"},
		{name: "holds a link to one", wish: wish{read: []string{"T/var/run/user/7"}}, want: "T/run/user/7"},
		{name: "lies in what a link leads to", wish: wish{read: []string{"T/run/user"}}, want: "T/run/user"},
		{name: "a link leads there", wish: wish{read: []string{"T/away"}}, want: "T/tmp/x"},
		{name: "beside them", wish: wish{read: []string{"T/var/lib", "T/u/project", "T/peoples"}}},
		{name: "a like name", wish: wish{read: []string{"T/tmpfile"}}},
		{name: "a file in one", wish: wish{read: []string{"T/tmp/file"}}},
		{name: "a file and a folder elsewhere", wish: wish{read: []string{"T/tmp/file", "T/var/lib"}}},
		{name: "denied as a whole", wish: wish{read: []string{"T/tmp"}, noRead: []string{"T/tmp"}}},
		{name: "an installation in one", command: "T/tmp/x/bin/srv", want: "T/tmp/x"},
		{name: "the home", wish: wish{read: []string{"T/u"}}, homes: []string{"T/u"}, want: "T/u", why: "it is or holds the home folder T/u"},
		{name: "a folder in the home", wish: wish{write: []string{"T/u/project"}}, homes: []string{"T/u"}},
		{name: "above the home", wish: wish{read: []string{"T/people", "T/u/project", "T/u/.config"}}, homes: []string{"T/none", "T/people/u"}, want: "T/people"},
		{name: "the home through a link", wish: wish{read: []string{"T/u"}}, homes: []string{"T/people/u"}, want: "T/u"},
		{name: "the home, and the policy names another", wish: wish{read: []string{"T/u"}}, home: "/nonexistent", homes: []string{"T/u"}, want: "T/u"},
		{name: "the policy's home", wish: wish{read: []string{"T/u"}}, home: "T/u", homes: []string{"T/none"}, want: "T/u"},
		{name: "a home that is a system folder", wish: wish{read: []string{"T/u"}}, homes: []string{"/", "/tmp", "/usr/sbin", "", "u"}},
		{name: "all of the host", wish: wish{host: true, read: []string{"T/tmp"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, tree)
			r := c.wish.request(root)
			r.Crowded, r.Homes = append(at(root, []string{"T/tmp", "T/var/tmp", "T/run", "T/var/run"}), "", "run"), at(root, c.homes)
			if c.home != "" {
				r.Env = append(r.Env, "HOME="+at(root, []string{c.home})[0])
			}
			if c.command != "" {
				r.Command = at(root, []string{c.command})
			}
			r.Bound = func() ([]platform.BoundSocket, error) {
				if c.want != "" {
					t.Error("asked for sockets all the same")
				}
				return nil, nil
			}
			v, err := Plan(r)
			must(t, err)
			if got := relative(root, []string{v.Sockets.Grant})[0]; got != c.want {
				t.Errorf("refused because of %q (%s), want %q", got, v.Sockets.Why, c.want)
			}
			if !strings.Contains(relative(root, []string{v.Sockets.Why})[0], c.why) {
				t.Errorf("why: %s", v.Sockets.Why)
			}
		})
	}
}
