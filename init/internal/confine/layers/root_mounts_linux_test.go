package layers

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// checked compares a table with a small view: a read grant, a write grant with a frozen folder and a denied one in it.
func checked(table string) (order.LayerReport, *order.Refusal) {
	v := &fsview.View{
		Nodes: []fsview.Node{
			{Path: "/usr", Kind: fsview.Bind, Folder: true}, {Path: "/tmp", Kind: fsview.Dir},
			{Path: "/srv/w", Kind: fsview.Bind, Folder: true, Write: true}, {Path: "/dev/null", Kind: fsview.Bind, Device: true},
		},
		Covers:  []fsview.Cover{{Path: "/srv/w/.git", Kind: fsview.ReadOnly}, {Path: "/srv/w/secret", Kind: fsview.Deny, Folder: true}},
		Private: []fsview.Node{{Path: "/tmp", Kind: fsview.Dir, Mode: 0o1777}},
	}
	return compared(v, table)
}

func compared(v *fsview.View, table string) (order.LayerReport, *order.Refusal) {
	mounts, err := platform.ParseMountinfo([]byte(table))
	if err != nil {
		panic(err)
	}
	b := emptyBuild(policy.Full, &Request{View: v})
	proc := procMount{fresh: true}
	for i := range proc.tries { // neither was made: /proc stays empty
		proc.tries[i] = b.Try(program.Sys(0))
	}
	report := order.LayerReport{Layer: order.Root}
	c := &check{Evidence: &Evidence{Results: b.Copy(), Mounts: mounts}, layer: &report}
	proveMounts(c, v, &proc, freshDevices{})
	return report, c.refusal
}

const goodTable = `1 0 0:1 / / ro,nosuid,nodev - tmpfs tmpfs rw
2 1 8:1 /usr /usr ro,nosuid,nodev,relatime - ext4 /dev/sda rw
3 2 8:2 / /usr/local ro,nosuid,nodev,noexec - ext4 /dev/sdb rw
4 1 8:1 /srv/w /srv/w rw,nosuid,nodev - ext4 /dev/sda rw
5 4 8:3 / /srv/w/disk rw,nosuid,nodev - xfs /dev/sdc rw
6 1 0:5 /null /dev/null ro,nosuid,noexec - devtmpfs devtmpfs rw
7 1 0:6 /0 /tmp rw,nosuid,nodev - tmpfs tmpfs rw
8 1 0:7 / /dev/pts rw,nosuid,noexec - devpts devpts rw,max=64
9 4 8:1 /srv/w/.git /srv/w/.git ro,nosuid,nodev - ext4 /dev/sda rw
10 4 0:6 /denied /srv/w/secret ro,nosuid,nodev - tmpfs tmpfs rw
`

// Every change of a good table is noticed: a mount that is missing, one too many, one freer than it should be.
func TestMountsAreCompared(t *testing.T) {
	report, refusal := checked(goodTable)
	if refusal != nil {
		t.Fatal(refusal)
	}
	if len(report.Facts) != 9 { // eight mounts, and no fresh /proc
		t.Errorf("%d facts: %+v", len(report.Facts), report.Facts)
	}
	lines := strings.SplitAfter(goodTable, "\n")
	for i, line := range lines[:len(lines)-1] {
		if strings.Contains(line, "/usr/local") || strings.Contains(line, "/disk") {
			continue // the host's own
		}
		without := strings.Join(lines[:i], "") + strings.Join(lines[i+1:], "")
		if _, refusal := checked(without); refusal == nil {
			t.Errorf("not missed: %s", line)
		}
	}
	for _, c := range []struct{ name, old, new string }{
		{"read grant", "/usr /usr ro", "/usr /usr rw"},
		{"below a read grant", "/usr/local ro", "/usr/local rw"},
		{"the root", "/ / ro", "/ / rw"},
		{"frozen", ".git ro", ".git rw"},
		{"denied", "secret ro", "secret rw"},
		{"another file system over the denied", "secret ro,nosuid,nodev - tmpfs", "secret ro,nosuid,nodev - ext4"},
		{"set-user-ID in a write grant", "/srv/w rw,nosuid,nodev", "/srv/w rw,nodev"},
		{"devices in a write grant", "/srv/w rw,nosuid,nodev", "/srv/w rw,nosuid"},
		{"devices below a write grant", "/disk rw,nosuid,nodev", "/disk rw,nosuid"},
		{"set-user-ID in /tmp", "/tmp rw,nosuid", "/tmp rw"},
		{"shared", "/srv/w rw,nosuid,nodev -", "/srv/w rw,nosuid,nodev shared:7 -"},
		{"slave", "/tmp rw,nosuid,nodev -", "/tmp rw,nosuid,nodev master:7 -"},
		{"a device", "/dev/null ro", "/dev/null rw"},
		{"all terminals of the machine", "rw,max=64", "rw"},
		{"not asked for", goodTable, goodTable + "11 1 8:4 / /home rw,nosuid,nodev - ext4 /dev/sdd rw\n"},
		{"a second one on a fresh one", goodTable, goodTable + "11 7 8:4 / /tmp rw,nosuid,nodev - ext4 /dev/sdd rw\n"},
		{"the same on a fresh one", goodTable, goodTable + "11 7 0:6 /0 /tmp rw,nosuid,nodev - tmpfs tmpfs rw\n"},
		{"below a fresh one", goodTable, goodTable + "11 7 8:4 / /tmp/x ro,nosuid,nodev - ext4 /dev/sdd rw\n"},
		{"below a frozen one", goodTable, goodTable + "11 9 8:4 / /srv/w/.git/x rw,nosuid,nodev - ext4 /dev/sdd rw\n"},
		{"below a denied one", goodTable, goodTable + "11 10 8:4 / /srv/w/secret/x rw,nosuid - ext4 /dev/sdd rw\n"},
	} {
		changed := strings.Replace(goodTable, c.old, c.new, 1)
		if changed == goodTable {
			t.Fatalf("%s changes nothing", c.name)
		}
		if _, refusal := checked(changed); refusal == nil {
			t.Errorf("not noticed: %s", c.name)
		}
	}
}

// A folder that is pinned has all that was mounted below it by then a second time, and each of the two is compared.
func TestMountsBelowAPinAreCompared(t *testing.T) {
	v := &fsview.View{
		Nodes:   []fsview.Node{{Path: "/tmp/p/q", Kind: fsview.Bind, Folder: true}, {Path: "/tmp/p/q/d/x", Kind: fsview.Bind, Folder: true}},
		Covers:  []fsview.Cover{{Path: "/tmp/p", Kind: fsview.Pin, Folder: true}},
		Private: []fsview.Node{{Path: "/tmp", Kind: fsview.Dir, Mode: 0o1777}, {Path: "/tmp/p/q/d", Kind: fsview.Dir, Mode: 0o555}},
	}
	const table = `1 0 0:1 / / ro,nosuid,nodev - tmpfs tmpfs rw
2 1 0:6 /0 /tmp rw,nosuid,nodev - tmpfs tmpfs rw
3 2 8:1 /q /tmp/p/q ro,nosuid,nodev - ext4 /dev/sda rw
4 3 0:6 /1 /tmp/p/q/d rw,nosuid,nodev - tmpfs tmpfs rw
5 4 8:1 /q/d/x /tmp/p/q/d/x ro,nosuid,nodev - ext4 /dev/sda rw
6 1 0:7 / /dev/pts rw,nosuid,noexec - devpts devpts rw,max=64
7 2 0:6 /0/p /tmp/p rw,nosuid,nodev - tmpfs tmpfs rw
8 7 8:1 /q /tmp/p/q ro,nosuid,nodev - ext4 /dev/sda rw
9 8 0:6 /1 /tmp/p/q/d rw,nosuid,nodev - tmpfs tmpfs rw
10 9 8:1 /q/d/x /tmp/p/q/d/x ro,nosuid,nodev - ext4 /dev/sda rw
`
	if _, refusal := compared(v, table); refusal != nil {
		t.Fatal(refusal)
	}
	lines := strings.SplitAfter(table, "\n")
	for i, line := range lines[:len(lines)-1] {
		for _, c := range [][2]string{{" ro,", " rw,"}, {"nosuid,", ""}, {"/1 /tmp/p/q/d rw", "/0 /tmp/p/q/d rw"},
			{"0:6 /1 /tmp/p/q/d rw", "8:1 /q/d /tmp/p/q/d rw"}} {
			changed := strings.Replace(line, c[0], c[1], 1)
			if changed == line {
				continue
			}
			if _, refusal := compared(v, strings.Join(lines[:i], "")+changed+strings.Join(lines[i+1:], "")); refusal == nil {
				t.Errorf("not noticed: %s", changed)
			}
		}
	}
	for name, more := range map[string]string{
		"on a pinned one": "11 9 8:4 / /tmp/p/q/d rw,nosuid,nodev - ext4 /dev/sdd rw\n",
		"beside it":       "11 2 8:4 / /tmp/x rw,nosuid,nodev - ext4 /dev/sdd rw\n",
	} {
		if _, refusal := compared(v, table+more); refusal == nil {
			t.Errorf("not noticed: %s", name)
		}
	}
}

// A mount of the host's is compared with the nearest of what is asked for above it, whatever the order of that is.
func TestMountsOfTheHostAreCompared(t *testing.T) {
	v := &fsview.View{
		Nodes: []fsview.Node{
			{Path: "/srv/w", Kind: fsview.Bind, Folder: true, Write: true}, {Path: "/srv/w/a/r", Kind: fsview.Bind, Folder: true},
		},
		Covers: []fsview.Cover{{Path: "/srv/w/a", Kind: fsview.Pin, Folder: true}},
	}
	const table = `1 0 0:1 / / ro,nosuid,nodev - tmpfs tmpfs rw
2 1 8:1 /w /srv/w rw,nosuid,nodev - ext4 /dev/sda rw
3 2 8:1 /r /srv/w/a/r ro,nosuid,nodev - ext4 /dev/sda rw
4 3 8:2 / /srv/w/a/r/disk ro,nosuid,nodev - ext4 /dev/sdb rw
5 1 0:7 / /dev/pts rw,nosuid,noexec - devpts devpts rw,max=64
6 2 8:1 /w/a /srv/w/a rw,nosuid,nodev - ext4 /dev/sda rw
7 2 8:3 / /srv/w/disk rw,nosuid,nodev - ext4 /dev/sdc rw
`
	if _, refusal := compared(v, table); refusal != nil {
		t.Fatal(refusal)
	}
	if _, refusal := compared(v, strings.Replace(table, "/srv/w/a/r/disk ro", "/srv/w/a/r/disk rw", 1)); refusal == nil {
		t.Error("a mount that can be written inside a grant for reading was not noticed")
	}
}

// A mount of the host's below a cover, which nobody can come to, needs no more than the grant's flags.
func TestHiddenMounts(t *testing.T) {
	const below = "11 4 8:4 / /srv/w/.git/objects rw,nosuid,nodev - ext4 /dev/sdd rw\n"
	const same = "11 4 8:4 / /srv/w/.git rw,nosuid,nodev - ext4 /dev/sdd rw\n12 11 8:4 / /srv/w/.git ro,nosuid,nodev - ext4 /dev/sdd rw\n"
	cover := "9 4 8:1 /srv/w/.git /srv/w/.git ro,nosuid,nodev - ext4 /dev/sda rw\n"
	twice := strings.Replace(goodTable, cover, same, 1)
	for _, good := range []string{goodTable + below, twice} {
		if _, refusal := checked(good); refusal != nil {
			t.Error(refusal)
		}
	}
	for name, bad := range map[string]string{
		"the grant's flags":  strings.Replace(goodTable+below, "objects rw,nosuid,nodev", "objects rw,nosuid", 1),
		"on the cover":       strings.Replace(goodTable+below, "11 4", "11 9", 1),
		"no cover":           strings.Replace(goodTable, cover, "", 1) + below,
		"the one on top":     strings.Replace(twice, ".git ro", ".git rw", 1),
		"below a read grant": goodTable + "11 2 8:4 / /usr/x rw,nosuid,nodev - ext4 /dev/sdd rw\n12 2 8:4 / /usr/x ro,nosuid,nodev - ext4 /dev/sdd rw\n",
	} {
		if _, refusal := checked(bad); refusal == nil {
			t.Errorf("not noticed: %s", name)
		}
	}
}

// A walk along a path goes into what is mounted on top, and not into what lies below a pin.
func TestTopmost(t *testing.T) {
	mounts := []platform.Mount{
		{ID: 1, Parent: 90, Path: "/", Type: "root"},
		{ID: 2, Parent: 1, Path: "/g", Type: "grant"},
		{ID: 3, Parent: 2, Path: "/g/shut/in", Type: "below the pin"},
		{ID: 4, Parent: 2, Path: "/g", Type: "pin"},
		{ID: 5, Parent: 4, Path: "/g/shut/in", Type: "cover"},
		{ID: 6, Parent: 5, Path: "/g/shut/in", Type: "on the cover"},
		{ID: 7, Parent: 2, Path: "/g/other", Type: "hidden by the pin"},
	}
	for path, want := range map[string]string{"/": "root", "/g": "pin", "/g/shut/in": "on the cover", "/g/shut": "", "/g/other": "", "/gx": ""} {
		if got := topmost(mounts, path).Type; got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if got := topmost(mounts[:5], "/g/shut/in").Type; got != "cover" {
		t.Errorf("%q, want the cover", got)
	}
	if got := topmost(mounts[:4], "/g/shut/in").Type; got != "" {
		t.Errorf("%q, want nothing: the pin has no cover", got)
	}
}
