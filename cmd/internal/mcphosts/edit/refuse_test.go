package edit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
)

var (
	jsonForm  = mcphosts.Form{Roots: "mcpServers projects/*/mcpServers"}
	jsoncForm = mcphosts.Form{Syntax: mcphosts.JSONC, Roots: "mcpServers"}
	tomlForm  = mcphosts.Form{Syntax: mcphosts.TOML, Roots: "mcp_servers"}
	yamlForm  = mcphosts.Form{Syntax: mcphosts.YAML, Roots: "extensions", Command: "cmd"}
)

// servers are so many in JSON.
func servers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%d":{}`, i)
	}
	return "{" + b.String()[1:] + "}"
}

// Refused in one line that shows no value of the file. Each has a neighbour that is read.
func TestRefused(t *testing.T) {
	const server = `{"mcpServers":{"a":{"command":"x","env":{"K":"sesame"}}}}`
	for _, c := range []struct {
		name, file string
		form       mcphosts.Form
		want       string // empty: read
	}{
		{"read", server, jsonForm, ""},
		{"broken", server[:len(server)-1], jsonForm, "not JSON: "},
		{"trailing", server + "}", jsonForm, "not JSON: line 1, column "},
		{"two documents", server + server, jsonForm, "not JSON: "},
		{"bad escape", strings.Replace(server, "sesame", `sesame\x`, 1), jsonForm, "not JSON: line 1, column 46: invalid"},
		{"a comment", "// c\n" + server, jsonForm, "not JSON: a comment or a comma after the last item"},
		{"a comment, read", "// c\n" + server, jsoncForm, ""},
		{"a comment at the end", server + " // c", jsoncForm, ""},
		{"comments alone", "\ufeff// c\n/* d */ // e", jsoncForm, ""},
		{"comments and a comma", "// c\n,", jsoncForm, "not JSON with comments: "},
		{"comments alone, and none read", "// c\n", jsonForm, "not JSON: "},
		{"Latin-1", strings.Replace(server, "sesame", "s\xe9same", 1), jsonForm, "not UTF-8"},
		{"UTF-16", "\xff\xfe{\x00}\x00", jsonForm, "not UTF-8"},
		{"brackets", strings.Repeat("[", maxDepth+1), jsonForm, "more than 5000 brackets are open at once"},
		{"many brackets", strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), jsonForm, ""},
		{"too big", strings.Repeat(" ", MaxSize+1), jsonForm, "more than 16 MiB"},
		{"big", strings.Repeat(" ", MaxSize), jsonForm, ""},
		{"twice a server", `{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}`, jsonForm, errTwice.Error()},
		{"twice a command", `{"mcpServers":{"a":{"command":"x","command":"y"}}}`, jsonForm, errTwice.Error()},
		{"twice a root", `{"mcpServers":{},"mcpServers":{"a":{"command":"x"}}}`, jsonForm, errTwice.Error()},
		{"twice a project", `{"projects":{"/a":{},"/a":{}}}`, jsonForm, errTwice.Error()},
		{"twice elsewhere", `{"mcpServers":{},"theme":{"a":1,"a":2}}`, jsonForm, ""},
		{"escaped twice", `{"mcpServers":{"a":{"command":"x"},"\u0061":{"command":"y"}}}`, jsonForm, errTwice.Error()},
		{"a root in another case", `{"mcpServers":{},"MCPServers":{"a":{"command":"x"}}}`, jsonForm, errTwice.Error()},
		{"another case alone", `{"MCPServers":{"a":{"command":"x"}}}`, jsonForm, ""},
		{"a server that opencode names", `{"mcpServers":{"a":{"command":"x"},"{file:n}":{"command":"y"}}}`, jsonForm, errTwice.Error()},
		{"a root that opencode names", `{"mcpServers":{},"{env:N}":{"a":{"command":"y"}}}`, jsonForm, errTwice.Error()},
		{"a command that opencode names", `{"mcpServers":{"a":{"command":"x","{file:n}":"y"}}}`, jsonForm, errTwice.Error()},
		{"a prototype of an entry", `{"mcpServers":{"a":{"command":"x","__proto__":{"config":{"command":"y"}}}}}`, jsonForm, errTwice.Error()},
		{"a comment that opencode ends", `{"mcpServers":{"a":{"command":"x" /* *{env:N}/ ,"command":"y" /* */}}}`, jsoncForm, "not JSON with comments: a comment has "},
		{"one that a file ends", `{"mcpServers":{} /* {file:n} ,"a":1 /* */}`, jsoncForm, "not JSON with comments: a comment has "},
		{"a comment of a line that opencode fills", `{"mcpServers":{} // {env:N} {file:n}` + "\n}", jsoncForm, ""},
		{"many comments", strings.Repeat("//\n", 300000) + "{}", jsoncForm, ""},
		{"a filled value", `{"mcpServers":{"a":{"command":"x","env":{"K":"{env:sesame}"}}}} // c`, jsoncForm, ""},
		{"a line's end within a comment", "{\"mcpServers\":{}} // c\r,\"mcpServers\":{}\n", jsoncForm, "not JSON with comments: line ends of several kinds"},
		{"Windows' line ends", "{\"mcpServers\":{}} // c\r\n", jsoncForm, ""},
		{"many servers", `{"mcpServers":` + servers(maxServers) + `}`, jsonForm, ""},
		{"too many", `{"mcpServers":` + servers(maxServers) + `,"projects":{"/a":{"mcpServers":` + servers(1) + `}}}`, jsonForm, "more than 1000 servers"},
		{"TOML", "[mcp_servers.a]\ncommand = 'x'", tomlForm, ""},
		{"TOML, big", strings.Repeat(" ", maxTOML), tomlForm, ""},
		{"TOML, too big", strings.Repeat(" ", maxTOML+1), tomlForm, "more than 256 KiB of TOML"},
		{"TOML, a line's end within a comment", "# c\rx\n[mcp_servers.a]\ncommand = 'x'", tomlForm, "not TOML: "},
		{"TOML, twice", "[mcp_servers.a]\ncommand = 'x'\ncommand = 'y'", tomlForm, "not TOML: line 3, column 1"},
		{"TOML, broken", "[mcp_servers.a]\nenv = sesame", tomlForm, "not TOML: line 2, column 7"},
		{"YAML", "extensions:\n  a:\n    cmd: x", yamlForm, ""},
		{"YAML, twice", "extensions:\n  a:\n    cmd: x\n    cmd: y", yamlForm, "not YAML: line 4: a key that is there twice"},
		{"YAML, broken", "extensions:\n  a: 'sesame", yamlForm, "not YAML: line 2: found unexpected end of stream"},
		{"YAML, two", "a: 1\n---\nb: 2\n", yamlForm, "not YAML: several documents in one file"},
		{"YAML, a root elsewhere", "n: &n {a: {cmd: x}}\nextensions: *n", yamlForm, errAlias.Error()},
		{"YAML, a root merged", "n: &n {extensions: {a: {cmd: x}}}\n<<: *n", yamlForm, errMerged.Error()},
		{"YAML, merged beside the root", "n: &n {a: 1}\n<<: *n\nextensions: {a: {cmd: x}}", yamlForm, ""},
		{"YAML, servers merged", "n: &n {a: {cmd: x}}\nextensions:\n  <<: *n", yamlForm, errMerged.Error()},
		{"YAML, a root by another name", "name: &n extensions\n*n : {a: {cmd: x}}", yamlForm, errAlias.Error()},
		{"YAML, line ends", "a: 1\rb: 2\n", yamlForm, "not YAML: line ends of several kinds"},
	} {
		_, err := Open([]byte(c.file), c.form, ours)
		if got := ""; err != nil || c.want != "" {
			if err != nil {
				got = err.Error()
			}
			shown := strings.Contains(got, "\n") || strings.Contains(got, "sesame")
			if c.want == "" || !strings.HasPrefix(got, c.want) || shown {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
		}
	}
}

// What lies in an entry that is left alone, and why.
func TestCannot(t *testing.T) {
	for entry, want := range map[string]string{
		`{"command":"npx"}`:                                                                  "",
		`{"command":"npx","url":"https://x"}`:                                                "",
		`{"command":"sh","args":["start.sh"]}`:                                               "",
		`{"command":"cmd","args":["/c","npx","-y","x"]}`:                                     "",
		`{"command":"npx","args":["${input:x}"]}`:                                            "",
		`{"command":"pwsh","args":["-File","x.ps1"]}`:                                        "",
		`{"command":"mcp-sandboxed","args":[]}`:                                              "",
		`{"command":"env","args":["A=b","npx"]}`:                                             "",
		`{"command":"env","args":["-S","docker run"]}`:                                       "docker starts the server in a container",
		`{"command":"timeout","args":["5","docker","run"]}`:                                  "docker starts the server in a container",
		`{"command":"nohup","args":["env","env","env","env","env","env","env","env","npx"]}`: "starts the server through too many other programs",
		`{"command":"nohup","args":["sh","-c","npx"]}`:                                       "sh runs a line of a shell",
		`{"command":"env"}`:                                                                  "",
		`{"command":"env","args":["A=b","/usr/bin/env","=","docker","run"]}`:                 "docker starts the server in a container",
		`{"command":"cmd","args":["/C","docker","run"]}`:                                     "docker starts the server in a container",
		`{"command":"cmd.exe","args":["/c","env","sudo","x"]}`:                               "sudo needs rights",
		`{"serverUrl":"https://x"}`:                                                          "reached by a URL",
		`{"type":"streamable-http","command":"x"}`:                                           "reached by a URL",
		`{"type":"STDIO","source":"custom","command":"x"}`:                                   "",
		`{"type":null,"command":"x"}`:                                                        "",
		`{"Type":"builtin","command":"x"}`:                                                   "its type is none of those by which",
		`{"source":"extension","command":"x"}`:                                               "its type is none of those by which",
		`{"config":{"command":"y"},"command":"x"}`:                                           "its type is none of those by which",
		`{"config":"prod.yaml","command":"x"}`:                                               "",
		`{"env":{"__proto__":{"PATH":"/p"}},"command":"x"}`:                                  errProto.Error(),
		`{"uses":"owner/other","command":"x"}`:                                               "its type is none of those by which",
		`{"transport":{"type":"http"},"command":"x"}`:                                        "its type is none of those by which",
		`{"command":"/usr/local/bin/docker","args":["run"]}`:                                 "docker starts the server in a container",
		`{"command":"C:\\Docker\\DOCKER.EXE","args":["run"]}`:                                "docker starts the server in a container",
		`{"command":"podman"}`:                                                               "podman starts the server in a container",
		`{"command":"sh","args":["-c","x"]}`:                                                 "sh runs a line of a shell",
		`{"command":"zsh","args":["-ilc","x"]}`:                                              "zsh runs a line of a shell",
		`{"command":"cmd","args":["/c","a & b"]}`:                                            "cmd runs a line of a shell",
		`{"command":"powershell","args":["-Command","x"]}`:                                   "powershell runs a line of a shell",
		`{"command":"${input:x}","args":[]}`:                                                 "the command is asked for at each start",
		`{"command":"nono","args":["wrap"]}`:                                                 "nono confines or watches the server already",
		`{"command":"mcp-sandbox","args":["run","--","x"]}`:                                  "mcp-sandbox is written here by hand",
		`{"command":"/x/mcp-sandbox-init","args":["--","x"]}`:                                "mcp-sandbox-init is written here by hand",
		`{"command":"x","Command":"y"}`:                                                      `both "command" and "Command" are there`,
		`{"command":"x","args":[],"ARGS":["y"]}`:                                             `both "command" and "ARGS" are there`,
		`{"command":"x","args":[1]}`:                                                         "the arguments are not a list of words",
		`{"command":"x","args":null}`:                                                        "the arguments are not a list of words",
		`{"command":"x","args":"y"}`:                                                         "the arguments are not a list of words",
		`{"command":["x"]}`:                                                                  "the command is not a text",
		`{"command":""}`:                                                                     "no command",
		`{"args":[]}`:                                                                        "no command",
		`null`:                                                                               "the entry is no table of settings",
	} {
		d := open(t, []byte(`{"mcpServers":{"a":`+entry+`}}`), jsonForm)
		if s := d.Servers()[0]; !strings.HasPrefix(s.Reason, want) || (s.State == Cannot) != (want != "") {
			t.Errorf("%s: %v %q, want %q", entry, s.State, s.Reason, want)
		}
	}
}

// Whatever its folder, no server of these programs is wrapped, and one whose name only begins so is.
func TestStarters(t *testing.T) {
	for name := range strings.FieldsSeq("docker docker-compose podman nerdctl container finch flatpak distrobox toolbox " +
		"apptainer singularity srt nono thv fence firejail bwrap landrun sandbox-exec mcp-context-protector mcp-defender " +
		"mcp-sandbox mcp-sandbox-init sudo doas pkexec su runuser wsl ssh kubectl limactl") {
		for _, c := range []struct {
			command string
			want    State
		}{{name, Cannot}, {"/opt/" + name, Cannot}, {name + "-x", Plain}} {
			d := open(t, []byte(`{"mcpServers":{"a":{"command":"`+c.command+`","args":["x"]}}}`), jsonForm)
			if s := d.Servers()[0]; s.State != c.want {
				t.Errorf("%s: %v %q", c.command, s.State, s.Reason)
			}
		}
	}
}

// Only what wrap writes is wrapped: a policy of somebody else, another program, or another order of words is not.
func TestWrapped(t *testing.T) {
	const p = folder + "cursor/a.json"
	for line, want := range map[string]State{
		`"/x/mcp-sandbox","args":["run","--policy","` + p + `","--","y"]`:       Wrapped,
		`"mcp-sandbox","args":["run","--policy","` + p + `","--","y"]`:          Wrapped,
		`"C:\\x\\mcp-sandbox.exe","args":["run","--policy=` + p + `","--","y"]`: Wrapped,
		`"/x/mcp-sandbox","args":["run","--policy","/etc/p.json","--","y"]`:     Cannot,
		`"/x/mcp-sandbox","args":["run","--policy=/etc/p.json","--","y"]`:       Cannot,
		`"/x/mcp-sandbox","args":["run","--quiet","--policy","` + p + `","--"]`: Cannot,
		`"/x/mcp-sandbox","args":["run","--policy","` + p + `","y","--"]`:       Cannot,
		`"/x/mcp-sandbox","args":["run","--policy","` + p + `","--"]`:           Cannot,
		`"/x/mcp-sandbox","args":["plan","--policy","` + p + `","--","y"]`:      Cannot,
		`"/x/other","args":["run","--policy","` + p + `","--","y"]`:             Plain,
		`"/x/mcp-sandbox-init","args":["run","--policy","` + p + `","--","y"]`:  Cannot,
	} {
		s := open(t, []byte(`{"mcpServers":{"a":{"command":`+line+`}}}`), jsonForm).Servers()[0]
		if s.State != want || want == Wrapped && (s.Policy != p || len(s.Command) != 1) {
			t.Errorf("%s: %+v, want %v", line, s, want)
		}
	}
}
