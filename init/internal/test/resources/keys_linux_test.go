package resources_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"testing"
)

// A user has 200 keys for all that is started, and a sandbox takes one of them: its session keyring. Only root can give a
// launcher a user that has no other key, and each try gets another: the kernel removes keys later; keyrings(7), /proc/key-users.
func TestKeysOfASandbox(t *testing.T) {
	if os.Geteuid() != 0 {
		return
	}
	for _, begin := range []string{"full", "reduced"} {
		owner := 1<<20 + rand.IntN(1<<30)
		run := startOn(t, place{uid: owner, begin: begin}, `"limits":{"pids":20}`, "/bin/sh", "-c", "echo up; cat")
		b, err := os.ReadFile("/proc/key-users")
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(fmt.Sprintf(`(?m)^ *%d: +\d+ (\d+)/`, owner)).FindSubmatch(b)
		if found == nil || string(found[1]) != "1" {
			t.Errorf("%s: the user has %q keys, want 1\n%s", begin, found, b)
		}
		run.Stdin.Close()
		run.Ran()
	}
}
