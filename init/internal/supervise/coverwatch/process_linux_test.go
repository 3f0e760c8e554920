package coverwatch

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// What a process has in its memory is found by its inode where the path says nothing, for it was mapped by another mount, and by
// its path where the numbers say nothing (btrfs, overlayfs).
func TestMappedIsFound(t *testing.T) {
	const denied, frozen, pinned = "/p/secret", "/p/.git", "/p"
	q := &search{targets: []target{
		{Lost: layers.Lost{Cover: fsview.Cover{Path: denied, Kind: fsview.Deny}, FileID: platform.FileID{Dev: 1, Ino: 10}}},
		{Lost: layers.Lost{Cover: fsview.Cover{Path: frozen, Kind: fsview.ReadOnly}, FileID: platform.FileID{Dev: 1, Ino: 11}}},
		{Lost: layers.Lost{Cover: fsview.Cover{Path: pinned, Kind: fsview.Pin}, FileID: platform.FileID{Dev: 1, Ino: 12}}},
	}}
	for _, c := range []struct {
		name   string
		m      platform.Mapping
		at     string
		unsure bool
	}{
		{"by both", platform.Mapping{FileID: platform.FileID{Dev: 1, Ino: 10}, Path: denied}, denied, false},
		{"by its inode", platform.Mapping{FileID: platform.FileID{Dev: 1, Ino: 10}, Path: "/elsewhere"}, denied, false},
		{"by its path", platform.Mapping{FileID: platform.FileID{Dev: 2, Ino: 77}, Path: denied}, denied, false},
		{"another file", platform.Mapping{FileID: platform.FileID{Dev: 1, Ino: 13}, Path: "/p/other"}, "", false},
		{"another device", platform.Mapping{FileID: platform.FileID{Dev: 2, Ino: 10}, Path: "/p/other"}, "", false},
		{"a name that begins so", platform.Mapping{FileID: platform.FileID{Dev: 1, Ino: 13}, Path: denied + "s"}, "", false},
		{"in what is denied", platform.Mapping{FileID: platform.FileID{Dev: 1, Ino: 13}, Path: denied + "/a"}, denied, false},
		{"in what is read-only", platform.Mapping{FileID: platform.FileID{Dev: 1, Ino: 13}, Path: frozen + "/a"}, "", false},
		{"in what is read-only, to be written", platform.Mapping{FileID: platform.FileID{Dev: 1, Ino: 13}, Path: frozen + "/a", Shared: true, Writes: true}, frozen, false},
		{"in what is read-only, shared", platform.Mapping{FileID: platform.FileID{Dev: 1, Ino: 13}, Path: frozen + "/a", Shared: true}, "", true},
		{"what is read-only itself", platform.Mapping{FileID: platform.FileID{Dev: 1, Ino: 11}, Path: "/elsewhere"}, frozen, false},
		{"no file", platform.Mapping{FileID: platform.FileID{Dev: 1}, Path: denied}, "", false},
	} {
		if at, unsure := q.inMemory([]platform.Mapping{{FileID: platform.FileID{Dev: 9, Ino: 9}, Path: "/lib/x"}, c.m}); (at == nil) != (c.at == "") ||
			at != nil && at.Path != c.at || unsure != c.unsure {
			t.Errorf("%s: %v, %v, want %q, %v", c.name, at, unsure, c.at, c.unsure)
		}
	}
}

// Where /proc does not show init, it may not show a holder either: the search says so, and finds nobody innocent.
func TestHiddenProcesses(t *testing.T) {
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	r := &repair{Watcher: &Watcher{Config: Config{Init: gone.Process.Pid}}, yield: func(time.Duration) bool { return false }}
	r.due("late")
	if err := r.search(nil); err == nil || !strings.Contains(err.Error(), "hides processes") {
		t.Error(err)
	}
}
