package fsview

import (
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A grant that is offered is planned: the launch with it is not refused, and the server comes to the path. What is
// not offered would be refused, or would not help.
func TestOffer(t *testing.T) {
	const tree = "home/x\n home/out -> T/other\n home/bash -> T/elsewhere/.bashrc\n home/up -> T/\n other/f\n p/.vscode/x\n p/.git/x\n " +
		"elsewhere/.claude/x\n home/set -> T/elsewhere/.claude\n state/\n deep -> other\n home/.config/a/x\n " +
		"home/p/conf -> T/home/.config\n home/p/one -> T/home/.config/a\n home/p/bin -> T/home/.local/bin\n home/.local/bin/x\n " +
		"home/p/git -> T/other/.git\n other/.git/x\n p/*/x"
	for _, c := range []struct {
		name  string
		wish  wish
		at    string
		write bool
		want  string // "" for none
	}{
		{name: "a folder", at: "T/other", want: "--allow-read T/other"},
		{name: "a file, to write", at: "T/other/f", write: true, want: "--allow-write T/other/f"},
		{name: "a link of the user's", at: "T/deep", want: "--allow-read T/deep"},
		{name: "a link in a write grant", wish: wish{write: []string{"T/home"}}, at: "T/home/out/f", write: true, want: "--allow-write T/other/f"},
		{name: "a link in a write grant to what is granted", wish: wish{write: []string{"T/home"}, read: []string{"T/other"}}, at: "T/home/out", want: "--allow-read T/home/out"},
		{name: "a link in a write grant to a home", wish: wish{write: []string{"T/home"}}, at: "T/home/up"},
		{name: "a link in a write grant to settings", wish: wish{write: []string{"T/home"}}, at: "T/home/set"},
		{name: "a link in a write grant to a folder of settings", wish: wish{write: []string{"T/home/p"}}, at: "T/home/p/conf", write: true},
		{name: "to a folder of programs", wish: wish{write: []string{"T/home/p"}}, at: "T/home/p/bin", write: true},
		{name: "and to read", wish: wish{write: []string{"T/home/p"}}, at: "T/home/p/conf"},
		{name: "a link in a write grant to a repository", wish: wish{write: []string{"T/home/p"}}, at: "T/home/p/git", write: true},
		{name: "and to read", wish: wish{write: []string{"T/home/p"}}, at: "T/home/p/git", want: "--allow-read T/other/.git"},
		{name: "a name that a policy takes for a pattern", at: "T/p/*"},
		{name: "a link in a write grant to one program's", wish: wish{write: []string{"T/home/p"}}, at: "T/home/p/one", write: true, want: "--allow-write T/home/.config/a"},
		{name: "settings", at: "T/p/.vscode", write: true},
		{name: "settings, to read", at: "T/p/.vscode", want: "--allow-read T/p/.vscode"},
		{name: "a repository", wish: wish{write: []string{"T/p"}}, at: "T/p/.git", write: true, want: "--allow-write T/p/.git"},
		{name: "denied", wish: wish{read: []string{"T/p"}, noRead: []string{"T/other"}}, at: "T/other"},
		{name: "denied for writing", wish: wish{noWrite: []string{"T/other"}}, at: "T/other", write: true},
		{name: "below a denial", wish: wish{noRead: []string{"T/other"}}, at: "T/other/f", want: "--allow-read T/other/f"},
		{name: "strict", wish: wish{level: policy.Strict}, at: "T/other", write: true},
		{name: "strict, to read", wish: wish{level: policy.Strict}, at: "T/other", want: "--allow-read T/other"},
		{name: "missing", at: "T/none"},
		{name: "of the kernel", at: "/proc/version"},
		{name: "a device", at: "/dev/null"},
		{name: "a socket", at: "T/sock", want: "--allow-unix-socket T/sock"},
		{name: "a socket in a write grant", wish: wish{write: []string{"T/other"}}, at: "T/other/sock"},
		{name: "a socket that is denied", wish: wish{noRead: []string{"T/sock"}}, at: "T/sock"},
		{name: "a socket without a listener", at: "T/dead"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, tree)
			for _, name := range []string{"/sock", "/other/sock", "/dead"} {
				l, err := net.ListenUnix("unix", &net.UnixAddr{Name: root + name, Net: "unix"})
				must(t, err)
				l.SetUnlinkOnClose(false)
				if name == "/dead" {
					must(t, l.Close())
				} else {
					t.Cleanup(func() { l.Close() })
				}
			}
			path := strings.Replace(c.at, "T/", root+"/", 1)
			e, err := Explain(c.wish.request(root))
			must(t, err)
			o, err := OfferOf(e, path, c.write)
			if err != nil {
				o = Offer{}
			}
			if got := strings.ReplaceAll(strings.TrimSpace(o.Flag+" "+o.Path), root, "T"); got != c.want && (err == nil || c.want != "") {
				t.Fatalf("%q, %v; want %q", got, err, c.want)
			}
			helped(t, c.wish, root, path, c.write, o, c.want != "")
		})
	}
}

// helped plans the launch with the grant that was offered, or with the obvious one where none was.
func helped(t *testing.T, w wish, root, path string, write bool, o Offer, want bool) {
	t.Helper()
	if strings.Contains(path, "*") { // which policy.Parse refuses
		return
	}
	r := w.request(root)
	if o.Flag == "" {
		o = Offer{OfferRead, path}
		if write {
			o.Flag = OfferWrite
		}
		if st, err := os.Stat(path); err == nil && st.Mode()&os.ModeSocket != 0 {
			o.Flag = OfferSocket
		}
	}
	fs := &r.Policy.Filesystem
	list := map[string]*[]string{OfferRead: &fs.AllowRead, OfferWrite: &fs.AllowWrite, OfferSocket: &r.Policy.Network.AllowUnixSockets}[o.Flag]
	*list = append(slices.Clone(*list), o.Path)
	e, err := Explain(r)
	is := false
	if err == nil {
		s := e.Find(path)
		is = s.Read && (!write || s.Write)
	}
	if is != want {
		t.Errorf("%v: the launch with %s %s: %v, and the path is open: %t", want, o.Flag, o.Path, err, is)
	}
}

// A home that lasts stands where a grant would show the host's.
func TestOfferOfHome(t *testing.T) {
	root := plant(t, "home/x\n state/")
	r := wish{}.request(root)
	for state, want := range map[string]bool{"": true, root + "/state": false} {
		r.State = state
		e, err := Explain(r)
		must(t, err)
		if _, err := OfferOf(e, root+"/home", false); (err == nil) != want || err != nil && !errors.Is(err, ErrShown) {
			t.Errorf("state %q: %v", state, err)
		}
	}
}
