package withheld

import (
	"strings"
	"testing"
)

// Only what is sure to be started is looked at behind another program.
func TestUnwrapped(t *testing.T) {
	for _, c := range []struct {
		command []string
		want    string
	}{
		{[]string{"sh", "-c", "npx -y pkg"}, "npx -y pkg"},
		{[]string{"/bin/bash", "-lc", " exec npx pkg"}, "npx pkg"},
		{[]string{"env", "-S", "sh -c", "npx pkg"}, "npx pkg"},
		{[]string{"/usr/bin/env", "--", "npx"}, "npx"},
		{[]string{"sh", "-c", "cd /x && npx pkg"}, ""},
		{[]string{"sh", "-c", "A=b npx pkg"}, ""},
		{[]string{"sh", "-c", "npx $PKG"}, ""},
		{[]string{"sh", "-c", "npx 'a b'"}, ""},
		{[]string{"sh", "-c", ""}, ""},
		{[]string{"sh", "npx"}, ""},
		{[]string{"sh", "--rc", "npx"}, ""},
		{[]string{"env", "-S"}, ""},
		{[]string{"env", "-S", ""}, ""},
		{[]string{"env", "--split-string="}, ""},
		{[]string{"nice", "-n", "5", "npx"}, ""},
		{[]string{"node", "x"}, "node x"},
	} {
		want := c.want
		if want == "" {
			want = strings.Join(c.command, " ")
		}
		if got := strings.Join(unwrapped(c.command), " "); got != want {
			t.Errorf("%q: %q, want %q", c.command, got, want)
		}
	}
	for special := range strings.SplitSeq("\"'`\\$&|;<>()[]{}*?!#~\n=", "") {
		command := []string{"sh", "-c", "npx -y pkg" + special + " x"}
		if got := unwrapped(command); len(got) != 3 {
			t.Errorf("%q: %q", command, got)
		}
	}
}
