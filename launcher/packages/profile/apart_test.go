package profile

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A server that moves files between two grants is told the folder above both, unless that is the home or holds it.
func TestApart(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("two grants are two mounts on Linux")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(top, "home")
	for _, name := range []string{"two/a/x", "two/b", "c"} {
		if err := os.MkdirAll(filepath.Join(home, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, members, args, grant string
		level                      policy.Level
		want                       string // "none", or the flag
	}{
		{"one", `, "moves": true`, "two/a", "", "", "none"},
		{"two", `, "moves": true`, "two/a two/b", "", "", "--allow-write " + home + "/two"},
		{"one in another", `, "moves": true`, "two/a two/a/x", "", "", "none"},
		{"a grant by hand", `, "moves": true`, "two/a", "two/b", "", "--allow-write " + home + "/two"},
		{"a grant of both", `, "moves": true`, "two/a two/b", "two", "", "none"},
		{"below the home", `, "moves": true`, "two/a c", "", "", ""},
		{"read alone", `, "moves": true`, "two/a two/b", "", policy.Strict, "none"},
		{"a server that moves nothing", "", "two/a two/b", "", "", "none"},
	} {
		p := parsed(t, `"arguments": [{"position": 0, "rest": true, "grant": "write"}]`+c.members)
		g := given{to: policy.Policy{Level: c.level}}
		for _, at := range strings.Fields(c.args) {
			g.args = append(g.args, filepath.Join(home, at))
		}
		if c.grant != "" {
			g.to.Filesystem.AllowWrite = []string{filepath.Join(home, c.grant)}
		}
		all, err := p.Apply(g.to, g.args, nil, home, home)
		if err != nil {
			t.Fatal(err)
		}
		got := "none"
		for _, n := range all.Notices {
			if n.Kind == order.NoticeApart {
				got = n.Flag
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
