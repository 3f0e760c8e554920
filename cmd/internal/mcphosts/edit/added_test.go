package edit

import (
	"bytes"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
)

// The lines of a launch name flags, and a user puts them behind the policy of a wrapped entry: unwrap takes them away.
func TestFlagsBehindThePolicy(t *testing.T) {
	const words, rows = `"--allow-write", "/x", "--env=A=s3cret", "--verbose", `, "- --allow-write\n    - /x\n    "
	for _, c := range []struct {
		file, added, between string
		form                 mcphosts.Form
	}{
		{`{"mcpServers":{"a":{"command":"x","args":["1", "2"]}}}`, words, `"--"`, jsonForm},
		{`{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}`, words, `"--"`, jsonForm},
		{"[mcp_servers.a]\ncommand = 'x'\nargs = ['1']\n", words, `"--"`, tomlForm},
		{"[mcp_servers.a]\ncommand = 'x'\n", words, `"--"`, tomlForm},
		{"extensions:\n  a:\n    cmd: x\n    args:\n    - 'y'\n", rows, `- "--"`, yamlForm},
	} {
		wrapped := string(rewrite(t, open(t, []byte(c.file), c.form), program))
		d := open(t, []byte(strings.ReplaceAll(wrapped, c.between, c.added+c.between)), c.form)
		if s := d.Servers()[0]; s.State != Wrapped || !strings.Contains(s.Reason, "besides its policy") ||
			!strings.Contains(s.Reason, "--allow-write") || strings.Contains(s.Reason, "s3cret") {
			t.Errorf("%s: %+v", c.file, s)
		}
		if got := rewrite(t, d, ""); !bytes.Equal(got, []byte(c.file)) {
			t.Errorf("got\n%s\nwant\n%s", got, c.file)
		}
	}
	for _, added := range []string{`"--no-such-flag", "/x", `, `"--allow-write", `, `"sh", `, `"--verbose", "sh", `} {
		wrapped := string(rewrite(t, open(t, []byte(`{"mcpServers":{"a":{"command":"x"}}}`), jsonForm), program))
		d := open(t, []byte(strings.ReplaceAll(wrapped, `"--"`, added+`"--"`)), jsonForm)
		if s := d.Servers()[0]; s.State != Cannot {
			t.Errorf("%s: %+v", added, s)
		}
	}
}
