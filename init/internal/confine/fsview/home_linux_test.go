package fsview

import (
	"errors"
	"syscall"
	"testing"
)

func TestHome(t *testing.T) {
	for _, c := range []struct {
		home string
		want string
	}{
		{"", noHome}, {"relative", noHome}, {"/", noHome}, {"/usr", noHome}, {"/usr/lib/x", noHome}, {"/etc", noHome}, {"/tmp", noHome},
		{"/home", noHome}, {"/var", noHome}, {"/dev", noHome}, {"/proc/1", noHome}, {"/lib64/x", noHome}, {"T/file", noHome}, {"T/sys", noHome},
		{"T/home", "T/home"}, {"T/home/", "T/home"}, {"T/x/../home", "T/home"}, {"T/none", "T/none"}, {"T/link", "T/link"}, {"/var/lib/x", "/var/lib/x"},
	} {
		root := plant(t, "home/\n file\n link -> home\n sys -> /usr/share")
		r := wish{}.request(root)
		r.Env = []string{"HOME=" + at(root, []string{c.home})[0]}
		v, err := Plan(r)
		must(t, err)
		if got := relative(root, []string{v.Home})[0]; got != c.want {
			t.Errorf("HOME=%s is %s, want %s", c.home, got, c.want)
		}
	}
}

func TestHomeFolder(t *testing.T) {
	for _, c := range []struct {
		name string
		wish wish
		home string
		want string
	}{
		{name: "private", home: "T/h", want: "dir T 755\n dir T/h 700"},
		{name: "through a link", home: "T/l", want: "dir T 755\n dir T/h 700\n link T/l -> h"},
		{name: "granted", home: "T/h", wish: wish{read: []string{"T/h"}}, want: "dir T 755\n read T/h\n pin T"},
		{name: "its parent granted", home: "T/h", wish: wish{read: []string{"T"}}, want: "read T"},
		{name: "its parent granted, itself denied", home: "T/h", wish: wish{read: []string{"T"}, noRead: []string{"T/h"}}, want: "read T\n private T/h 700"},
		{name: "part of it granted", home: "T/h", wish: wish{read: []string{"T/h/p/q"}}, want: "dir T 755\n dir T/h 700\n dir T/h/p 755\n read T/h/p/q\n pin T\n pin T/h\n pin T/h/p"},
		{name: "granted in a denied part of it", home: "T/h", wish: wish{read: []string{"T/h/p/q"}, noRead: []string{"T/h/p"}}, want: "dir T 755\n dir T/h 700\n dir T/h/p 755\n read T/h/p/q\n pin T\n pin T/h\n pin T/h/p"},
		{name: "part of it, the rest denied", home: "T/h", wish: wish{read: []string{"T/h/p"}, noRead: []string{"T/h"}}, want: "dir T 755\n dir T/h 700\n read T/h/p\n pin T\n pin T/h"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, "h/p/q/\n l -> h")
			r := c.wish.request(root)
			r.Env = append(r.Env, "HOME="+at(root, []string{c.home})[0])
			v, err := Plan(r)
			must(t, err)
			same(t, "view", show(v, root), lines(c.want))
		})
	}
}

func TestCwd(t *testing.T) {
	for _, c := range []struct {
		name string
		wish wish
		dir  string
		want string
		err  error
	}{
		{name: "the launcher's, visible", wish: wish{read: []string{"T/p"}}, dir: "T/p/a", want: "T/p/a"},
		{name: "the launcher's, not visible", dir: "T/p/a", want: "T/home"},
		{name: "a folder on the way to a grant", wish: wish{read: []string{"T/p/a"}}, dir: "T/p", want: "T/p"},
		{name: "denied", wish: wish{read: []string{"T/p"}, noRead: []string{"T/p/a"}}, dir: "T/p/a", want: "T/home"},
		{name: "through a link", wish: wish{read: []string{"T/p"}}, dir: "T/l/a", want: "T/p/a"},
		{name: "of the system", dir: "/usr/bin", want: "/usr/bin"},
		{name: "private", dir: "/tmp", want: "/tmp"},
		{name: "the host's /tmp", dir: "T/p", want: "T/home"},
		{name: "the policy's", wish: wish{read: []string{"T/p"}, cwd: "T/p/a"}, dir: "T/p", want: "T/p/a"},
		{name: "the policy's, through a link", wish: wish{read: []string{"T/p"}, cwd: "T/l"}, want: "T/p"},
		{name: "the policy's, private", wish: wish{cwd: "/tmp"}, want: "/tmp"},
		{name: "the policy's, not visible", wish: wish{cwd: "T/p"}, err: ErrNotVisible},
		{name: "the policy's, missing", wish: wish{cwd: "T/none"}, err: ErrNotVisible},
		{name: "the policy's, a file", wish: wish{read: []string{"T/p"}, cwd: "T/p/file"}, err: syscall.ENOTDIR},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, "home/\n p/a/\n p/file\n l -> p")
			r := c.wish.request(root)
			r.Dir = at(root, []string{c.dir})[0]
			v, err := Plan(r)
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Fatalf("%v, want %v", err, c.err)
			}
			if err == nil {
				same(t, "cwd", relative(root, []string{v.Cwd}), []string{c.want})
			}
		})
	}
}
