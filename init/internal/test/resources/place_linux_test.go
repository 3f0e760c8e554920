package resources_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A place is where launchers are started: a group delegated to a user, or the test's own group and user.
type place struct {
	name  string
	dir   string // the group that the launcher is born in, or empty
	uid   int
	group bool   // its servers get groups
	begin string // the confinement to begin with, or empty
	tmp   string // for the temporary files of its launchers alone, or empty: this process\'s folder
	top   string // where everything is that launchers there may make
}

// user is whom groups are delegated to.
const user = 1000

var (
	machine sync.Once
	root    string // the hierarchy's, if this process may delegate its controllers
)

// delegable finds the root of a hierarchy whose controllers this process may give away.
func delegable() string {
	machine.Do(func() {
		b, err := os.ReadFile("/proc/self/mountinfo")
		if err != nil || os.Geteuid() != 0 {
			return
		}
		mounts, err := platform.ParseMountinfo(b)
		if err != nil {
			return
		}
		own, err := os.ReadFile("/proc/self/cgroup")
		if err != nil {
			return
		}
		path, _ := platform.ParseCgroup(own)
		at, found := platform.FindCgroup(mounts, path)
		// Only of a machine that was made for tests: where this process is in the root, nothing else manages the
		// groups.
		if !found || at.Mount != at.Folder || path != "/" {
			return
		}
		have, _ := os.ReadFile(at.Mount + "/cgroup.controllers")
		for _, name := range []string{"memory", "pids", "cpu"} {
			if !slices.Contains(strings.Fields(string(have)), name) {
				return
			}
		}
		if os.WriteFile(at.Mount+"/cgroup.subtree_control", []byte("+memory +pids +cpu"), 0) == nil {
			root = at.Mount
		}
		os.WriteFile(at.Mount+"/cgroup.subtree_control", []byte("+io"), 0)
	})
	return root
}

// delegated makes two places of a test: the launcher in the delegated group itself, as systemd starts it, and one level
// below, beside its host. Without such a machine there are none.
func delegated(t *testing.T) []place {
	t.Helper()
	at := delegable()
	if at == "" {
		if required() && os.Geteuid() == 0 {
			t.Fatal("no control group can be delegated here")
		}
		return nil
	}
	make := func(name string) string {
		dir, err := os.MkdirTemp(at, "test-"+name+"-")
		if err != nil {
			t.Fatal(err)
		}
		give(t, dir)
		t.Cleanup(func() { removeAll(t, dir) })
		return dir
	}
	itself, above := make("itself"), make("above")
	below := filepath.Join(above, "host")
	if err := os.WriteFile(above+"/cgroup.subtree_control", []byte("+memory +pids +cpu +io"), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	give(t, below)
	return []place{
		{name: "in the delegated group", dir: itself, uid: user, group: true, top: itself},
		{name: "one level below", dir: below, uid: user, group: true, top: above},
	}
}

// give delegates a group as cgroups(7) says: the folder and the three files that move processes and controllers.
func give(t *testing.T, dir string) {
	t.Helper()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"", "/cgroup.procs", "/cgroup.threads", "/cgroup.subtree_control"} {
		if err := os.Chown(dir+f, user, user); err != nil {
			t.Fatal(err)
		}
	}
}

// removeAll removes a group and those below it, the innermost first.
func removeAll(t *testing.T, dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Error(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			removeAll(t, filepath.Join(dir, e.Name()))
		}
	}
	if err := os.Remove(dir); err != nil {
		t.Error(err)
	}
}

// required reports whether the machine is said to give groups: to root, who can delegate more, or to an ordinary
// user, by a user manager.
func required() bool {
	return slices.Contains(strings.Fields(os.Getenv(testbed.RequireEnv)), "cgroup")
}

// groups are the groups below a folder that launchers made. A scope goes when systemd sees that it is empty.
func groups(t testing.TB, dir string) (list []string) {
	t.Helper()
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), "mcp-sandbox-") && !strings.HasSuffix(d.Name(), ".scope") {
			list = append(list, path)
		}
		return nil
	})
	return list
}

// everywhere runs a test with the launcher here, as whoever this is, and in every place that can be delegated.
func everywhere(t *testing.T, test func(t *testing.T, at place)) {
	t.Run("here", func(t *testing.T) {
		at := delegable()
		if required() && os.Geteuid() != 0 {
			at = "/sys/fs/cgroup"
		}
		test(t, place{name: "here", uid: 0, group: at != "", top: at})
	})
	for _, at := range delegated(t) {
		t.Run(at.name, func(t *testing.T) { test(t, at) })
	}
}
