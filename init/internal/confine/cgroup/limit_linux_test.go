package cgroup

import (
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform"
)

func TestLess(t *testing.T) {
	for _, c := range []struct {
		file, a, b string
		want       bool
	}{
		{"memory.max", "100", "200", true}, {"memory.max", "200", "100", false}, {"memory.max", "100", "100", false},
		{"memory.max", "max", "100", false}, {"memory.max", "100", "max", true}, {"memory.max", "", "100", false},
		{"pids.max", "9", "10", true}, {"pids.max", "max", "10", false},
		{"cpu.max", "50000 100000", "60000 100000", true}, {"cpu.max", "50000 50000", "60000 100000", false},
		{"cpu.max", "max 100000", "60000 100000", false}, {"cpu.max", "1000 1000000", "1000 100000", true},
		{"cpu.max", "junk", "60000 100000", false},
		{"memory.swap.max", "0", "1", false}, {"io.max", "1", "2", false},
	} {
		if less(c.file, c.a, c.b) != c.want {
			t.Errorf("%+v", c)
		}
	}
}

func TestAncestors(t *testing.T) {
	for _, c := range []struct {
		place platform.CgroupPlace
		own   string
		want  []parentGroup
	}{
		{platform.CgroupPlace{Mount: "/cg", Folder: "/cg/a/b"}, "/a/b", []parentGroup{{"/cg/a/b", "/a/b"}, {"/cg/a", "/a"}, {"/cg", ""}}},
		{platform.CgroupPlace{Mount: "/cg", Folder: "/cg"}, "/", []parentGroup{{"/cg", "/"}}},
		{platform.CgroupPlace{Mount: "/cg", Folder: "/cg/c"}, "/docker/ab/c", []parentGroup{{"/cg/c", "/docker/ab/c"}, {"/cg", "/docker/ab"}}},
	} {
		if got := ancestors(c.place, c.own); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

func TestShown(t *testing.T) {
	const io = "8:0 rbps=1 wbps=1 riops=max wiops=max\n8:16 rbps=2 wbps=2 riops=max wiops=max"
	for _, c := range []struct{ device, text, want string }{
		{"", "max", "max"}, {"8:16", io, "8:16 rbps=2 wbps=2 riops=max wiops=max"}, {"8:0", io, "8:0 rbps=1 wbps=1 riops=max wiops=max"},
		{"8:1", io, ""}, {"8:0", "", ""},
	} {
		if got := (&Setting{Device: c.device}).shown(c.text); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
