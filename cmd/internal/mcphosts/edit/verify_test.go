package edit

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
)

// A result that is not what was asked for is refused, whatever went wrong on the way there.
func TestVerify(t *testing.T) {
	for _, c := range []struct {
		form                        mcphosts.Form
		file                        string
		root, argument, first, last string // parts of the file: the last two have nothing to do with servers
	}{
		{jsoncForm, `{"a":{"n":1.0},"mcpServers":{"s":{"command":"x","args":["1"],"env":{"K":"v"}}},"z":[1e2,null]}`,
			"mcpServers", `"1"]`, `n":1.0`, "1e2"},
		{tomlForm, "[a]\nn = nan\n[mcp_servers.s]\ncommand = 'x'\nargs = ['1']\n[z]\nat = 1979-05-27\n",
			"mcp_servers", "'1']", "n = nan", "1979-05-27"},
		{yamlForm, "a: {n: .nan}\nextensions:\n  s:\n    cmd: x\n    args: ['1']\n    K: v\nz: [1, ~]\n",
			"extensions", "'1']", "n: .nan", "~"},
	} {
		d := open(t, []byte(c.file), c.form)
		changes := all(d, program)
		after := string(rewrite(t, d, program))
		for _, try := range []struct{ name, old, new, want string }{
			{"as it is", "", "", ""},
			{"a value before", c.first, "m" + c.first[1:], "touch more"},
			{"a value behind", c.last, `"0"`, "touch more"},
			{"an argument", c.argument, `"2"]`, "asked for"},
			{"another policy", "/s.json", "/t.json", "asked for"},
			{"another program", program, "/evil/mcp-sandbox", "touch more"},
			{"nothing changed", after, c.file, "asked for"},
			{"broken", after, after[:len(after)-3] + "{", "break"},
			{"a server hidden", c.root, "nothing", "hide"},
		} {
			if !strings.Contains(after, try.old) {
				t.Fatalf("%s: no %q in %s", try.name, try.old, after)
			}
			err := d.verify([]byte(strings.Replace(after, try.old, try.new, 1)), changes)
			if (err == nil) != (try.want == "") || err != nil && !strings.Contains(err.Error(), try.want) {
				t.Errorf("%s, %s: %v, want %q", c.form.Syntax, try.name, err, try.want)
			}
		}
	}
}
