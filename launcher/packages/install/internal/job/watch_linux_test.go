package job

import (
	"bytes"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
)

// An install that stands still says what it waits for: a registry's package as long as that is known, also where install
// scripts, or builds of packages, may be silent for long.
func TestStalled(t *testing.T) {
	settings := &Settings{Registries: []Registry{{URL: "https://r.example/"}}}
	act := order.Act{Kind: order.DeniedName, Host: "evil.example"}
	result := &launcher.Result{Denied: []launcher.Denial{{Act: act}}}
	for _, c := range []struct {
		row         *Manager
		limit       time.Duration
		words, want string
	}{
		{&npmRow, stallAfter, "", "nothing came for 45s: x waits for a registry from https://r.example/"},
		{&npmRow, stallAfter, "npm silly fetch manifest y@^1\n", "nothing came for 45s: x waits for y from https://r.example/"},
		{&npmRow, slowStallAfter, "", "nothing came for 10m0s: x stands still, or a program that x started"},
		{&pypiRow, slowStallAfter, "Collecting y\n", "nothing came for 10m0s: x waits for y from https://r.example/"},
		{&goRow, slowStallAfter, "WORK=/tmp/go-build1\n", "nothing came for 10m0s: x stands still, or a program that x started"},
	} {
		w := &watch{limit: c.limit}
		w.Write([]byte(c.words))
		err := (&Cell{Row: c.row}).stalled(&Job{Program: "/bin/x", Settings: settings}, w, result)
		if err.Error() != c.want+"; evil.example is none of your registries and was refused" {
			t.Errorf("%s, %q: %v, want %s", c.row.Name, c.words, err, c.want)
		}
	}
}

// A look that takes long is not taken again at once, unless the disk has less by what the install may still have.
func TestLooksAreDue(t *testing.T) {
	w := &watch{stage: t.TempDir(), most: 1 << 40}
	if !w.isDue() {
		t.Error("the first look is not due")
	}
	if err := w.measure(); err != nil {
		t.Fatal(err)
	}
	w.took = time.Hour
	if w.isDue() {
		t.Error("a look is due at once")
	}
	was := w.looks
	for name, change := range map[string]func(){"bytes": func() { w.free += 1 << 41 }, "inodes": func() { w.inode += 1 << 40 }} {
		w.looks = was
		if change(); !w.isDue() {
			t.Errorf("the disk has less %s, and no look is due", name)
		}
	}
}

// narrow is a terminal of so many columns.
type narrow struct {
	bytes.Buffer
	columns int
}

func (n *narrow) Columns() int { return n.columns }

// The line of an install fits into a row, for a row that was wrapped cannot be written over.
func TestLineFitsTheRow(t *testing.T) {
	const title = "npm:@modelcontextprotocol/server-filesystem"
	for columns, want := range map[int]string{
		0:   "mcp-sandbox: installing npm:@modelcontextprotocol/se…: 0 s, 2607 files, 36.0 MB",
		200: "mcp-sandbox: installing " + title + ": 0 s, 2607 files, 36.0 MB",
		60:  "mcp-sandbox: installing npm:@mod…: 0 s, 2607 files, 36.0 MB",
		30:  "mcp-sandbox: installing …: 0 ",
	} {
		w := &watch{title: title, began: time.Now(), moved: time.Now(), terminal: &narrow{columns: columns}}
		w.size.bytes, w.size.entries = 36e6, 2607
		if got := w.line(); got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
}
