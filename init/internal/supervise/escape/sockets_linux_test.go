package escape_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// Agents, editors and terminal multiplexers listen in the folders that a user works in, and do what they are told there.
// Where sockets are to be expected the family is refused: the table has that, for its scene lies in /var/tmp. So here the
// launcher sees the scene in a folder where none are, and each has to be covered. The control is a launcher in another
// network namespace, which is not told of them: it is what all were before.
func socketsInGrants(t *testing.T, l level) {
	s := stage(t)
	paths := hostsSockets(t, s.dir)
	const shown = "/mnt"
	for _, path := range paths {
		if got := s.outside(t, testbed.Program(t, "escape"), false, "unix "+s.dir+path); !got.OK {
			t.Errorf("outside: %s: %+v", path, got)
		}
	}
	inside := &scene{dir: shown, words: strings.NewReplacer("S/", shown+"/"), machine: testbed.Machine{At: s.dir, Shown: shown}}
	abstract := "@" + filepath.Base(s.dir)
	paths = append(paths, "/home/socket") // not granted
	words := []string{testbed.Program(t, "escape"), "--", "unix", abstract}
	for _, path := range paths {
		words = append(words, "--", "unix", shown+path)
	}
	all := []level{l}
	if !l.reduced {
		all = append(all, levels()[1:3]...) // network and strict
	}
	for _, l := range all {
		for _, inside.machine.Apart = range []bool{false, true} {
			out, errs, _ := launch(t, inside, l, words...)
			got := results(t, out)
			if len(got) != 1+len(paths) {
				t.Fatalf("%s: %d results\n%s%s", l.name, len(got), out, errs)
			}
			checkSocket(t, l, abstract, got[0], "ECONNREFUSED EPERM", false)
			for i, path := range paths {
				want := "EACCES"
				if path == "/home/socket" {
					want = "ENOENT"
				}
				checkSocket(t, l, path, got[1+i], want, inside.machine.Apart && want == "EACCES" && landlockABI(t) < 9)
			}
		}
	}
}

// checkSocket compares how a connect went: gap is true where it goes through.
func checkSocket(t *testing.T, l level, socket string, got attempt.Result, want string, gap bool) {
	t.Helper()
	if l.reduced && landlockABI(t) < 9 || landlockABI(t) < 6 && l.name == "network" { // abstract ones would be in reach
		want, gap = "EAFNOSUPPORT", false
	}
	if got.OK != gap || !gap && !slices.Contains(strings.Fields(want), got.Errno) {
		t.Errorf("%s: %s: %+v, want %s", l.name, socket, got, want)
	}
}

// hostsSockets listens below a folder under names of all kinds, and returns the paths below it that lead there.
func hostsSockets(t *testing.T, dir string) []string {
	t.Helper()
	for bound, path := range map[string]string{"read/agent": "read/agent", "write/a/agent": "write/a/agent", "read/s.tmp": "read/sub/renamed",
		"./write/relative": "write/relative"} {
		l, err := net.Listen("unix", dir+"/"+bound)
		if strings.HasPrefix(bound, "./") {
			l.Close()
			t.Chdir(dir)
			l, err = net.Listen("unix", bound)
		}
		if err != nil {
			t.Fatal(err)
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		t.Cleanup(func() { l.Close() })
		if err := os.Rename(dir+"/"+bound, dir+"/"+path); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir+"/"+path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"/read/agent", "/write/a/agent", "/read/sub/renamed", "/write/relative"}
}
