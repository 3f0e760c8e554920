package fsview

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// TestAllowedSockets binds sockets, and looks at what of the tree is shown, and which type was found.
func TestAllowedSockets(t *testing.T) {
	const tree = "home/\n s/x\n q/x\n w/x\n link -> s\n w/planted -> T/s/a\n deep/er/x"
	for _, c := range []struct {
		name  string
		wish  wish
		list  []string
		want  string
		err   error
		names string // in the error
	}{
		{name: "stream", list: []string{"T/s/a"}, want: bare + "dir T/s 755\n read T/s/a\n pin T\n pin T/s"},
		{name: "datagrams, twice", list: []string{"T/s/d", "T/s/d"}, want: bare + "dir T/s 755\n read T/s/d\n pin T\n pin T/s"},
		{name: "by a link", list: []string{"T/link/a"},
			want: bare + "link T/link -> s\n dir T/s 755\n read T/s/a\n pin T\n pin T/s"},
		{name: "in a read grant", wish: wish{read: []string{"T/s"}}, list: []string{"T/s/a"},
			want: bare + "read T/s\n read T/s/a\n pin T\n denied T/s/b\n denied T/s/d"},
		{name: "in a denied folder", wish: wish{read: []string{"T/s"}, noRead: []string{"T/s"}}, list: []string{"T/s/a"},
			want: bare + "dir T/s 755\n read T/s/a\n pin T\n pin T/s"},
		{name: "of the server's home", list: []string{"T/home/h"}, want: bare + "read T/home/h\n pin T\n pin T/home"},
		{name: "of the whole host", wish: wish{host: true}, list: []string{"T/s/a"},
			want: "dir T 755\n dir T/home 700\n dir T/s 755\n read T/s/a\n pin T\n pin T/s"},
		{name: "missing, optional", list: []string{"-T/s/none"}, want: bare},
		{name: "left behind, optional", list: []string{"-T/s/dead"}, want: bare},

		{name: "missing", list: []string{"T/s/none"}, err: syscall.ENOENT, names: "network.allowUnixSockets T/s/none: "},
		{name: "missing, in words", list: []string{"T/s/none"}, err: ErrNobody, names: "write -PATH"},
		{name: "left behind", list: []string{"T/s/dead"}, err: ErrNobody},
		{name: "a file", list: []string{"T/s/x"}, err: ErrNoSocket},
		{name: "a folder", list: []string{"T/s"}, err: ErrNoSocket},
		{name: "a file, optional", list: []string{"-T/s/x"}, err: ErrNoSocket},
		{name: "in a write grant", wish: wish{write: []string{"T/s"}}, list: []string{"T/s/a"}, err: ErrReplaceable},
		{name: "in a write grant, by a link", wish: wish{write: []string{"T/s"}}, list: []string{"T/link/a"}, err: ErrReplaceable},
		{name: "by a link in a write grant", wish: wish{write: []string{"T/w"}}, list: []string{"T/w/planted"}, err: ErrReplaceable},
		{name: "in a write grant of level strict", wish: wish{write: []string{"T/s"}, level: policy.Strict}, list: []string{"T/s/a"},
			err: ErrReplaceable},
		{name: "denied", wish: wish{noRead: []string{"T/s/a"}}, list: []string{"T/s/a"}, err: ErrSocketDenied},
		{name: "long", list: []string{"T/s/" + strings.Repeat("../s/", 40) + "a"}, err: ErrLongSocket},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, tree)
			for name, kind := range map[string]int{"s/a": unix.SOCK_STREAM, "s/b": unix.SOCK_STREAM, "s/d": unix.SOCK_DGRAM,
				"home/h": unix.SOCK_SEQPACKET} {
				bound(t, root, name, kind)
			}
			bound(t, root, "s/dead", unix.SOCK_STREAM)()
			if len(root)+len("/home/h") > maxSocketPath {
				t.Skip("the folder of temporary files has a long name")
			}
			r := c.wish.request(root)
			r.Policy.Network.AllowUnixSockets = at(root, c.list)
			r.Bound = platform.BoundSockets
			v, err := Plan(r)
			if !errors.Is(err, c.err) || err != nil && !strings.Contains(strings.ReplaceAll(err.Error(), root, "T"), c.names) {
				t.Fatalf("%v, want %v %q", err, c.err, c.names)
			}
			if err != nil {
				return
			}
			same(t, "view", show(v, root), lines(c.want))
			for _, s := range v.Allowed {
				want := map[string]int{"a": unix.SOCK_STREAM, "d": unix.SOCK_DGRAM, "h": unix.SOCK_SEQPACKET}[baseOf(s.Path)]
				if s.Type != want {
					t.Errorf("%s has type %d, want %d", s.Path, s.Type, want)
				}
			}
			build(t, v)
		})
	}
}

// TestAllowedSocketsOfTheView: the node is marked, the plan's page has its mode, and a daemon's has a warning.
func TestAllowedSocketsOfTheView(t *testing.T) {
	root := plant(t, "home/\n s/x")
	bound(t, root, "s/docker.sock", unix.SOCK_STREAM)
	r := wish{}.request(root)
	path := root + "/s/docker.sock"
	r.Policy.Network.AllowUnixSockets = []string{path}
	v, err := Plan(r)
	must(t, err)
	marked := 0
	for _, n := range v.Nodes {
		if n.Socket {
			if marked++; n.Path != path || n.Write || n.Folder || n.Kind != Bind {
				t.Errorf("%+v", n)
			}
		}
	}
	seen := 0
	for _, s := range v.Sees() {
		if s == (order.Seen{Path: path, Mode: order.Connects, Why: order.WhyGranted}) {
			seen++
		}
	}
	if marked != 1 || seen != 1 || len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0], "the rights of Docker") {
		t.Errorf("%d marked, %d seen, %q", marked, seen, v.Warnings)
	}
}

// TestAllowedSocketsShared: without a root of its own the server reaches no socket, but in level privileged every one.
func TestAllowedSocketsShared(t *testing.T) {
	root := plant(t, "home/\n s/x")
	bound(t, root, "s/a", unix.SOCK_STREAM)
	for level, want := range map[policy.Level]int{policy.Standard: 1, policy.Privileged: 0} {
		r := wish{level: level}.request(root)
		r.Shared, r.Open = true, level == policy.Privileged
		r.Policy.Network.AllowUnixSockets = []string{root + "/s/a", "-" + root + "/s/none"}
		v, err := Plan(r)
		must(t, err)
		if len(v.Unheld) != want || len(v.Allowed) != 0 {
			t.Errorf("%s: %+v, %+v", level, v.Unheld, v.Allowed)
		}
	}
}

// TestAllowedSocketsOfRoot: a root launcher looks at the rights of its server's user.
func TestAllowedSocketsOfRoot(t *testing.T) {
	root := plant(t, "home/\n s/x")
	bound(t, root, "s/a", unix.SOCK_STREAM)
	for mode, want := range map[os.FileMode]error{0o600: ErrDenied, 0o644: ErrDenied, 0o602: nil} {
		must(t, os.Chmod(root+"/s/a", mode))
		r := wish{}.request(root)
		r.Root, r.UID, r.GID = true, 65533, 65533
		r.Policy.Network.AllowUnixSockets = []string{root + "/s/a"}
		if _, err := Plan(r); !errors.Is(err, want) {
			t.Errorf("%o: %v, want %v", mode, err, want)
		}
	}
}

// TestOursIsNoSocket: no socket of this product's own can be allowed.
func TestOursIsNoSocket(t *testing.T) {
	root := plant(t, "home/\n s/x")
	bound(t, root, "s/a", unix.SOCK_STREAM)
	r := wish{}.request(root)
	r.Folders = []string{root + "/s"}
	r.Policy.Network.AllowUnixSockets = []string{root + "/s/a"}
	if _, err := Plan(r); !errors.Is(err, ErrOurs) {
		t.Error(err)
	}
}
