package file

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
)

// Killed at any step, the file is the old or the new one, whole; the next change clears away what is left in this
// product's folder, and leaves alone what lies beside the file. The text of a host that wrote just before the exchange
// is among the backups then, or lies beside the file.
func TestKilled(t *testing.T) {
	for _, mode := range []string{"", "beside"} {
		for _, host := range []string{"", "host"} {
			t.Run(mode+" "+host, func(t *testing.T) {
				ended, wrote := false, false
				for n := 1; !ended && n < 30; n++ {
					path := plant(t, "old")
					cmd := exec.Command(os.Args[0])
					cmd.Env = append(os.Environ(), "FILE_TEST_PATH="+path, fmt.Sprint("FILE_TEST_KILL_AT=", n),
						"FILE_TEST_HOST_WRITES="+host, "FILE_TEST_BESIDE="+mode)
					out, err := cmd.CombinedOutput()
					if ended = err == nil; !ended && len(out) > 0 {
						t.Fatalf("%v: %s", err, out)
					}
					text, err := os.ReadFile(path)
					must(t, err)
					want := map[string]string{"old": "old", "old" + mark: "old", "host": "host", "host" + mark: "host"}[string(text)]
					lost := want == "old" && laidIs(t, path, "host")
					must(t, at(t, path).Settle())
					left := leftovers(t, path)
					if trusted := mode == "" || os.PathSeparator == '\\'; trusted && len(left) > 0 {
						t.Errorf("step %d: left %q", n, left)
					}
					beside := laidIs(t, path, "host")
					for _, name := range left {
						must(t, os.Remove(name))
					}
					_, err = at(t, path).Change(ours)
					must(t, err)
					holds(t, path, want+mark)
					if wrote = wrote || want == "host"; want == "old" && (wrote || lost) && !beside && !kept(t, "host") {
						t.Errorf("step %d: the host's text is lost", n)
					}
				}
				if !ended {
					t.Error("the change never ended")
				}
			})
		}
	}
}

// laidIs reports whether a killed process left that text.
func laidIs(t *testing.T, path, want string) bool {
	return slices.ContainsFunc(leftovers(t, path), func(name string) bool {
		text, err := os.ReadFile(name)
		return err == nil && string(text) == want
	})
}
