package cgroup

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestLower: of the groups that the launcher is in and the server is not, the least of each limit becomes the
// server's, and nothing else changes.
func TestLower(t *testing.T) {
	folder := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	inner := folder(map[string]string{"memory.max": "300", "pids.max": "max", "cpu.max": "50000 100000", "memory.swap.max": "0", "io.max": "8:0 rbps=1"})
	outer := folder(map[string]string{"memory.max": "200", "pids.max": "9", "cpu.max": "max 100000", "memory.oom.group": "0"})
	settings := func() []Setting {
		return []Setting{{File: "memory.max", Value: "250", Want: "250"}, {File: "pids.max", Value: "10", Want: "10"},
			{File: "cpu.max", Value: "60000 100000", Want: "60000 100000"}, {File: "memory.swap.max", Value: "5", Want: "5"},
			{File: "pids.max", Value: "10", Want: "10", Reason: "not delegated"}, {File: "io.max", Device: "8:0", Value: "8:0 rbps=2", Want: "8:0 rbps=2"}}
	}
	for _, c := range []struct {
		name string
		left []string
		want [6]string
	}{
		{"none", nil, [6]string{"250", "10", "60000 100000", "5", "10", "8:0 rbps=2"}},
		{"the inner one", []string{inner}, [6]string{"250", "10", "50000 100000", "5", "10", "8:0 rbps=2"}},
		{"both", []string{inner, outer}, [6]string{"200", "9", "50000 100000", "5", "10", "8:0 rbps=2"}},
		{"the other way round", []string{outer, inner}, [6]string{"200", "9", "50000 100000", "5", "10", "8:0 rbps=2"}},
		{"one that is gone", []string{filepath.Join(inner, "gone"), outer}, [6]string{"200", "9", "60000 100000", "5", "10", "8:0 rbps=2"}},
	} {
		list := settings()
		var left []parentGroup
		for _, dir := range c.left {
			left = append(left, parentGroup{dir: dir})
		}
		inheritLimits(list, left)
		for i, s := range list {
			if changed := s.Value != settings()[i].Value; s.Value != c.want[i] || s.Want != s.Value || s.Inherited != changed {
				t.Errorf("%s: %+v, want %s", c.name, s, c.want[i])
			}
		}
	}
}

// TestHolds: a setting that could not be had limits nothing, and without a group none does.
func TestHolds(t *testing.T) {
	settings := []Setting{{File: "memory.max"}, {File: "pids.max", Reason: "not delegated"}}
	made := &Group{Settings: settings, server: new(folder)}
	for _, c := range []struct {
		group *Group
		file  string
		want  bool
	}{{made, "memory.max", true}, {made, "pids.max", false}, {made, "cpu.max", false}, {&Group{Settings: settings}, "memory.max", false}, {nil, "memory.max", false}} {
		if c.group.Holds(c.file) != c.want {
			t.Errorf("%s of %+v: not %v", c.file, c.group, c.want)
		}
	}
}

// TestReadBack: what a group's files hold is told, and not what was written to them.
func TestReadBack(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"cgroup.procs": "17\n18\n", "memory.max": "max\n", "io.max": "8:0 rbps=7\n8:16 rbps=8\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server, err := openFolder(-1, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer server.close()
	g := &Group{server: server, Settings: []Setting{{File: "memory.max", Value: "1", Want: "1"}, {File: "io.max", Device: "8:16", Want: "x"},
		{File: "pids.max", Reason: "not delegated"}}}
	if r, err := g.ReadBack(); err != nil || r.Members != "17 18" || !slices.Equal(r.Values, []string{"max", "8:16 rbps=8", ""}) {
		t.Errorf("%v, %+v", err, r)
	}
	g.Settings = append(g.Settings, Setting{File: "cpu.max", Want: "1"})
	if _, err := g.ReadBack(); err == nil {
		t.Error("a file that is not there was read back")
	}
}
