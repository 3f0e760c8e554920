package edit

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
	"go.yaml.in/yaml/v3"
)

// What the user changes elsewhere after wrap is there after unwrap, and the entry is what it was.
func TestEditedInBetween(t *testing.T) {
	for _, c := range []struct {
		name, file, old, new string
		form                 mcphosts.Form
	}{
		{"another key", `{"mcpServers":{"a":{"command":"x"}},"theme":1}`, `"theme":1`, "\n \"theme\" : 2", jsonForm},
		{"of the entry", `{"mcpServers":{"a":{"command":"x","timeout":1}}}`, `"timeout":1`, `"timeout":2,"b":3`, jsonForm},
		{"another server", `{"mcpServers":{"a":{"command":"x"}}}`, `rs":{`, `rs":{"b":{"command":"y"},`, jsonForm},
		{"an argument", `{"mcpServers":{"a":{"command":"x","args":["1", "2"]}}}`, `"2"]`, `"3", "4"]`, jsonForm},
		{"its place", `{"mcpServers":{"a":{"command":"x","args":[]}},"p":{}}`, `"p":{}`, `"p":{"k":{"args":[]}}`, jsonForm},
		{"comments", `{"mcpServers":{"a":{"command":"x","args":["1"]}}}`, `{"mcpS`, "// c\n{/*c*/\"mcpS", jsoncForm},
		{"TOML", "[mcp_servers.a]\ncommand = 'x'\n\n[b]\nc=1\n", "c=1", "c = 2 # c", tomlForm},
		{"TOML, before", "[mcp_servers.a]\ncommand = 'x'\n", "[mcp", "# c\n[a]\n[mcp", tomlForm},
		{"TOML, after", "[mcp_servers.a]\ncommand = 'x'\n", "a]\n", "a]\ncwd = '/' # c\n", tomlForm},
		{"YAML", "extensions:\n  a:\n    cmd: x\n    timeout: 1\n", "timeout: 1", "timeout: 2 # c\n    b: c", yamlForm},
		{"YAML, list", "extensions:\n  a:\n    cmd: x\n    args:\n    - 'y'\n", "- 'y'", "- 'y'\n    - z", yamlForm},
	} {
		change := func(file []byte) []byte {
			if bytes.Count(file, []byte(c.old)) != 1 {
				t.Fatalf("%s: %s in %s", c.name, c.old, file)
			}
			return bytes.Replace(file, []byte(c.old), []byte(c.new), 1)
		}
		wrapped := change(rewrite(t, open(t, []byte(c.file), c.form), program))
		d := open(t, wrapped, c.form)
		if c.name == "another server" && (len(d.Servers()) != 2 || d.Servers()[0].State != Plain) {
			t.Fatalf("%+v", d.Servers())
		}
		if got, want := rewrite(t, d, ""), change([]byte(c.file)); !bytes.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

// A host that writes its file anew, in its own manner, changes nothing that unwrap needs.
func TestWrittenAnew(t *testing.T) {
	for _, name := range []string{"claude-code", "claude-desktop", "crush", "claude-code.1.project"} {
		file, err := os.ReadFile("testdata/" + name + ".in")
		if err != nil {
			t.Fatal(err)
		}
		for _, indent := range []string{"", "  "} {
			form := mcphosts.Form{Roots: "mcpServers projects/*/mcpServers mcp"}
			anew := func(file []byte) []byte {
				var b bytes.Buffer
				err := json.Indent(&b, bytes.TrimSpace(file), "", "  ")
				if indent == "" {
					b.Reset()
					err = json.Compact(&b, file)
				}
				if err != nil {
					t.Fatal(err)
				}
				return b.Bytes()
			}
			d := open(t, anew(rewrite(t, open(t, file, form), program)), form)
			if got, want := rewrite(t, d, ""), anew(file); !bytes.Equal(got, want) {
				t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
			}
		}
	}
	file, err := os.ReadFile("testdata/goose.in")
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := yaml.Unmarshal(rewrite(t, open(t, file, yamlForm), program), &v); err != nil {
		t.Fatal(err)
	}
	anew, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decode(rewrite(t, open(t, anew, yamlForm), ""), mcphosts.YAML)
	want, _ := decode(file, mcphosts.YAML)
	if err != nil || !same(got, want) {
		t.Errorf("%v: got\n%v\nwant\n%v", err, got, want)
	}
}

// A file need not end with a line end, behind a comment either.
func TestNoLineEnd(t *testing.T) {
	for file, form := range map[string]mcphosts.Form{
		`{"mcpServers":{"a":{"command":"x"}}} // c`: jsoncForm,
		"[mcp_servers.a]\ncommand='x' # c":          tomlForm,
		"extensions:\n a:\n  cmd: x # c":            yamlForm,
	} {
		round(t, []byte(file), form)
	}
}

// What was changed among the words that wrap wrote is put right or refused, and no comment is lost.
func TestEditedInside(t *testing.T) {
	const p = `"--policy", "` + folder + `a.json"`
	for _, c := range []struct{ name, args, want string }{
		{"the last argument taken away", `["run", ` + p + `, "--", "x"]`, `"x", "args": []`},
		{"with its comma", `["run", ` + p + `, "--", "x" , ]`, `"x", "args": [ ]`},
		{"an argument added", `["run", "--policy=` + folder + `a.json", "--", "x", "y"]`, `"x", "args": ["y"]`},
		{"a comment after", `["run", ` + p + `, "--", "x", "y" /* c */]`, `"x", "args": ["y" /* c */]`},
		{"a comment before", `[ /* c */ "run", ` + p + `, "--", "x", "y"]`, `"x", "args": [ /* c */ "y"]`},
		{"a comment inside", `["run", ` + p + `, /* c */ "--", "x", "y"]`, ""},
		{"a comment at the end", `["run", ` + p + `, "--", "x" /* c */, "y"]`, ""},
		{"a comment and no list", `/* c */ ["run", "--policy=` + folder + `a.json", "--", "x"]`, ""},
	} {
		file := `{"mcpServers": {"a": {"command": "mcp-sandbox", "args": ` + c.args + `}}}`
		d := open(t, []byte(file), jsoncForm)
		got, err := d.Rewrite(all(d, ""))
		want := `{"mcpServers": {"a": {"command": ` + c.want + `}}}`
		if c.want == "" {
			if err == nil || got != nil || !strings.Contains(err.Error(), "comment") {
				t.Errorf("%s: %v\n%s", c.name, err, got)
			}
		} else if string(got) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, want)
		}
	}
}

// The same bytes come back, or the file is left alone with an error.
func FuzzRound(f *testing.F) {
	names, _ := filepath.Glob("testdata/*.in")
	for _, name := range names {
		file, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		host, _, _ := strings.Cut(filepath.Base(name), ".")
		f.Add(file, byte(mcphosts.ByName(host).Files[0].Form.Syntax), byte(len(host)))
	}
	f.Fuzz(func(t *testing.T, file []byte, syntax, kind byte) {
		form := mcphosts.Form{Syntax: mcphosts.Syntax(syntax % 4), Named: kind&1 != 0, Words: kind&2 != 0,
			Roots: "mcpServers mcp_servers extensions mcp projects/*/mcpServers"}
		if kind&4 != 0 {
			form.Command = "cmd"
		}
		d, err := Open(file, form, ours)
		if err != nil {
			return
		}
		was := bytes.Clone(file)
		for i, s := range d.Servers() {
			if s.State != Plain {
				continue
			}
			wrapped, err := d.Rewrite([]Change{{Server: i, Program: program, Policy: folder + "a.json"}})
			if err != nil {
				continue
			}
			d, err := Open(wrapped, form, ours)
			if err != nil {
				t.Fatalf("%q: %v", wrapped, err)
			}
			if back, err := d.Rewrite([]Change{{Server: i}}); err != nil || !bytes.Equal(back, was) {
				t.Fatalf("%v\n%q, was\n%q", err, back, was)
			}
		}
	})
}
