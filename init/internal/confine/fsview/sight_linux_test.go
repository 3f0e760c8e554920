package fsview

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A look at a path tells what the server sees of it, blocks at nothing and goes into no file system that could ask a
// network or a program.
func TestSees(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, d := range []string{"granted/denied/again", "granted/folder", "other", "home/project", "private", "remote/below",
		"way/to/it"} {
		if err := os.MkdirAll(at(d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(at("other/pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"seen": "granted/folder", "shown": "granted/folder", "granted/out": "../other",
		"round": "round", "away": "remote/below", "into-proc": "/proc/self"} {
		if err := os.Symlink(target, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	view := &View{
		Nodes: []Node{{Path: dir, Kind: Dir}, {Path: at("granted"), Kind: Bind, Source: at("granted"), Folder: true},
			{Path: at("granted/denied/again"), Kind: Bind, Source: at("granted/denied/again"), Folder: true},
			{Path: at("shown"), Kind: Link, Content: "granted/folder"},
			{Path: at("way"), Kind: Dir}, {Path: at("way/to"), Kind: Dir},
			{Path: at("way/to/it"), Kind: Bind, Source: at("way/to/it"), Folder: true}},
		Covers:  []Cover{{Path: at("granted/denied"), Source: at("granted/denied"), Kind: Deny}},
		Private: []Node{{Path: at("home")}, {Path: at("private")}},
	}
	for _, c := range []struct {
		path         string
		full, shared Sight
	}{
		{"granted", Seen, Seen},
		{"granted/folder", Seen, Seen},
		{"granted/denied", Denied, Denied},
		{"granted/denied/again", Seen, Seen},
		{"shown", Seen, Seen},
		{"seen", Hidden, Seen}, // the name leads nowhere inside
		{"granted/out", Hidden, Hidden},
		{"other", Hidden, Hidden},
		{"other/pipe", Hidden, Hidden},
		{"other/../granted", Seen, Seen},
		{"", Seen, Hidden},      // holds the home
		{"way", Hidden, Hidden}, // which only leads to what is granted
		{"way/to", Hidden, Hidden},
		{"way/to/it", Seen, Seen},
		{"way/new", Unmade, Unmade},
		{"home", EmptyHome, EmptyHome},
		{"home/project", Hidden, Hidden},
		{"no-such", Unknown, Unmade},
		{"other/new", Unmade, Unmade},
		{"other/new/deep", Unknown, Unknown}, // whoever names that may mean something else
		{"granted/new", Unknown, Unknown},
		{"granted/denied/new", Unknown, Unknown},
		{"home/new", Passing, Unmade}, // without a root of its own the server has another home
		{"home/new/deep", Passing, Unmade},
		{"home/project/new", Unmade, Unmade},
		{"round", Unknown, Unknown},
		{"remote", Unknown, Unknown},
		{"remote/below", Unknown, Unknown},
		{"away", Unknown, Unknown},
		{"into-proc", Unknown, Unknown},
	} {
		for _, shared := range []bool{false, true} {
			v := &Viewer{View: view, Home: at("home"), Shared: shared, lookups: newLookups()}
			v.lookups.mounts = []platform.Mount{{Path: "/", Type: "ext4"}, {Path: at("remote"), Type: "nfs4"}}
			want := c.full
			if shared {
				want = c.shared
			}
			if got := v.Sees(at(c.path)); got != want {
				t.Errorf("%s, shared %v: %d, want %d", c.path, shared, got, want)
			}
		}
	}
	lasting := *view
	lasting.State = at("state")
	if v := (&Viewer{View: &lasting, Home: at("home")}); v.Sees(at("home/new")) != Unknown {
		t.Error("a home that lasts is thrown away")
	}
	if v := (&Viewer{View: view, Shared: true}); v.Sees("/tmp") != Seen {
		t.Error("/tmp has a stand-in")
	}
	if v := (&Viewer{View: view, Open: true}); v.Sees(at("other")) != Seen {
		t.Error("nothing is held back there")
	}
}
