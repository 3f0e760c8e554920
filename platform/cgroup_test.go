package platform

import "testing"

func TestParseCgroup(t *testing.T) {
	for _, c := range []struct {
		name, text, path string
		v1               bool
	}{
		{"v2", "0::/user.slice/user-1000.slice/session-3.scope\n", "/user.slice/user-1000.slice/session-3.scope", false},
		{"hybrid", "12:pids:/user.slice\n3:cpu,cpuacct:/\n1:name=systemd:/init.scope\n0::/init.scope\n", "/init.scope", true},
		{"hybrid without controllers", "1:name=systemd:/init.scope\n0::/init.scope\n", "/init.scope", false},
		{"v1 only", "2:memory:/docker/a\n1:name=systemd:/docker/a\n", "", true},
		{"root of a namespace", "0::/\n", "/", false},
		{"outside of the namespace", "0::/../../other\n", "/../../other", false},
		{"a colon in the name", "0::/a:b::c\n", "/a:b::c", false},
		{"removed", "0::/gone (deleted)\n", "/gone (deleted)", false},
		{"none", "", "", false},
		{"no lines of it", "0\n0:\nx:y\n", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if path, v1 := ParseCgroup([]byte(c.text)); path != c.path || v1 != c.v1 {
				t.Errorf("%q, %v; want %q, %v", path, v1, c.path, c.v1)
			}
		})
	}
}

func TestFindCgroup(t *testing.T) {
	v2 := Mount{Root: "/", Path: "/sys/fs/cgroup", Type: "cgroup2"}
	v1 := Mount{Root: "/", Path: "/sys/fs/cgroup/memory", Type: "cgroup"}
	hybrid := Mount{Root: "/", Path: "/sys/fs/cgroup/unified", Type: "cgroup2"}
	container := Mount{Root: "/docker/ab", Path: "/sys/fs/cgroup", Type: "cgroup2"}
	above := Mount{Root: "/..", Path: "/cg", Type: "cgroup2"}
	for _, c := range []struct {
		name      string
		mounts    []Mount
		own, want string
	}{
		{"v2", []Mount{v2}, "/user.slice/a.scope", "/sys/fs/cgroup/user.slice/a.scope"},
		{"the root itself", []Mount{v2}, "/", "/sys/fs/cgroup"},
		{"hybrid", []Mount{v1, hybrid}, "/init.scope", "/sys/fs/cgroup/unified/init.scope"},
		{"v1 only", []Mount{v1}, "/a", ""},
		{"v1 only, and no group", []Mount{v1}, "", ""},
		{"v2 mounted, and no group", []Mount{v2}, "", ""},
		{"a container's part", []Mount{container}, "/docker/ab", "/sys/fs/cgroup"},
		{"below a container's part", []Mount{container}, "/docker/ab/c", "/sys/fs/cgroup/c"},
		{"a part of another container", []Mount{container}, "/docker/abc", ""},
		{"a longer name of another container", []Mount{container}, "/docker/abcd", ""},
		{"the host's mount, a container's group", []Mount{container}, "/", ""},
		{"outside of the namespace", []Mount{v2}, "/../a", ""},
		{"two levels outside", []Mount{v2}, "/../..", ""},
		{"mounted from outside of the namespace", []Mount{above}, "/../b", "/cg/b"},
		{"more of it outside", []Mount{above}, "/../../b", ""},
		{"mounted outside, the group inside", []Mount{above}, "/b", ""},
		{"one that shows it and one that does not", []Mount{v2, container}, "/user.slice", "/sys/fs/cgroup/user.slice"},
		{"dots in a name", []Mount{v2}, "/..a/b..", "/sys/fs/cgroup/..a/b.."},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := FindCgroup(c.mounts, c.own)
			if got.Folder != c.want || ok != (c.want != "") {
				t.Errorf("%+v, %v; want %q", got, ok, c.want)
			}
		})
	}
}

func TestCgroupCount(t *testing.T) {
	const events = "low 0\nhigh 0\nmax 17\noom 2\noom_kill 3\noom_group_kill 1\nbad x\n"
	for key, want := range map[string]int64{"oom_kill": 3, "oom": 2, "max": 17, "low": 0, "oom_k": -1, "": -1, "bad": -1, "none": -1} {
		got, ok := CgroupCount([]byte(events), key)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %d, %v; want %d", key, got, ok, want)
		}
	}
}
