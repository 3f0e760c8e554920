package fsview

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// bare is what every view of a tree has that grants nothing: T/home in the private /tmp. TestMain puts the
// temporary folder below /tmp.
const bare = "dir T 755\n dir T/home 700\n"

func TestGrants(t *testing.T) {
	const tree = `
		home/
		p/a/b/c/file
		p/a/x/
		p/file
		q/file
		q/deep/file
		link -> p/a
		hop -> T/link/b
		up -> p/a/../a/b
		loop1 -> loop2
		loop2 -> loop1
		p/out -> T/q
		p/in -> a/b
		p/store -> T/.nvm/versions/node/v1
		.nvm/versions/node/v1/bin/x
		dangling -> nowhere
		near -> T/p/inner
		p/inner -> T/q
		p/far -> T/side
		side -> q
		enter -> p`
	for _, c := range []struct {
		name  string
		wish  wish
		want  string
		err   error
		names string // in the error
	}{
		{name: "nothing", want: bare},
		{name: "read", wish: wish{read: []string{"T/q"}}, want: bare + "read T/q\n pin T"},
		{name: "write implies read", wish: wish{write: []string{"T/q"}}, want: bare + "write T/q\n pin T"},
		{name: "a file", wish: wish{read: []string{"T/p/file"}}, want: bare + "dir T/p 755\n read T/p/file\n pin T\n pin T/p"},
		{name: "read inside write takes nothing away", wish: wish{write: []string{"T/p"}, read: []string{"T/p/a", "T/p/file"}},
			want: bare + "write T/p\n pin T"},
		{name: "twice and nested", wish: wish{read: []string{"T/p", "T/p", "T/p/a/b"}}, want: bare + "read T/p\n pin T"},
		{name: "write inside read", wish: wish{read: []string{"T/p"}, write: []string{"T/p/a/b"}},
			want: bare + "read T/p\n write T/p/a/b\n pin T"},
		{name: "strict", wish: wish{write: []string{"T/q"}, level: policy.Strict}, want: bare + "read T/q\n pin T"},

		{name: "missing", wish: wish{read: []string{"T/none"}}, err: syscall.ENOENT, names: "allowRead T/none"},
		{name: "missing for writing", wish: wish{write: []string{"T/none"}}, err: syscall.ENOENT, names: "allowWrite T/none"},
		{name: "missing behind a file", wish: wish{read: []string{"T/p/file/x"}}, err: syscall.ENOTDIR, names: "T/p/file/x"},
		{name: "missing and ignored", wish: wish{read: []string{"-T/none", "-T/p/file/x"}, write: []string{"-T/none"}}, want: bare},
		{name: "there though it might be ignored", wish: wish{read: []string{"-T/q"}}, want: bare + "read T/q\n pin T"},

		{name: "through a link", wish: wish{read: []string{"T/link/b"}},
			want: "dir T 755\n dir T/home 700\n link T/link -> p/a\n dir T/p 755\n dir T/p/a 755\n read T/p/a/b\n pin T\n pin T/p\n pin T/p/a"},
		{name: "through two links", wish: wish{read: []string{"T/hop"}},
			want: "dir T 755\n dir T/home 700\n link T/hop -> T/link/b\n link T/link -> p/a\n dir T/p 755\n dir T/p/a 755\n read T/p/a/b\n pin T\n pin T/p\n pin T/p/a"},
		{name: "a link that leaves a folder again", wish: wish{read: []string{"T/up"}},
			want: "dir T 755\n dir T/home 700\n dir T/p 755\n dir T/p/a 755\n read T/p/a/b\n link T/up -> p/a/../a/b\n pin T\n pin T/p\n pin T/p/a"},
		{name: "a link as it was", wish: wish{read: []string{"T/side"}, leads: []string{"T/side", "T/q"}},
			want: "dir T 755\n dir T/home 700\n read T/q\n link T/side -> q\n pin T"},
		{name: "a link that was another", wish: wish{read: []string{"T/side"}, leads: []string{"T/side", "T/p"}}, err: ErrExchanged, names: "allowRead T/side"},
		{name: "a link that was a folder", wish: wish{write: []string{"T/link/b"}, leads: []string{"T/link/b", "T/link/b"}}, err: ErrExchanged, names: "allowWrite T/link/b"},
		{name: "the way of another path", wish: wish{read: []string{"T/q"}, leads: []string{"T/side", "T/p"}}, want: bare + "read T/q\n pin T"},
		{name: "a loop", wish: wish{read: []string{"-T/loop1"}}, err: syscall.ELOOP, names: "T/loop1"},
		{name: "a link to nothing", wish: wish{read: []string{"T/dangling"}}, err: syscall.ENOENT, names: "T/dangling"},

		{name: "link inside a write grant, leads out", wish: wish{write: []string{"T/p"}, read: []string{"T/p/out"}}, err: ErrLink, names: "T/p/out leads to T/q"},
		{name: "and below what it leads to", wish: wish{write: []string{"T/p", "T/p/out/deep"}}, err: ErrLink, names: "T/p/out"},
		{name: "leads to what is granted", wish: wish{write: []string{"T/p"}, read: []string{"T/p/out", "T/q"}}, want: bare + "write T/p\n read T/q\n pin T"},
		{name: "granted for reading only", wish: wish{write: []string{"T/p", "T/p/out"}, read: []string{"T/q"}}, err: ErrLink, names: "T/p/out"},
		{name: "leads to what is denied", wish: wish{write: []string{"T/p"}, read: []string{"T/p/out", "T/q"}, noRead: []string{"T/q"}}, err: ErrLink, names: "T/p/out"},
		{name: "leads inside", wish: wish{write: []string{"T/p", "T/p/in"}}, want: bare + "write T/p\n pin T"},
		{name: "link inside a read grant", wish: wish{read: []string{"T/p", "T/p/out"}}, want: bare + "read T/p\n read T/q\n pin T"},
		{name: "leads to a version store", wish: wish{write: []string{"T/p"}, read: []string{"T/p/store"}},
			want: "dir T 755\n dir T/.nvm 755\n dir T/.nvm/versions 755\n dir T/.nvm/versions/node 755\n read T/.nvm/versions/node/v1\n dir T/home 700\n write T/p\n pin T\n pin T/.nvm\n pin T/.nvm/versions\n pin T/.nvm/versions/node"},
		{name: "a version store is not for writing", wish: wish{write: []string{"T/p", "T/p/store"}}, err: ErrLink, names: "allowWrite T/p/store"},
		{name: "two links that vouch for each other", wish: wish{write: []string{"T/p"}, read: []string{"T/p/out", "T/p/out"}}, err: ErrLink},

		{name: "the inner of two links is the server's", wish: wish{write: []string{"T/p"}, read: []string{"T/near"}}, err: ErrLink, names: "T/p/inner leads to T/q"},
		{name: "the inner one, for writing", wish: wish{write: []string{"T/p", "T/near/deep"}}, err: ErrLink, names: "allowWrite T/near/deep"},
		{name: "the inner one, on the way", wish: wish{write: []string{"T/p"}, read: []string{"T/enter/out/deep"}}, err: ErrLink, names: "T/p/out leads to T/q/deep"},
		{name: "the outer of two links is the server's", wish: wish{write: []string{"T/p"}, read: []string{"T/p/far"}}, err: ErrLink, names: "T/p/far leads to T/q"},
		{name: "the outer one, for writing", wish: wish{write: []string{"T/p", "T/p/far"}}, err: ErrLink, names: "allowWrite T/p/far"},
		{name: "neither of two links is the server's", wish: wish{write: []string{"T/p/a"}, read: []string{"T/near"}},
			want: "dir T 755\n dir T/home 700\n link T/near -> T/p/inner\n dir T/p 755\n write T/p/a\n link T/p/inner -> T/q\n read T/q\n pin T\n pin T/p"},

		{name: "the root", wish: wish{read: []string{"/"}}, err: ErrSystem, names: "allowRead /"},
		{name: "proc", wish: wish{read: []string{"/proc/self/status"}}, err: ErrSystem},
		{name: "sys", wish: wish{read: []string{"/sys"}}, err: ErrSystem},
		{name: "dev", wish: wish{write: []string{"-/dev/shm"}}, err: ErrSystem},
		{name: "a system path", wish: wish{read: []string{"/usr/bin"}}, want: bare},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, tree)
			v, err := Plan(c.wish.request(root))
			if !checkError(t, err, c.err, root, c.names) {
				return
			}
			same(t, "view", show(v, root), lines(c.want))
			if c.wish.level == policy.Strict {
				same(t, "warnings", relative(root, v.Warnings), []string{"allowWrite T/q: read-only in level strict"})
			}
		})
	}
}

// checkError reports whether there is a view to look at.
func checkError(t *testing.T, got, want error, root, names string) bool {
	t.Helper()
	if !errors.Is(got, want) || (got == nil) != (want == nil) {
		t.Fatalf("error %v, want %v", got, want)
	}
	if got != nil && !strings.Contains(strings.ReplaceAll(got.Error(), root, "T"), names) {
		t.Errorf("error %q does not say %q", got, names)
	}
	return got == nil
}

func TestLinkToSystem(t *testing.T) {
	for _, target := range []string{"/", "/proc/self", "/proc", "/sys/kernel", "/dev/null", "/dev"} {
		root := plant(t, "l -> "+target)
		if _, err := Plan(wish{read: []string{"T/l"}}.request(root)); !errors.Is(err, ErrSystem) {
			t.Errorf("link to %s: %v", target, err)
		}
	}
	root := plant(t, "l -> /usr/bin")
	if _, err := Plan(wish{read: []string{"T/l"}}.request(root)); err != nil {
		t.Error(err)
	}
}

func TestSpecialGrants(t *testing.T) {
	root := plant(t, "d/")
	must(t, syscall.Mkfifo(root+"/fifo", 0o600))
	s, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	must(t, err)
	defer syscall.Close(s)
	must(t, os.Chdir(root)) // sun_path is short
	must(t, syscall.Bind(s, &syscall.SockaddrUnix{Name: "sock"}))
	for path, want := range map[string]error{"T/fifo": ErrSpecial, "T/sock": ErrSocket, "T/d": nil} {
		_, err := Plan(wish{read: []string{path}}.request(root))
		if !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}
