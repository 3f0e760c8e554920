package platform

import (
	"strconv"
	"strings"
	"testing"
)

// FuzzCgroup: a group is found only below a mount that shows it, and never above one.
func FuzzCgroup(f *testing.F) {
	f.Add("0::/user.slice/user-1000.slice/session-1.scope\n", "/", "/sys/fs/cgroup")
	f.Add("12:memory:/a\n1:name=systemd:/b\n0::/../other\n", "/..", "/sys/fs/cgroup")
	f.Add("0::/docker/x/y", "/docker/x", "/c")
	f.Add("::\n0::", "", "")
	f.Fuzz(func(t *testing.T, text, root, at string) {
		own, v1 := ParseCgroup([]byte(text))
		if own != "" && !strings.Contains(text, "0::"+own) || strings.Contains(own, "\n") || v1 && !strings.Contains(text, ":") {
			t.Errorf("%q: group %q, version 1 %v", text, own, v1)
		}
		mount := Mount{Type: "cgroup2", Root: root, Path: at}
		other := Mount{Type: "cgroup", Root: root, Path: at}
		if _, ok := FindCgroup([]Mount{other}, own); ok {
			t.Errorf("%q in a hierarchy of version 1", own)
		}
		place, ok := FindCgroup([]Mount{mount, other}, own)
		if !ok || strings.Contains(root+" "+own, "//") { // which no kernel writes
			return
		}
		rest, below := strings.CutPrefix(place.Folder, at)
		if place.Mount != at || !below || rest != "" && rest[0] != '/' || strings.Contains(rest+"/", "/../") || own == "" ||
			strings.TrimRight(strings.TrimRight(root, "/")+rest, "/") != strings.TrimRight(own, "/") {
			t.Errorf("%q, mounted %q at %q: %+v", own, root, at, place)
		}
	})
}

// FuzzCgroupCount: a count is the number of a line that begins with the key.
func FuzzCgroupCount(f *testing.F) {
	f.Add("low 0\nhigh 0\nmax 12\noom 1\noom_kill 1\n", "oom_kill")
	f.Add("usage_usec 18446744073709551615\nmax", "usage_usec")
	f.Add("max -1\nmax 2", "max")
	f.Fuzz(func(t *testing.T, text, key string) {
		n, ok := CgroupCount([]byte(text), key)
		if !ok {
			return
		}
		if i := strings.Index(text, key+" "); i < 0 || i > 0 && !strings.Contains(text, "\n"+key+" ") && i != 0 {
			t.Errorf("%q: %s is %d", text, key, n)
		}
		if !strings.Contains(text, strings.TrimPrefix(strconv.FormatInt(n, 10), "-")) {
			t.Errorf("%q: %d is not there", text, n)
		}
	})
}
