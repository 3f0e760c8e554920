package places

import (
	"errors"
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform"
)

// What lasts lies where the tests' variables say.
func init() { platform.EnvironmentIsUsers() }

func TestOf(t *testing.T) {
	own := t.TempDir()
	foreign := "/proc/1" // root's
	if os.Geteuid() == 0 {
		foreign = t.TempDir()
		if err := os.Chown(foreign, 4711, 4711); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, xdg, want string }{
		{"not set", "", "/home/ann/.local/state/mcp-sandbox"},
		{"set", own, own + "/mcp-sandbox"},
		{"not there yet", own + "/new/", own + "/new/mcp-sandbox"},
		{"not absolute", "state", "/home/ann/.local/state/mcp-sandbox"},
		{"another user's", foreign, "/home/ann/.local/state/mcp-sandbox"},
	} {
		env := map[string]string{"HOME": "/home/ann", "XDG_STATE_HOME": c.xdg}
		p, err := Of(func(name string) string { return env[name] })
		if err != nil || p.State != c.want || p.Data != "/home/ann/.local/share/mcp-sandbox" ||
			p.Config != "/home/ann/.config/mcp-sandbox" || p.States() != c.want+"/state" || p.Reports() != c.want+"/reports" {
			t.Errorf("%s: %+v, %v", c.name, p, err)
		}
	}
	for _, home := range []string{"", "home"} {
		if _, err := Of(func(name string) string { return map[string]string{"HOME": home}[name] }); !errors.Is(err, ErrNoHome) {
			t.Errorf("HOME %q: %v", home, err)
		}
	}
}
