//go:build darwin || linux

package basic

import (
	"slices"
	"testing"
)

func TestFamilyGrows(t *testing.T) {
	sessions := map[int]int{10: 10, 11: 10, 12: 10, 13: 13, 14: 14, 20: 20, 21: 10}
	session := func(pid int) int { return sessions[pid] }
	f := &family{root: 10, seen: map[int]int64{}}
	for _, look := range []struct {
		name  string
		table []process
		want  []int
	}{
		{"the root and what is below it", []process{{10, 1, 1, false}, {11, 10, 2, false}, {12, 11, 3, false}, {20, 1, 1, false}}, []int{10, 11, 12}},
		{"in any order", []process{{12, 11, 3, false}, {13, 12, 4, false}, {11, 10, 2, false}, {10, 1, 1, false}}, []int{10, 11, 12, 13}},
		{"who was seen stays, whoever its parent is", []process{{10, 1, 1, false}, {12, 1, 3, false}, {13, 1, 4, false}}, []int{10, 12, 13}},
		{"its session", []process{{10, 1, 1, false}, {21, 1, 9, false}, {13, 1, 4, false}}, []int{10, 13, 21}},
		{"a child of somebody seen, in a session of its own", []process{{13, 1, 4, false}, {14, 13, 6, false}}, []int{13, 14}},
		{"a number used again is somebody else", []process{{13, 1, 77, false}, {14, 1, 6, false}}, []int{14}},
		{"so is the root's", []process{{10, 1, 99, false}, {14, 1, 6, false}}, []int{14}},
		{"the dead do not live", []process{{14, 1, 6, true}, {15, 14, 7, false}}, []int{15}},
		{"nobody", nil, nil},
	} {
		s := session
		if look.name == "so is the root's" {
			s = func(int) int { return 1 }
		}
		got := f.grow(look.table, s)
		slices.Sort(got)
		if !slices.Equal(got, look.want) {
			t.Errorf("%s: %v, want %v", look.name, got, look.want)
		}
	}
}

func TestSpec(t *testing.T) {
	s := &spec{dir: "/", umask: "0077", user: ids{1, 2}, command: "/bin/x", args: []string{"x", "", "a b"}, env: []string{"A=b\nc"},
		limits: []Limit{{"data", 2, 1 << 40, 1, true}}}
	text := string(s.encode())
	_, body, _ := cut(text)
	got, err := decodeSpec(body)
	if err != nil || got.command != s.command || !slices.Equal(got.args, s.args) || !slices.Equal(got.env, s.env) ||
		!slices.Equal(got.limits, s.limits) || got.user != s.user || got.umask != s.umask || got.dir != s.dir {
		t.Errorf("%+v, %v", got, err)
	}
	for i := range body {
		if _, err := decodeSpec(body[:i]); err == nil {
			t.Errorf("a part of it is one: %q", body[:i])
		}
	}
	if _, err := decodeSpec(body + "x\x00"); err == nil {
		t.Error("more behind it is none")
	}
}

func cut(text string) (string, string, bool) {
	i := slices.Index([]byte(text), '\n')
	return text[:i], text[i+1:], true
}
