package fsview

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// bound makes a socket in a folder by a relative name, and returns its closer.
func bound(t testing.TB, folder, name string, kind int) (end func()) {
	t.Helper()
	here, err := os.Getwd()
	must(t, err)
	must(t, os.Chdir(folder)) // sun_path is short
	defer func() { must(t, os.Chdir(here)) }()
	fd, err := unix.Socket(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	must(t, unix.Bind(fd, &unix.SockaddrUnix{Name: name}))
	if kind != unix.SOCK_DGRAM {
		must(t, unix.Listen(fd, 1))
	}
	end = func() { unix.Close(fd) }
	t.Cleanup(end)
	return end
}

// TestSockets binds sockets by all kinds of names, and looks which of them are covered.
func TestSockets(t *testing.T) {
	const tree = "home/\n p/a/b/c/x\n q/deep/er/x\n out/x\n l -> p/a"
	grant := wish{read: []string{"T/q"}, write: []string{"T/p"}}
	for _, c := range []struct {
		name string
		wish wish
		make func(t *testing.T, root string)
		want string // covers beside the pin of T
	}{
		{"none", grant, func(*testing.T, string) {}, ""},
		{"by its path", grant, func(t *testing.T, root string) { bound(t, "/", root+"/q/s", unix.SOCK_STREAM) }, "denied T/q/s"},
		{"in a write grant", grant, func(t *testing.T, root string) { bound(t, "/", root+"/p/a/b/s", unix.SOCK_STREAM) }, "pin T/p/a\n pin T/p/a/b\n denied T/p/a/b/s"},
		{"datagrams and packets", grant, func(t *testing.T, root string) {
			bound(t, "/", root+"/q/d", unix.SOCK_DGRAM)
			bound(t, "/", root+"/q/p", unix.SOCK_SEQPACKET)
		}, "denied T/q/d\n denied T/q/p"},
		{"a relative name", grant, func(t *testing.T, root string) { bound(t, root+"/q/deep/er", "s", unix.SOCK_STREAM) }, "denied T/q/deep/er/s"},
		{"a relative name that another folder has too", grant, func(t *testing.T, root string) {
			end := bound(t, root+"/p", "s", unix.SOCK_STREAM)
			end()
			bound(t, root+"/q/deep", "s", unix.SOCK_STREAM)
		}, "denied T/q/deep/s"},
		{"a name through a link", grant, func(t *testing.T, root string) { bound(t, "/", root+"/l/s", unix.SOCK_STREAM) }, "pin T/p/a\n denied T/p/a/s"},
		{"a name through /proc", grant, func(t *testing.T, root string) { bound(t, root+"/q", "/proc/self/cwd/s", unix.SOCK_STREAM) }, "denied T/q/s"},
		{"renamed", grant, func(t *testing.T, root string) {
			bound(t, "/", root+"/out/s.tmp", unix.SOCK_STREAM)
			must(t, os.Rename(root+"/out/s.tmp", root+"/q/s"))
		}, "denied T/q/s"},
		{"renamed, and another takes the name", grant, func(t *testing.T, root string) {
			bound(t, "/", root+"/q/s", unix.SOCK_STREAM)
			must(t, os.Rename(root+"/q/s", root+"/q/t"))
			bound(t, "/", root+"/q/s", unix.SOCK_STREAM)
		}, "denied T/q/s\n denied T/q/t"},
		{"linked, as ssh does for its masters", grant, func(t *testing.T, root string) {
			bound(t, "/", root+"/q/s.random", unix.SOCK_STREAM)
			must(t, os.Link(root+"/q/s.random", root+"/q/s"))
			must(t, os.Remove(root+"/q/s.random"))
		}, "denied T/q/s"},
		{"two names", grant, func(t *testing.T, root string) {
			bound(t, "/", root+"/q/s", unix.SOCK_STREAM)
			must(t, os.Link(root+"/q/s", root+"/p/also"))
		}, "denied T/p/also\n denied T/q/s"},
		{"a second name inside, the first outside", grant, func(t *testing.T, root string) {
			bound(t, "/", root+"/out/s", unix.SOCK_STREAM)
			must(t, os.Link(root+"/out/s", root+"/q/also"))
		}, "denied T/q/also"},
		{"in a folder that moved", grant, func(t *testing.T, root string) {
			bound(t, "/", root+"/out/s", unix.SOCK_STREAM)
			must(t, os.Rename(root+"/out", root+"/q/in"))
		}, "denied T/q/in/s"},
		{"names of any bytes", grant, func(t *testing.T, root string) {
			bound(t, "/", root+"/q/a\nb", unix.SOCK_STREAM)
			bound(t, "/", root+"/q/b\xff - \\040", unix.SOCK_STREAM)
		}, "denied T/q/a\nb\n denied T/q/b\xff - \\040"},
		{"outside", grant, func(t *testing.T, root string) { bound(t, "/", root+"/out/s", unix.SOCK_STREAM) }, ""},
		{"abstract", grant, func(t *testing.T, root string) { bound(t, "/", "@"+root+"/q/s", unix.SOCK_STREAM) }, ""},
		{"removed", grant, func(t *testing.T, root string) {
			bound(t, "/", root+"/q/s", unix.SOCK_STREAM)
			must(t, os.Remove(root+"/q/s"))
		}, ""},
		{"left behind, as by the server itself", grant, func(t *testing.T, root string) { bound(t, "/", root+"/p/s", unix.SOCK_STREAM)() }, ""},
		{"in a denied folder", wish{read: []string{"T/q"}, noRead: []string{"T/q/deep"}}, func(t *testing.T, root string) {
			bound(t, "/", root+"/q/deep/s", unix.SOCK_STREAM)
			bound(t, root+"/q/deep/er", "s", unix.SOCK_STREAM)
		}, "denied T/q/deep"},
		{"granted below a denied folder", wish{read: []string{"T/q", "T/q/deep/er"}, noRead: []string{"T/q/deep"}}, func(t *testing.T, root string) {
			bound(t, root+"/q/deep/er", "s", unix.SOCK_STREAM)
		}, "denied T/q/deep/er/s"},
		{"in a frozen folder", wish{write: []string{"T/p"}, noWrite: []string{"T/p/a"}}, func(t *testing.T, root string) {
			bound(t, "/", root+"/p/a/s", unix.SOCK_STREAM)
		}, "frozen T/p/a\n denied T/p/a/s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, tree)
			c.make(t, root)
			r := c.wish.request(root)
			r.Bound = platform.BoundSockets
			v, err := Plan(r)
			must(t, err)
			if v.Sockets != (Sockets{}) {
				t.Errorf("%+v", v.Sockets)
			}
			var got []string
			for _, k := range v.Covers {
				if policy.Below(k.Path, root) && k.Path != root+"/home" {
					got = append(got, strings.ReplaceAll([]string{"pin", "frozen", "denied"}[k.Kind]+" "+k.Path, root, "T"))
				}
			}
			want := strings.Split(c.want, "\n ")
			if c.want == "" {
				want = nil
			}
			same(t, "covers", got, want)
			build(t, v)
		})
	}
}

// TestTooManySockets has what cannot be covered: then the server gets no socket of the family.
func TestTooManySockets(t *testing.T) {
	root := plant(t, "home/\n p/a/x\n p/b/x")
	r := wish{write: []string{"T/p"}}.request(root)
	plan := func(bound []platform.BoundSocket, err error) Sockets {
		t.Helper()
		r.Bound = func() ([]platform.BoundSocket, error) { return bound, err }
		v, err := Plan(r)
		must(t, err)
		return v.Sockets
	}
	if s := plan(nil, unix.EAFNOSUPPORT); s.Grant != "" || !errors.Is(s.Unlisted, unix.EAFNOSUPPORT) {
		t.Errorf("nobody could tell: %+v", s)
	}
	dev := func() uint64 {
		e, err := statx(root)
		must(t, err)
		return e.Dev
	}()
	lost := platform.BoundSocket{Name: "s", Dev: dev, Ino: 1}
	if s := plan([]platform.BoundSocket{lost}, nil); s != (Sockets{}) {
		t.Errorf("a socket somewhere else: %+v", s)
	}
	many := make([]platform.BoundSocket, maxBound+1)
	for i := range many {
		many[i] = lost
	}
	if s := plan(many, nil); s.Grant != root+"/p" {
		t.Errorf("a multitude: %+v", s)
	}
	for i := range many {
		many[i].Dev = 1<<32 - 1
	}
	if s := plan(many, nil); s != (Sockets{}) {
		t.Errorf("a multitude on another file system: %+v", s)
	}
	must(t, os.Chmod(root+"/p/a", 0)) // the server's own doing, perhaps: it can undo it
	s := plan([]platform.BoundSocket{lost}, nil)
	if want := root + "/p/a"; os.Geteuid() != 0 && s.Grant != want {
		t.Errorf("a folder that cannot be searched: %+v", s)
	}
	must(t, os.Chmod(root+"/p/a", 0o700))
	for i := range maxCovered + 1 {
		bound(t, "/", filepath.Join(root, "p/b", strconv.Itoa(i)), unix.SOCK_DGRAM)
	}
	all, err := platform.BoundSockets()
	if s := plan(all, err); s.Grant != root+"/p" {
		t.Errorf("more than are covered: %+v", s)
	}
}

// BenchmarkSockets has the price of asking: where nothing is bound, and where other programs have many.
func BenchmarkSockets(b *testing.B) {
	root := plant(b, "home/p/node_modules/srv/index.js\n home/data/a/b/\n out/")
	plan := func(b *testing.B, ask func() ([]platform.BoundSocket, error)) {
		r := wish{read: []string{"T/home/p"}, write: []string{"T/home/data"}}.request(root)
		r.Bound = ask
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Plan(r); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("not asked", func(b *testing.B) { plan(b, nil) })
	b.Run("asked", func(b *testing.B) { plan(b, platform.BoundSockets) })
	for i := range 300 {
		bound(b, "/", filepath.Join(root, "out", strconv.Itoa(i)), unix.SOCK_DGRAM)
	}
	b.Run("300 elsewhere", func(b *testing.B) { plan(b, platform.BoundSockets) })
	if err := os.RemoveAll(filepath.Join(root, "out")); err != nil {
		b.Fatal(err)
	}
	b.Run("300 removed", func(b *testing.B) { plan(b, platform.BoundSockets) })
}
