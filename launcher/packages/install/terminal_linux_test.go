package install

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// A terminal gets one line that is written over, and nothing of it stays.
func TestTerminal(t *testing.T) {
	long(t)
	t.Parallel()
	h := newHome(t, good()...)
	var screen bytes.Buffer
	h.options.Terminal = &screen
	h.registry.Behave(registrytest.Behaviour{Slow: time.Second})
	h.must(t, "npx -y good")
	parts := strings.Split(screen.String(), "\r\x1b[K")
	if len(parts) < 4 || parts[0] != "" || parts[len(parts)-1] != "" {
		t.Errorf("%q", parts)
	}
	form := regexp.MustCompile(`^mcp-sandbox: installing npm:good: \d+ s(, \d+ files, \d+\.\d MB)?$`)
	for _, line := range parts[1 : len(parts)-1] {
		if !form.MatchString(line) {
			t.Errorf("%q", line)
		}
	}
	if strings.Contains(screen.String(), "\n") {
		t.Errorf("%q", screen.String())
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
