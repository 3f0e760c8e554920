package edit

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
)

// What is shown of a file has no value but commands and arguments, in any language.
func TestMasked(t *testing.T) {
	for _, c := range []struct {
		form mcphosts.Form
		file string
		want string
	}{
		{mcphosts.Form{Roots: "mcpServers"}, `{"theme":"hunter1","mcpServers":{"a":{"command":"npx","args":["-y","x"],"env":{"K":"hunter2","N":"","P":1234},"timeout":5,"http_headers":{"A":"hunter3","B":1234,"C":true},"requestHeaders":[1234]}}}`,
			`{"theme":"…","mcpServers":{"a":{"command":"npx","args":["-y","x"],"env":{"K":"…","N":"","P":"…"},"timeout":5,"http_headers":{"A":"…","B":"…","C":"…"},"requestHeaders":["…"]}}}`},
		{mcphosts.Form{Syntax: mcphosts.TOML, Roots: "mcp_servers"}, "token = 'hunter1'\n[mcp_servers.a]\ncommand = \"npx\"\nargs = ['x']\nenv = { K = \"hunter2\" }\n",
			"token = \"…\"\n[mcp_servers.a]\ncommand = \"npx\"\nargs = ['x']\nenv = { K = \"…\" }\n"},
		{mcphosts.Form{Syntax: mcphosts.YAML, Roots: "mcpServers", Named: true}, "key: |\n  hunter1\n  hunter1\n\nmcpServers:\n  - name: a\n    command: npx\n    args: [x]\n    env:\n      K: >-\n        hunter2\n        hunter3\n      L: hunter4\n",
			"key: \"…\"\nmcpServers:\n  - name: a\n    command: npx\n    args: [x]\n    env:\n      K: \"…\"\n      L: \"…\"\n"},
		{mcphosts.Form{Syntax: mcphosts.JSONC, Roots: "mcpServers"}, "//* \"T\": \"hunter1\",\n{\"mcpServers\":{\"a//b\":{\"command\":\"npx\", /* hunter2\n hunter3 */ \"args\":[\"//x\" // hunter4\r\n]}}} // hunter5",
			"//…\n{\"mcpServers\":{\"a//b\":{\"command\":\"npx\", /*…*/ \"args\":[\"//x\" //…\r\n]}}} //…"},
		{mcphosts.Form{Syntax: mcphosts.TOML, Roots: "mcp_servers"}, "# hunter1\n[mcp_servers.a] # hunter2\ncommand = \"npx\"# hunter3\nargs = ['x#y', # hunter4\n]\n",
			"#…\n[mcp_servers.a] #…\ncommand = \"npx\"#…\nargs = ['x#y', #…\n]\n"},
		{mcphosts.Form{Syntax: mcphosts.YAML, Roots: "mcpServers", Named: true}, "# hunter1\nmcpServers: # hunter2\n  - name: a#b # hunter3\n    command: npx # hunter4\n    args: [x#y, 'b # c'] # hunter5\n    env: # hunter6\n      # K: hunter7\n      K: hunter8 # hunter9\n",
			"#…\nmcpServers: #…\n  - name: a#b #…\n    command: npx #…\n    args: [x#y, 'b # c'] #…\n    env: #…\n      #…\n      K: \"…\" #…\n"},
	} {
		d, err := Open([]byte(c.file), c.form, func(string) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		got := string(d.Masked())
		if got != c.want || strings.Contains(got, "hunter") || strings.Contains(got, "1234") {
			t.Errorf("%s:\n%s", c.form.Syntax, got)
		}
	}
}

// Values of variables and headers are hidden among the arguments too, and all arguments of what is left alone.
func TestMaskedWords(t *testing.T) {
	all := regexp.MustCompile(`"[^"]*"`)
	for words, want := range map[string]string{
		`"-y","@x/fs","--flag=1","/a=b"`: `"-y","@x/fs","--flag=1","/a=b"`,
		`"-H"`:                           `"-H"`,
		`"mcp-remote","https://x","--header","Authorization: hunter2"`:             `"mcp-remote","https://x","--header","…"`,
		`"--header=A:hunter2","-HA:hunter2","-H","A:hunter2"`:                      `"…","…","-H","…"`,
		`"A=hunter2","-e","B_1=hunter2","-eC=hunter2","--env=D=hunter2","--env=E"`: `"…","-e","…","…","…","--env=E"`,
	} {
		for _, command := range []string{"npx", "docker"} {
			file := func(words string) string {
				return `{"mcpServers":{"a":{"command":"` + command + `","args":[` + words + `]}}}`
			}
			d := open(t, []byte(file(words)), jsonForm)
			got := string(d.Masked())
			if command == "docker" && got != strings.Replace(file(all.ReplaceAllString(words, hidden)), "docker", "…", 1) {
				t.Errorf("left alone, and shown:\n%s", got)
			}
			if command == "npx" && got != file(want) || strings.Contains(got, "hunter") {
				t.Errorf("%s\nwant\n%s", got, want)
			}
		}
	}
}

func TestVariables(t *testing.T) {
	d, err := Open([]byte(`{"mcpServers":{"a":{"command":"x","env":{"URL":"http://h","N":"","P":"${input:p}"}},"b":{"command":"y"}}}`),
		mcphosts.Form{Roots: "mcpServers"}, func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Variables(0); !slices.Equal(got, []string{"URL=http://h", "N="}) || d.Variables(1) != nil {
		t.Errorf("%q, %q", got, d.Variables(1))
	}
}

// A program of the launcher's name that lies elsewhere is not taken for the launcher.
func TestOtherLaunchers(t *testing.T) {
	for program, want := range map[string]State{"mcp-sandbox": Wrapped, "./bin/mcp-sandbox": Cannot, "bin/mcp-sandbox": Cannot,
		"/opt/x/mcp-sandbox": Cannot} {
		d, err := Open([]byte(`{"mcpServers":{"a":{"command":"`+program+`","args":["run","--policy",".mcp-sandbox/a.json","--","x"]}}}`),
			mcphosts.Form{Roots: "mcpServers"}, func(string) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Servers()[0].State; got != want {
			t.Errorf("%s: %s", program, got)
		}
	}
}
