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
	form := regexp.MustCompile(`^mcp-sandbox: installing npm:good: \d+ s(, \d+ files, \d+\.\d MB)?(, nothing came for \d+ s)?$`)
	for _, line := range parts[1 : len(parts)-1] {
		if !form.MatchString(line) {
			t.Errorf("%q", line)
		}
	}
	if strings.Contains(screen.String(), "\n") {
		t.Errorf("%q", screen.String())
	}
}
