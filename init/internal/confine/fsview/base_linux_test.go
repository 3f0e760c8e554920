package fsview

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
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
		{Path: "/proc", Mode: 0o555}, {Path: "/run", Mode: 0o755}, {Path: "/dev", Mode: 0o755},
		{Path: "/etc", Mode: 0o755}, {Path: "/dev/pts", Mode: 0o755},
		{Path: "/dev/ptmx", Kind: Link, Content: "pts/ptmx"},
		{Path: "/dev/fd", Kind: Link, Content: "/proc/self/fd"},
		{Path: "/dev/stdin", Kind: Link, Content: "/proc/self/fd/0"},
		{Path: "/dev/stdout", Kind: Link, Content: "/proc/self/fd/1"},
		{Path: "/dev/stderr", Kind: Link, Content: "/proc/self/fd/2"},
		{Path: "/etc/passwd", Kind: File, Mode: 0o644, Content: "ada:x:" + uid + ":" + gid + "::" + root + "/home:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"},
		{Path: "/etc/group", Kind: File, Mode: 0o644, Content: "ada:x:" + gid + ":\nnogroup:x:65534:\n"},
		{Path: "/etc/hosts", Kind: File, Mode: 0o644, Content: hostsWith(nodeName(t))},
		{Path: "/etc/resolv.conf", Kind: File, Mode: 0o644, Content: resolvFile},
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
	for _, path := range []string{"/opt", "/srv", "/var", "/boot", "/root", "/etc/shadow", "/run/dbus", "/home", "/etc/ssh"} {
		if find(v, path) != nil {
			t.Errorf("%s is there", path)
		}
	}
	same(t, "private", privates(v), []string{"/tmp 1777", "/dev/shm 1777"}) // nodes lie below /tmp
}

func TestTmpSize(t *testing.T) {
	for size, want := range map[policy.Quantity][2]int64{0: {1 << 30, 1 << 17}, 1 << 20: {1 << 20, 128}, policy.Unlimited: {0, 0}} {
		r := wish{}.request(plant(t, ""))
		r.Policy.Filesystem.TmpSize = size
		v, err := Plan(r)
		must(t, err)
		layout := int64(16 + 2*len(v.Private))
		for _, n := range v.Nodes {
			if strings.HasPrefix(n.Path, "/tmp/") || strings.HasPrefix(n.Path, "/dev/shm/") {
				layout++
			}
		}
		if v.TmpSize != want[0] || v.TmpInodes < want[1] || want[1] > 0 && v.TmpInodes < want[1]+layout || v.TmpInodes > want[1]+layout+64 {
			t.Errorf("%d: %d bytes, %d inodes", size, v.TmpSize, v.TmpInodes)
		}
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
		if n.Kind != Bind && !policy.Below(n.Path, "/dev") && !policy.Below(n.Path, "/tmp") {
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
