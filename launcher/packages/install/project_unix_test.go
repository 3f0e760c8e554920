//go:build darwin || linux

package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/npm"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A pipe or a device in place of a project's configuration does not hold a start up: a server that can write to the
// working folder can leave either for the next start.
func TestProjectFilesThatAreNone(t *testing.T) {
	for kind, put := range map[string]func(at string) error{
		"pipe":   func(at string) error { return unix.Mkfifo(at, 0o600) },
		"device": func(at string) error { return os.Symlink("/dev/zero", at) },
		"large":  func(at string) error { return errorOf(os.WriteFile(at, nil, 0o600), os.Truncate(at, 1<<40)) },
	} {
		dir := t.TempDir()
		at := filepath.Join(dir, ".npmrc")
		if err := put(at); err != nil {
			t.Fatal(err)
		}
		done := make(chan string, 1)
		go func() {
			file, _ := npm.Manager.Project(dir, "/none")
			done <- file
		}()
		if file := testbed.Receive(t, "the end of the look at a "+kind, done); file != "" {
			t.Errorf("%s: %s", kind, file)
		}
	}
}

// Each start looks at PATH, which an entry may set: folders count once and not without end, and one that lies very deep is
// a project's.
func TestSearchIsBounded(t *testing.T) {
	var many []string
	for i := range 4 * mostSearched {
		many = append(many, fmt.Sprint("/d", i/2))
	}
	if got := searched(strings.Join(many, ":")); len(got) != mostSearched || got[0] != "/d0" || got[1] != "/d1" {
		t.Errorf("%d folders: %q", len(got), got)
	}
	s := &surroundings{dir: "/none", home: "/none", named: map[string]bool{}}
	for levels, want := range map[int]bool{mostLevels: false, mostLevels + 1: true} {
		if s.isProjects(strings.Repeat("/d", levels)) != want {
			t.Errorf("%d levels: %v", levels, !want)
		}
	}
}

func errorOf(_, err error) error { return err }
