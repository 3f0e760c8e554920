package edit

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
)

// A file with servers below the key of another host's looks empty to its own.
func TestMisplaced(t *testing.T) {
	for _, c := range []struct {
		file, want string
		form       mcphosts.Form
	}{
		{`{"servers":{"a":{"command":"x"}}}`, `they stand below "servers"`, jsonForm},
		{`{"mcpservers":{"a":{"url":"https://x.example"}}}`, `they stand below "mcpservers"`, jsonForm},
		{`{"a":{"command":"x"}}`, "they stand below no key", jsonForm},
		{"[mcpServers.a]\ncommand = 'x'\n", `they stand below "mcpServers"`, tomlForm},
		{"mcpServers:\n  a:\n    command: x\n", `they stand below "mcpServers"`, yamlForm},
		{`{"mcpServers":{"a":{"command":"x"}},"servers":{"b":{"command":"x"}}}`, "", jsonForm},
		{`{"mcpServers":{}}`, "", jsonForm},
		{`{"theme":{"a":{"command":"x"}},"servers":{"a":1,"b":["command"]},"mcp":"x"}`, "", jsonForm},
		{``, "", jsonForm},
		{`[{"command":"x"}]`, "", jsonForm},
	} {
		if got := open(t, []byte(c.file), c.form).Misplaced(); got != c.want {
			t.Errorf("%s: %q, want %q", c.file, got, c.want)
		}
	}
}
