package file

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Killed at any step, the file is the old or the new one, whole; the next change clears away what is left. The text of
// a host that wrote just before the exchange is in the file then.
func TestKilled(t *testing.T) {
	for _, host := range []string{"", "host"} {
		ended, wrote := false, false
		for n := 1; !ended && n < 30; n++ {
			path := plant(t, "old")
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "FILE_TEST_PATH="+path, fmt.Sprint("FILE_TEST_KILL_AT=", n),
				"FILE_TEST_HOST_WRITES="+host)
			out, err := cmd.CombinedOutput()
			if ended = err == nil; !ended && len(out) > 0 {
				t.Fatalf("%v: %s", err, out)
			}
			text, err := os.ReadFile(path)
			must(t, err)
			now := strings.TrimSuffix(string(text), mark)
			if now != "old" && now != "host" {
				t.Errorf("step %d: %q", n, text)
			}
			want := "old"
			if now == "host" || besideIs(t, path, "host") {
				want = "host"
			}
			_, err = at(t, path).Change(ours)
			must(t, err)
			holds(t, path, want+mark)
			wrote = wrote || want == "host"
			if host != "" && want == "old" && wrote {
				t.Errorf("step %d: the host's text is lost", n)
			}
		}
		if !ended {
			t.Error("the change never ended")
		}
	}
}

// besideIs reports whether a killed process left that text.
func besideIs(t *testing.T, path, want string) bool {
	return slices.ContainsFunc(leftovers(t, path), func(name string) bool {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		return err == nil && string(text) == want
	})
}
