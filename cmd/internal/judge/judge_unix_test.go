//go:build darwin || linux

package judge

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// What lasts lies where the tests' variables say.
func init() { platform.EnvironmentIsUsers() }

// newHome is the home of a user who keeps what lasts at its usual places.
func newHome(t *testing.T) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	for _, name := range []string{"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "")
	}
	return home
}

func link(t *testing.T, to, at string) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.Symlink(to, at)); err != nil {
		t.Fatal(err)
	}
	return at
}

// verdictOf is the verdict of one grant to read.
func verdictOf(at string) explain.Verdict {
	e := Of(policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{at}}}, "/p/a.json")
	return e.Lines[0].Verdict
}

// A link counts as what it leads to, on the way too, and where that is not there yet; so do links to this product's own
// folders, and in front of them.
func TestLinks(t *testing.T) {
	home := newHome(t)
	own := filepath.Join(home, ".local/state/mcp-sandbox")
	cases := map[string]explain.Verdict{
		link(t, ".ssh", home+"/a"): explain.Dangerous, link(t, home, home+"/p/home") + "/.ssh/id": explain.Dangerous,
		"-" + link(t, "a", home+"/b"): explain.Dangerous, link(t, own, home+"/p/own"): explain.Dangerous, own: explain.Dangerous,
		link(t, "../.local", home+"/p/local"): explain.Dangerous, link(t, home+"/nothing", home+"/p/none"): explain.Note,
		link(t, "loop", home+"/loop"): explain.Note, home + "/p": explain.Note,
		link(t, strings.Repeat("p/../", 128)+"p", home+"/long"): explain.Dangerous, // nobody goes to its end
	}
	for at, want := range cases {
		if got := verdictOf(at); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
	elsewhere := home + "/disk/state"
	t.Setenv("XDG_STATE_HOME", link(t, elsewhere, home+"/named"))
	for at, want := range map[string]explain.Verdict{home + "/named/mcp-sandbox/state": explain.Dangerous, elsewhere + "/mcp-sandbox": explain.Dangerous, home + "/disk": explain.Dangerous} {
		if got := verdictOf(at); got != want {
			t.Errorf("XDG_STATE_HOME: %s: %s, want %s", at, got, want)
		}
	}
	e := Of(policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{home + "/a"}}}, "/p/a.json")
	if text := e.Lines[0].String(); !strings.HasPrefix(text, "/filesystem/allowRead/0: dangerous: can read ~/.ssh: SSH keys; a link leads there") {
		t.Error(text)
	}
	denied := policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{home + "/a"}, DenyRead: []string{home + "/.ssh"}}}
	if e := Of(denied, "/p/a.json"); e.Verdict != explain.Note { // the denial is of the same folder
		t.Error(e.Lines)
	}
}

// makeHome makes a home that lasts as a launch of the maker would.
func makeHome(t *testing.T, name, maker string) {
	t.Helper()
	f, err := state.Open(name, state.Owner{UID: os.Geteuid(), GID: os.Getegid(), Maker: maker})
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// A home belongs to the launch that made it, to the policies in which wrap names it, and to the package that a profile
// names it for.
func TestWhose(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folder of policies is that of Linux")
	}
	home := newHome(t)
	policies := home + "/.config/mcp-sandbox/policies"
	makeHome(t, "kept", policies+"/cursor/other.json")
	makeHome(t, "npm-mcp-remote", policies+"/cursor/remote.json")
	makeHome(t, "acme", "/p/a.json")
	makeHome(t, "old", "")
	makeHome(t, "npm-slack-mcp-server", "npm:slack-mcp-server")
	makeHome(t, "typed", "node a.js")
	real := link(t, home+"/real.json", home+"/link.json")
	makeHome(t, "linked", home+"/real.json")
	const no = ""
	for _, c := range []struct {
		state, maker, whose string
		there               bool
	}{
		{"new", "/p/a.json", no, false}, {"acme", "/p/a.json", no, true}, {"acme", "/q/a.json", "/p/a.json", true}, {"acme", "node b.js", "/p/a.json", true},
		{"old", "/p/a.json", unknown, true}, {"old", policies + "/cursor/x.json", no, true}, {"typed", "node a.js", no, true}, {"typed", "/p/a.json", "node a.js", true},
		{"linked", real, no, true}, {"kept", "/p/a.json", policies + "/cursor/other.json", true}, {"kept", policies + "/zed/other.json", no, true},
		{"npm-mcp-remote", "/p/a.json", policies + "/cursor/remote.json", true}, {"npm-mcp-remote", policies + "/cursor/remote.json", no, true},
		{"npm-mcp-remote", "npm:mcp-remote", no, true}, {"npm-mcp-remote", "npm:slack-mcp-server", policies + "/cursor/remote.json", true},
		{"npm-slack-mcp-server", "/p/a.json", "npm:slack-mcp-server", true}, {"npm-slack-mcp-server", policies + "/zed/slack.json", no, true},
		{"npm-slack-mcp-server", "npm:slack-mcp-server", no, true}, {"npm-mongodb-mcp-server", "/p/a.json", "npm:mongodb-mcp-server", false},
		{"npm-mongodb-mcp-server", policies + "/zed/db.json", no, false}, {"acme", policies + "/zed/db.json", "/p/a.json", true},
	} {
		if whose, there := (claim{c.maker}).whose(c.state); whose != c.whose || whose != "" && there != c.there {
			t.Errorf("%s for %s: %q, %t; want %q, %t", c.state, c.maker, whose, there, c.whose, c.there)
		}
	}
}
