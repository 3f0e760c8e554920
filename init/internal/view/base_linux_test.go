package view

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func find(v *View, path string) *Node {
	for i := range v.Nodes {
		if v.Nodes[i].Path == path {
			return &v.Nodes[i]
		}
	}
	return nil
}

func privates(v *View) (out []string) {
	for _, n := range v.Private {
		out = append(out, n.Path+" "+mode(n.Mode))
	}
	return out
}

func TestBase(t *testing.T) {
	root := plant(t, "home/")
	r := wish{}.request(root)
	r.Env = append(r.Env, "USER=ada")
	v, err := Plan(r)
	must(t, err)
	uid, gid := strconv.Itoa(r.UID), strconv.Itoa(r.GID)
	for _, want := range []Node{
		{Path: "/proc", Mode: 0o555}, {Path: "/sys", Mode: 0o555}, {Path: "/run", Mode: 0o755}, {Path: "/dev", Mode: 0o755},
		{Path: "/etc", Mode: 0o755}, {Path: "/dev/pts", Mode: 0o755},
		{Path: "/dev/ptmx", Kind: Link, Content: "pts/ptmx"},
		{Path: "/dev/fd", Kind: Link, Content: "/proc/self/fd"},
		{Path: "/dev/stdin", Kind: Link, Content: "/proc/self/fd/0"},
		{Path: "/dev/stdout", Kind: Link, Content: "/proc/self/fd/1"},
		{Path: "/dev/stderr", Kind: Link, Content: "/proc/self/fd/2"},
		{Path: "/etc/passwd", Kind: File, Mode: 0o644, Content: "ada:x:" + uid + ":" + gid + "::" + root + "/home:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"},
		{Path: "/etc/group", Kind: File, Mode: 0o644, Content: "ada:x:" + gid + ":\nnogroup:x:65534:\n"},
		{Path: "/etc/hosts", Kind: File, Mode: 0o644, Content: hostsFile},
	} {
		if got := find(v, want.Path); got == nil || *got != want {
			t.Errorf("%s: %+v, want %+v", want.Path, got, want)
		}
	}
	for _, path := range []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"} {
		if n := find(v, path); n == nil || n.Kind != Bind || !n.Device || n.Write || n.Ino == 0 {
			t.Errorf("%s: %+v", path, n)
		}
	}
	if n := find(v, "/usr"); n == nil || n.Kind != Bind || !n.Folder || n.Write || n.Source != "/usr" {
		t.Errorf("/usr: %+v", n)
	}
	id := find(v, "/etc/machine-id")
	if id == nil || len(id.Content) != 33 || strings.Trim(id.Content, "0123456789abcdef") != "\n" {
		t.Errorf("machine-id: %+v", id)
	}
	if v2, _ := Plan(r); find(v2, "/etc/machine-id").Content == id.Content {
		t.Error("two launches have one machine-id")
	}
	for _, path := range []string{"/opt", "/srv", "/var", "/boot", "/root", "/etc/shadow", "/etc/resolv.conf", "/run/dbus", "/home", "/etc/ssh"} {
		if find(v, path) != nil {
			t.Errorf("%s is there", path)
		}
	}
	same(t, "private", privates(v), []string{"/tmp 1777", "/dev/shm 1777"}) // nodes lie below /tmp
	if v.TmpSize != 1<<30 || v.TmpInodes != 1<<16 {
		t.Errorf("tmp of %d bytes, %d inodes", v.TmpSize, v.TmpInodes)
	}
}

// What is a link on this host is the same link inside, and what it leads to is there.
func TestBaseLinks(t *testing.T) {
	v, err := Plan(wish{}.request(plant(t, "")))
	must(t, err)
	for _, path := range []string{"/bin", "/sbin", "/lib", "/lib64", "/etc/localtime", "/etc/os-release", "/etc/alternatives", "/etc/ssl", "/etc/nsswitch.conf"} {
		st, err := os.Lstat(path)
		if os.IsNotExist(err) {
			continue
		}
		must(t, err)
		n := find(v, path)
		switch {
		case n == nil:
			t.Errorf("no %s", path)
		case st.Mode()&os.ModeSymlink == 0:
			if n.Kind != Bind || n.Folder != st.IsDir() {
				t.Errorf("%s: %+v", path, n)
			}
		default:
			if target, _ := os.Readlink(path); n.Kind != Link || n.Content != target {
				t.Errorf("%s: %+v", path, n)
			}
		}
	}
}

func TestLevelNetwork(t *testing.T) {
	r := wish{}.request(plant(t, ""))
	r.HostNet = true
	v, err := Plan(r)
	must(t, err)
	want, err := os.ReadFile("/etc/resolv.conf")
	if err == nil {
		if n := find(v, "/etc/resolv.conf"); n == nil || n.Kind != File || n.Content != string(want) {
			t.Errorf("resolv.conf: %+v", n)
		}
	}
	if n := find(v, "/etc/hosts"); n == nil || n.Kind == File {
		t.Errorf("hosts: %+v", n)
	}
}

// A grant of what is generated shows the host's.
func TestGrantOfEtc(t *testing.T) {
	v, err := Plan(wish{read: []string{"/etc/passwd"}}.request(plant(t, "")))
	must(t, err)
	if n := find(v, "/etc/passwd"); n.Kind != Bind {
		t.Errorf("%+v", n)
	}
	v, err = Plan(wish{read: []string{"/etc"}}.request(plant(t, "")))
	must(t, err)
	if find(v, "/etc").Kind != Bind || find(v, "/etc/passwd") != nil || find(v, "/etc/localtime") != nil {
		t.Error("something lies over the granted /etc")
	}
}

func TestHostRoot(t *testing.T) {
	root := plant(t, "home/\n p/secret\n p/a")
	v, err := Plan(wish{host: true, write: []string{"T/p"}, noRead: []string{"T/p/secret", "/usr/share"}}.request(root))
	must(t, err)
	if !v.HostRoot {
		t.Error("not the host's root")
	}
	for _, n := range v.Nodes {
		if n.Kind != Bind && !below(n.Path, "/dev") && !below(n.Path, "/tmp") {
			t.Errorf("cannot be made in the host's root: %+v", n)
		}
	}
	var covers []string
	for _, c := range v.Covers {
		if c.Kind != Pin {
			covers = append(covers, c.Path+" "+strconv.Itoa(int(c.Kind)))
		}
	}
	same(t, "private", privates(v), []string{"/dev 755", "/tmp 1777", "/proc 555"})
	same(t, "covers", covers, []string{"/run 2", "/sys 2", root + "/p/secret 2", "/usr/share 2"})
	if n := find(v, "/dev/shm"); n == nil || n.Mode != 0o1777 {
		t.Errorf("/dev/shm: %+v", n)
	}
	if find(v, root+"/p") == nil || v.Outside == "" {
		t.Errorf("outside %q", v.Outside)
	}
}

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
		{name: "the policy's, a file", wish: wish{read: []string{"T/p"}, cwd: "T/p/file"}, err: ErrNotVisible},
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

func TestOutside(t *testing.T) {
	v, err := Plan(wish{}.request(plant(t, "")))
	must(t, err)
	if _, err := os.Lstat(v.Outside); err != nil || find(v, v.Outside) != nil {
		t.Errorf("outside %q: %v", v.Outside, err)
	}
	r := wish{read: []string{v.Outside}}.request(plant(t, ""))
	v2, err := Plan(r)
	must(t, err)
	if v2.Outside == v.Outside || v2.Outside == "" || slices.ContainsFunc(v2.Nodes, func(n Node) bool { return n.Path == v2.Outside }) {
		t.Errorf("outside %q", v2.Outside)
	}
}
