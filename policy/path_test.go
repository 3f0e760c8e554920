package policy

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
)

func TestAbsolute(t *testing.T) {
	for _, test := range []struct{ path, want string }{
		{"/srv/data", "/srv/data"},
		{"/srv//a/./b/../c/", "/srv/a/c"},
		{"-/srv/./x", "-/srv/x"},
		{"~", "/home/u"},
		{"~/", "/home/u"},
		{"~/.ssh/", "/home/u/.ssh"},
		{"-~/x", "-/home/u/x"},
		{"~/../v", "/home/v"},
		{"data", "/base/dir/data"},
		{".", "/base/dir"},
		{"./~x", "/base/dir/~x"},
		{"-./-x", "-/base/dir/-x"},
		{"--x", "-/base/dir/-x"},
		{"..", "/base"},
		{"../../../srv", "/srv"},
		{"...", "/base/dir/..."},
	} {
		p := Policy{Filesystem: Filesystem{AllowRead: []string{"/first", test.path}, DenyWrite: []string{test.path}},
			Network: Network{AllowUnixSockets: []string{test.path}}}
		if !strings.HasPrefix(test.path, "-") {
			p.Cwd = test.path
		}
		before := test.path
		got, err := p.Absolute("/base/dir", "/home/u/")
		if err != nil {
			t.Errorf("%s: %v", test.path, err)
			continue
		}
		want := Policy{Filesystem: Filesystem{AllowRead: []string{"/first", test.want}, DenyWrite: []string{test.want}},
			Network: Network{AllowUnixSockets: []string{test.want}}}
		if p.Cwd != "" {
			want.Cwd = test.want
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v", test.path, got)
		}
		if p.Filesystem.AllowRead[1] != before {
			t.Errorf("%s: the lists of the original are written to", test.path)
		}
		if again, err := got.Absolute("/elsewhere", ""); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s: absolute twice: %+v, %v", test.path, again, err)
		}
	}
}

func TestAbsoluteErrors(t *testing.T) {
	for _, test := range []struct{ path, base, home, want string }{
		{"../../..", "/base/dir", "", `/filesystem/allowWrite/0: "/" is the whole file system`},
		{"-../../proc/1", "/base/dir", "", `/filesystem/allowWrite/0: "-/proc/1" cannot be granted`},
		{"~", "/base", "/", `/filesystem/allowWrite/0: "/" is the whole file system`},
		{"~/x", "/base", "/dev", `/filesystem/allowWrite/0: "/dev/x" cannot be granted`},
		{"~/x", "/base", "", `/filesystem/allowWrite/0: "~/x" needs HOME, which is "" and not absolute: write the whole path`},
		{"~/x", "/base", "home", `/filesystem/allowWrite/0: "~/x" needs HOME, which is "home" and not absolute: write the whole path`},
		{"x", "work", "/home/u", `/filesystem/allowWrite/0: "x" is relative to "work", which is not absolute`},
		{"x", "", "", `/filesystem/allowWrite/0: "x" is relative to "", which is not absolute`},
		{"x", "/with*star", "", `/filesystem/allowWrite/0: "/with*star/x" is a pattern`},
		{"*", "/base", "", `/filesystem/allowWrite/0: "*" is a pattern`},
	} {
		p := Policy{Filesystem: Filesystem{AllowWrite: []string{test.path}}}
		_, err := p.Absolute(test.base, test.home)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.path, err, test.want)
		}
	}
	// What is no grant may be anything, and the working folder is told too.
	p := Policy{Filesystem: Filesystem{DenyRead: []string{"/proc"}}, Cwd: "~/x"}
	for _, home := range []string{"", "/with*star"} {
		if _, err := p.Absolute("/base", home); err == nil || !strings.HasPrefix(err.Error(), "/cwd: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("home %s: got %v", home, err)
		}
	}
}

func TestDrives(t *testing.T) {
	for _, p := range []string{`C:\data`, `c:/data`, `\\host\share`} {
		if absolute(p) != (runtime.GOOS == "windows") {
			t.Errorf("%s is absolute: %t", p, absolute(p))
		}
	}
}
