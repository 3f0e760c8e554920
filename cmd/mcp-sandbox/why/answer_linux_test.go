package why

import (
	"os/exec"
	"strings"
	"testing"
)

// A shell makes of a typed flag the value that the flag stands for, and a terminal prints each of its bytes.
func TestTypedFlags(t *testing.T) {
	for _, value := range []string{"/a", "/a b", "/it's", "/it's\n\x1b[31m", "/\u202ea\\nb\"'", "/$HOME\t`id`$(id)"} {
		typed := typedFlags([]string{"--allow-read", value})
		if len(typed) != 1 || strings.ContainsAny(typed[0], "\n\x1b\u202e\t") {
			t.Errorf("%q: %q", value, typed)
			continue
		}
		cmd := exec.Command("bash", "-c", "set -- "+typed[0]+"\nprintf %s \"$2\"")
		cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"}
		if out, err := cmd.Output(); err != nil || string(out) != value {
			t.Errorf("%q: typed %s, which is %q, %v", value, typed[0], out, err)
		}
	}
}
