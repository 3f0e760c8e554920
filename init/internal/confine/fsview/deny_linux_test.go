package fsview

import (
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

func TestDeny(t *testing.T) {
	const tree = `
		home/
		p/a/b/c/file
		p/a/x/
		p/file
		p/out -> T/q
		p/in -> a/b
		p/far -> T/side
		side -> q/file
		near -> T/p/inner
		p/inner -> T/q/file
		hop -> p
		lost -> T/p/gone
		p/gone -> T/q/none
		q/file`
	for _, c := range []struct {
		name  string
		wish  wish
		want  string
		err   error
		names string
	}{
		{name: "folder in a read grant", wish: wish{read: []string{"T/p"}, noRead: []string{"T/p/a/b"}},
			want: bare + "read T/p\n pin T\n denied T/p/a/b"},
		{name: "folder in a write grant", wish: wish{write: []string{"T/p"}, noRead: []string{"T/p/a/b/c"}},
			want: bare + "write T/p\n pin T\n pin T/p/a\n pin T/p/a/b\n denied T/p/a/b/c"},
		{name: "file", wish: wish{write: []string{"T/p"}, noRead: []string{"T/p/file"}}, want: bare + "write T/p\n pin T\n denied T/p/file"},
		{name: "writing", wish: wish{write: []string{"T/p"}, noWrite: []string{"T/p/a/b"}},
			want: bare + "write T/p\n pin T\n pin T/p/a\n frozen T/p/a/b"},
		{name: "writing in a read grant", wish: wish{read: []string{"T/p"}, noWrite: []string{"T/p/a/b"}}, want: bare + "read T/p\n pin T"},
		{name: "outside of any grant", wish: wish{read: []string{"T/p"}, noRead: []string{"T/q"}, noWrite: []string{"T/q"}}, want: bare + "read T/p\n pin T"},
		{name: "tie of reading", wish: wish{read: []string{"T/p"}, noRead: []string{"T/p"}}, want: bare},
		{name: "tie of writing", wish: wish{write: []string{"T/p"}, noWrite: []string{"T/p"}}, want: bare + "read T/p\n pin T"},
		{name: "read below denied", wish: wish{read: []string{"T/p", "T/p/a/b"}, noRead: []string{"T/p/a"}},
			want: bare + "read T/p\n read T/p/a/b\n private T/p/a 555\n pin T"},
		{name: "read far below denied", wish: wish{read: []string{"T/p", "T/p/a/b/c"}, noRead: []string{"T/p/a"}},
			want: bare + "read T/p\n dir T/p/a/b 755\n read T/p/a/b/c\n private T/p/a 555\n pin T\n pin T/p/a/b"},
		{name: "read below denied in a write grant is not writable", wish: wish{write: []string{"T/p"}, read: []string{"T/p/a/b"}, noRead: []string{"T/p/a"}},
			want: bare + "write T/p\n read T/p/a/b\n private T/p/a 555\n pin T"},
		{name: "write below denied", wish: wish{read: []string{"T/p"}, write: []string{"T/p/a/b"}, noRead: []string{"T/p/a"}},
			want: bare + "read T/p\n write T/p/a/b\n private T/p/a 555\n pin T"},
		{name: "write below frozen", wish: wish{write: []string{"T/p", "T/p/a/b/c"}, noWrite: []string{"T/p/a"}},
			want: bare + "write T/p\n read T/p/a\n write T/p/a/b/c\n pin T"},
		{name: "denied below frozen", wish: wish{write: []string{"T/p"}, noWrite: []string{"T/p/a"}, noRead: []string{"T/p/a/b"}},
			want: bare + "write T/p\n pin T\n frozen T/p/a\n denied T/p/a/b"},
		{name: "denied, granted, denied again", wish: wish{write: []string{"T/p", "T/p/a/b"}, noRead: []string{"T/p/a", "T/p/a/b/c/file"}},
			want: bare + "write T/p\n write T/p/a/b\n private T/p/a 555\n pin T\n pin T/p/a/b/c\n denied T/p/a/b/c/file"},
		{name: "through a link", wish: wish{read: []string{"T/p"}, noRead: []string{"T/p/in"}}, want: bare + "read T/p\n pin T\n denied T/p/a/b"},
		{name: "through a link the server could have made", wish: wish{write: []string{"T/p"}, noRead: []string{"T/p/out"}}, err: ErrDenyLink, names: "denyRead T/p/out"},
		{name: "the same, to what is visible", wish: wish{write: []string{"T/p"}, noRead: []string{"T/p/in"}}, err: ErrDenyLink, names: "denyRead T/p/in"},
		{name: "the same, to what is granted elsewhere", wish: wish{write: []string{"T/p"}, read: []string{"T/q"}, noRead: []string{"T/p/out/file"}},
			err: ErrDenyLink, names: "denyRead T/p/out/file: goes through a symbolic link inside a write grant, which the server can replace: deny what it leads to: T/p/out leads to T/q/file"},
		{name: "the same, of writing", wish: wish{write: []string{"T/p", "T/q"}, noWrite: []string{"T/p/out"}}, err: ErrDenyLink, names: "denyWrite T/p/out"},
		{name: "the same, to nothing now", wish: wish{write: []string{"T/p"}, read: []string{"T/q"}, noRead: []string{"-T/p/out/gone"}},
			err: ErrDenyLink, names: "denyRead T/p/out/gone"},
		{name: "the same in level strict", wish: wish{level: policy.Strict, write: []string{"T/p"}, noRead: []string{"T/p/in"}}, err: ErrDenyLink, names: "denyRead T/p/in"},
		{name: "the folder of a grant is one", wish: wish{write: []string{"T/p"}, noRead: []string{"T/p/in/c"}}, err: ErrDenyLink, names: "denyRead T/p/in/c"},
		{name: "the outer of two links is the server's", wish: wish{write: []string{"T/p"}, read: []string{"T/q"}, noRead: []string{"T/p/far"}},
			err: ErrDenyLink, names: "denyRead T/p/far"},
		{name: "the inner of two links is the server's", wish: wish{write: []string{"T/p"}, read: []string{"T/q"}, noRead: []string{"T/near"}},
			err: ErrDenyLink, names: "denyRead T/near"},
		{name: "the inner one, on the way", wish: wish{write: []string{"T/p"}, read: []string{"T/q"}, noRead: []string{"T/hop/out/file"}},
			err: ErrDenyLink, names: "denyRead T/hop/out/file"},
		{name: "the inner one, to nothing now", wish: wish{write: []string{"T/p"}, noRead: []string{"-T/lost"}}, err: ErrDenyLink, names: "denyRead T/lost"},
		{name: "neither is the server's", wish: wish{write: []string{"T/p/a"}, read: []string{"T/q"}, noRead: []string{"T/near"}},
			want: bare + "dir T/p 755\n write T/p/a\n read T/q\n pin T\n pin T/p\n denied T/q/file"},
		{name: "missing", wish: wish{noRead: []string{"T/none"}}, err: syscall.ENOENT, names: "denyRead T/none"},
		{name: "missing for writing", wish: wish{noWrite: []string{"T/none"}}, err: syscall.ENOENT, names: "denyWrite T/none"},
		{name: "missing and ignored", wish: wish{noRead: []string{"-T/none"}, noWrite: []string{"-T/none"}}, want: bare},
		{name: "what is made fresh", wish: wish{noRead: []string{"/proc/cpuinfo"}}, err: ErrSystem, names: "denyRead /proc/cpuinfo"},
		{name: "what nobody sees", wish: wish{noRead: []string{"/sys/kernel"}}, want: bare},
		{name: "the root of a host's root", wish: wish{host: true, noRead: []string{"/"}}, err: ErrSystem},
		{name: "nothing else to deny", wish: wish{noRead: []string{"/"}}, want: bare},
		{name: "strict", wish: wish{level: policy.Strict, write: []string{"T/p"}, noWrite: []string{"T/p/a"}, noRead: []string{"T/p/file"}},
			want: bare + "read T/p\n pin T\n denied T/p/file"},
		{name: "inside the base system", wish: wish{noRead: []string{"/usr/share"}}, want: bare},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, tree)
			v, err := Plan(c.wish.request(root))
			if checkError(t, err, c.err, root, c.names) {
				same(t, "view", show(v, root), lines(c.want))
			}
		})
	}
}

func TestDenyInBase(t *testing.T) {
	v, err := Plan(wish{noRead: []string{"/usr/share"}}.request(plant(t, "")))
	must(t, err)
	for _, c := range v.Covers {
		if c.Path == "/usr/share" {
			if c.Kind != Deny || !c.Folder {
				t.Errorf("%+v", c)
			}
			return
		}
	}
	t.Error("no cover of /usr/share")
}
