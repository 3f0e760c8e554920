package try

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/place"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// look says what group the server is in, and which limits that has.
func (s *scene) look(t *testing.T, o *observed, p *place.Place) {
	start, delegated := p.Groups()
	if start == "" { // this program's
		start = groupOf(t, os.Getpid())
	}
	group := groupOf(t, o.Enforced.PID)
	if o.Group = wayInto(group, start, delegated); o.Group == matrix.NoGroup {
		return
	}
	for _, name := range limitFiles() {
		text, err := os.ReadFile(filepath.Join(place.V2(), group, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // no such controller
		}
		if err != nil {
			t.Fatal(err)
		}
		o.Limits = append(o.Limits, name+" "+string(bytes.TrimSpace(text)))
	}
}

// groupOf is a process's group in the hierarchy of v2; cgroups(7).
func groupOf(t *testing.T, pid int) string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			return strings.TrimSuffix(path, "\n")
		}
	}
	t.Fatalf("no control group of v2 in %q", text)
	return ""
}

// uidOf is a process's real uid.
func uidOf(t *testing.T, pid int) int {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\nUid:")
	uid, err := strconv.Atoi(strings.Fields(rest + " none")[0])
	if err != nil {
		t.Fatal(err)
	}
	return uid
}

// groups are all folders in which there may be control groups.
func groups(t *testing.T) (all []string) {
	err := filepath.WalkDir(place.Mount, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // gone meanwhile
			return nil
		}
		if err == nil && d.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// remaining are the groups that were not there before. systemd removes a group a moment after its last process has
// ended, and keeps slices, in which are only other groups.
func remaining(t *testing.T, before []string) (left []string) {
	testbed.Comes(func() bool {
		left = slices.DeleteFunc(groups(t), func(path string) bool {
			return slices.Contains(before, path) || strings.HasSuffix(path, ".slice")
		})
		return len(left) == 0
	})
	return left
}
