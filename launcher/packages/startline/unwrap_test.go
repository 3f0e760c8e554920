package startline

import (
	"cmp"
	"strings"
	"testing"
)

// Only what is sure to be started is looked at behind another program.
func TestUnwrapped(t *testing.T) {
	for _, c := range []struct {
		command []string
		want    string // "" for the same
		sets    bool
	}{
		{[]string{"sh", "-c", "npx -y pkg"}, "npx -y pkg", false},
		{[]string{"/bin/bash", "-lc", " exec npx pkg"}, "npx pkg", false},
		{[]string{"env", "-S", "sh -c", "npx pkg"}, "npx pkg", false},
		{[]string{"/usr/bin/env", "--", "npx"}, "npx", false},
		{[]string{"sh", "-c", "cd /x && npx pkg"}, "", false},
		{[]string{"sh", "-c", "A=b npx pkg"}, "", false},
		{[]string{"sh", "-c", "npx $PKG"}, "", false},
		{[]string{"sh", "-c", "npx 'a b'"}, "", false},
		{[]string{"sh", "-c", ""}, "", false},
		{[]string{"sh", "npx"}, "", false},
		{[]string{"sh", "--rc", "npx"}, "", false},
		{[]string{"env", "-S"}, "", false},
		{[]string{"env", "-S", ""}, "", false},
		{[]string{"env", "--split-string="}, "", false},
		{[]string{"nice", "-n", "5", "npx"}, "", false},
		{[]string{"node", "x"}, "node x", false},
		{[]string{"env", "A=b", "npx"}, "npx", true},
		{[]string{"env", "A=b", "-i", "npx"}, "", false},
		{[]string{"env", "A=b"}, "", false},
		{[]string{`C:\Windows\CMD.EXE`, "/C", "timeout", "-k=1", "5", "npx"}, "npx", false},
		{[]string{"cmd", "/c", "npx", "a&b"}, "", false},
		{[]string{"nohup", "nice", "--", "npx"}, "npx", false},
	} {
		command, sets := c.command, false
		for inner, set := Unwrap(command); inner != nil; inner, set = Unwrap(command) {
			command, sets = inner, sets || set
		}
		got := strings.Join(command, " ")
		if want := cmp.Or(c.want, strings.Join(c.command, " ")); got != want || sets != c.sets {
			t.Errorf("%q: %q, want %q, and %v", c.command, got, want, sets)
		}
	}
	for special := range strings.SplitSeq("\"'`\\$&|;<>()[]{}*?!#~\n=", "") {
		command := []string{"sh", "-c", "npx -y pkg" + special + " x"}
		if got, _ := Unwrap(command); got != nil {
			t.Errorf("%q: %q", command, got)
		}
	}
}
