package layers

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A looked is what a statx is to say: dev is its low half.
type looked struct {
	dev, ino uint64
	mode     uint16
}

// put makes it what a look stored.
func put(results *program.Results, at stat, l looked) {
	b := results.Bytes(at.at, statxSize)
	binary.LittleEndian.PutUint16(b[statxMode:], l.mode)
	binary.LittleEndian.PutUint64(b[statxIno:], l.ino)
	binary.LittleEndian.PutUint32(b[statxMinor:], uint32(l.dev))
}

// repaired compares a repair of one cover with these looks at its path, before and after.
func repaired(t *testing.T, k Lost, before, after looked, unset bool) error {
	t.Helper()
	r, err := NewRepair(make([]byte, program.Size), &Machine{}, []Lost{k})
	if err != nil {
		t.Fatal(err)
	}
	results := r.Copy()
	for i := range r.Len() - 1 {
		results.Store(r.Op(i), 0)
	}
	if unset {
		results.Store(r.Op(r.Len()-2), program.Unset)
	}
	for i, l := range []looked{before, after} {
		put(results, r.seen[0][i], l)
	}
	return r.Check(results)
}

// TestRepairIsCompared: a repair covered what was seen from outside, and what shows then is what covers it.
func TestRepairIsCompared(t *testing.T) {
	folder := looked{2, 20, unix.S_IFDIR | 0o555}
	file := looked{2, 21, unix.S_IFREG}
	seen := looked{1, 10, unix.S_IFREG | 0o644}
	for _, c := range []struct {
		name          string
		kind          fsview.CoverKind
		folder, ok    bool
		before, after looked
	}{
		{"a file denied", fsview.Deny, false, true, seen, file},
		{"a folder denied", fsview.Deny, true, true, seen, folder},
		{"a file held", fsview.ReadOnly, false, true, seen, seen},
		{"a folder pinned", fsview.Pin, true, true, seen, seen},
		{"another device before", fsview.Deny, false, false, looked{3, 10, 0}, file},
		{"another inode before", fsview.Deny, false, false, looked{1, 11, 0}, file},
		{"still open", fsview.Deny, false, false, seen, seen},
		{"still there, with no mode", fsview.Deny, false, false, looked{1, 10, unix.S_IFREG}, looked{1, 10, unix.S_IFREG}},
		{"a folder still there", fsview.Deny, true, false, looked{1, 10, unix.S_IFDIR | 0o555}, looked{1, 10, unix.S_IFDIR | 0o555}},
		{"a file that can be opened", fsview.Deny, false, false, seen, looked{2, 21, unix.S_IFREG | 0o444}},
		{"a folder that can be written", fsview.Deny, true, false, seen, looked{2, 20, unix.S_IFDIR | 0o777}},
		{"a file over a folder", fsview.Deny, true, false, seen, file},
		{"a folder over a file", fsview.Deny, false, false, seen, folder},
		{"another device held before", fsview.ReadOnly, false, false, looked{3, 10, 0}, seen},
		{"another inode held before", fsview.ReadOnly, false, false, looked{1, 11, 0}, seen},
		{"another device held", fsview.ReadOnly, false, false, seen, looked{3, 10, 0}},
		{"another inode held", fsview.ReadOnly, false, false, seen, looked{1, 11, 0}},
	} {
		k := Lost{Cover: fsview.Cover{Path: "/p", Kind: c.kind}, Folder: c.folder, FileID: platform.FileID{Dev: 1, Ino: 10}}
		if err := repaired(t, k, c.before, c.after, false); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.ok && repaired(t, k, c.before, c.after, true) == nil {
			t.Errorf("%s: its last call was not made, and nobody missed it", c.name)
		}
	}
}

// TestCovered: a cover is there only with its own path, flags and file system, and private.
func TestCovered(t *testing.T) {
	const held = "9 4 8:1 /srv/w/.git /srv/w/.git ro,nosuid,nodev - ext4 /dev/sda rw\n"
	const denied = "10 4 0:6 /denied /srv/w/secret ro,nosuid,nodev - tmpfs tmpfs rw\n"
	const pinned = "11 4 8:1 /srv/w/a /srv/w/a rw,nosuid,nodev - ext4 /dev/sda rw\n"
	for _, c := range []struct {
		kind     fsview.CoverKind
		path     string
		line     string
		old, new string
		want     bool
	}{
		{fsview.ReadOnly, "/srv/w/.git", held, "", "", true}, {fsview.Deny, "/srv/w/secret", denied, "", "", true}, {fsview.Pin, "/srv/w/a", pinned, "", "", true},
		{fsview.ReadOnly, "/srv/w/.git", held, " ro,", " rw,", false}, {fsview.ReadOnly, "/srv/w/.git", held, "/.git ro", "/.got ro", false},
		{fsview.ReadOnly, "/srv/w/.git", held, "nodev -", "nodev shared:1 -", false}, {fsview.Deny, "/srv/w/secret", denied, "tmpfs", "ext4", false},
		{fsview.Deny, "/srv/w/secret", denied, " ro,", " rw,", false}, {fsview.Deny, "/srv/w/secret", denied, "/secret ro", "/secret.old ro", false},
		{fsview.Pin, "/srv/w/a", pinned, "nosuid,", "", false}, {fsview.Pin, "/srv/w/a", pinned, ",nodev", "", false}, {fsview.Pin, "/srv/w/a", "", "", "", false},
	} {
		mounts, err := platform.ParseMountinfo([]byte(strings.ReplaceAll(c.line, c.old, c.new)))
		if c.old == "" {
			mounts, err = platform.ParseMountinfo([]byte(c.line))
		}
		if err != nil {
			t.Fatal(err)
		}
		if Covered(mounts, &fsview.Cover{Path: c.path, Kind: c.kind}) != c.want {
			t.Errorf("%s with %q for %q: not %v", c.path, c.new, c.old, c.want)
		}
	}
}
