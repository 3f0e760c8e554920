package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/tryout"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"
)

// A started is an entry as its host reads it.
type started struct {
	command []string
	env     []string
}

// wrapped are files of eight hosts, with one server each that answers and one that is no program, and how each host
// reads its file.
var wrapped = []struct {
	file, text string
	read       func(t *testing.T, b []byte) started
}{
	{".config/Claude/claude_desktop_config.json", `{"mcpServers":{"s":{"command":"SERVER","args":["--stdio"]},"u":{"url":"x"}}}`,
		inJSON("mcpServers", "s")},
	{".claude.json", "{\n\t\"numStartups\": 3,\n\t\"projects\": {\"HOME\": {\"mcpServers\": {\"s\": {\"type\": \"stdio\", \"command\": \"SERVER\", \"args\": [\"--stdio\"], \"env\": {\"K\": \"v\"}}}}}\n}",
		inJSON("projects", "HOME", "mcpServers", "s")},
	{".config/Code/User/mcp.json", "\ufeff{\r\n  // mine\r\n  \"servers\": {\r\n    \"s\": {\"command\": \"SERVER\", \"args\": [\"--stdio\",],},\r\n  },\r\n}\r\n",
		inJSON("servers", "s")},
	{".cursor/mcp.json", `{"mcpServers": {"s": {"args": ["--stdio"], "command": "SERVER"}}}` + "\n", inJSON("mcpServers", "s")},
	{".config/zed/settings.json", `{"context_servers": {"s": {"source": "custom", "command": "SERVER", "args": ["--stdio"]}}, /* dark */ "theme": "One"}`,
		inJSON("context_servers", "s")},
	{".config/opencode/opencode.json", `{"mcp": {"s": {"type": "local", "command": ["SERVER", "--stdio"], "environment": {"K": "v"}}}}`,
		inJSON("mcp", "s")},
	{".codex/config.toml", "model = \"x\" # best\n\n[mcp_servers.s]\ncommand = 'SERVER'\nargs = [\n  \"--stdio\", # over pipes\n]\n[mcp_servers.s.env]\nK = \"v\"\n",
		func(t *testing.T, b []byte) started {
			var all map[string]any
			fine(t, toml.Unmarshal(b, &all))
			return startOfEntry(t, all, "mcp_servers", "s")
		}},
	{".config/goose/config.yaml", "# goose\nextensions:\n  s:\n    cmd: SERVER\n    args: [--stdio]\n    type: stdio\n    envs: {K: v}\nGOOSE_MODEL: x\n",
		func(t *testing.T, b []byte) started {
			var all map[string]any
			fine(t, yaml.Unmarshal(b, &all))
			return startOfEntry(t, all, "extensions", "s")
		}},
}

func fine(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// inJSON reads the entry at these keys as a host does that knows comments.
func inJSON(keys ...string) func(*testing.T, []byte) started {
	return func(t *testing.T, b []byte) started {
		b, err := hujson.Standardize(bytes.TrimPrefix(b, []byte("\ufeff")))
		fine(t, err)
		var all map[string]any
		fine(t, json.Unmarshal(b, &all))
		return startOfEntry(t, all, keys...)
	}
}

// startOfEntry is the command line of the entry at these keys.
func startOfEntry(t *testing.T, all map[string]any, keys ...string) (s started) {
	t.Helper()
	for _, key := range keys {
		if key == "HOME" {
			key = os.Getenv("HOME")
		}
		next, ok := all[key].(map[string]any)
		if !ok {
			t.Fatalf("no %q in %v", key, all)
		}
		all = next
	}
	for _, key := range []string{"command", "cmd", "args"} {
		switch v := all[key].(type) {
		case string:
			s.command = append(s.command, v)
		case []any:
			for _, word := range v {
				s.command = append(s.command, word.(string))
			}
		}
	}
	for _, key := range []string{"env", "envs", "environment"} {
		values, _ := all[key].(map[string]any)
		for name, value := range values {
			s.env = append(s.env, name+"="+value.(string))
		}
	}
	return s
}

// Files of eight hosts: each server answers through the command line that its host reads, confined, and afterwards the
// files are byte for byte what they were.
func TestWrapEightHosts(t *testing.T) {
	home := testbed.Folder(t)
	fine(t, os.Chmod(home, 0o755))
	t.Setenv("HOME", home)
	for _, name := range []string{"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"} {
		t.Setenv(name, "")
	}
	server := filepath.Join(home, "server")
	program, err := exec.LookPath("mcp-sandbox") // this test binary
	fine(t, err)
	b, err := os.ReadFile(testbed.Program(t, "server-go"))
	fine(t, err)
	fine(t, os.WriteFile(server, b, 0o755))
	before := map[string][]byte{}
	for _, w := range wrapped {
		text := strings.NewReplacer("SERVER", server, `"HOME"`, `"`+home+`"`).Replace(w.text)
		before[w.file] = []byte(text)
		fine(t, os.MkdirAll(filepath.Dir(filepath.Join(home, w.file)), 0o755))
		fine(t, os.WriteFile(filepath.Join(home, w.file), []byte(text), 0o640))
	}
	tell := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	tell("wrap", "--yes", "--try", "--level", "standard")
	for _, w := range wrapped {
		t.Run(w.file, func(t *testing.T) {
			now, err := os.ReadFile(filepath.Join(home, w.file))
			fine(t, err)
			s := w.read(t, now)
			if s.command[0] != program || !slices.Contains(s.command, server) {
				t.Fatalf("starts %q", s.command)
			}
			ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
			defer cancel()
			env := append(s.env, "HOME="+home, "PATH=/usr/bin:/bin")
			tools, err := tryout.Ask(ctx, &tryout.Server{Command: s.command, Env: env, Dir: home})
			if err != nil || tools == 0 {
				t.Errorf("%d tools, %v", tools, err)
			}
		})
	}
	tell("unwrap", "--yes")
	for _, w := range wrapped {
		now, err := os.ReadFile(filepath.Join(home, w.file))
		if err != nil || !bytes.Equal(now, before[w.file]) {
			t.Errorf("%s: %v\n%s", w.file, err, now)
		}
	}
}

// A server that does not answer is put back, and says why, without the values of its variables and of its headers.
func TestWrapTry(t *testing.T) {
	home := testbed.Folder(t)
	fine(t, os.Chmod(home, 0o755))
	program, err := exec.LookPath("mcp-sandbox")
	fine(t, err)
	file := filepath.Join(home, ".cursor", "mcp.json")
	fine(t, os.MkdirAll(filepath.Dir(file), 0o755))
	script := filepath.Join(home, "tool", "x.sh")
	fine(t, os.Mkdir(filepath.Dir(script), 0o755))
	fine(t, os.WriteFile(script, []byte(`echo "$LONG.sh $1 ${3##* }" >&2; exit 1`), 0o644))
	text := []byte(`{"mcpServers": {"bad": {"command": "sh", "args": ["-e", "` + script + `", "K=s3cret", "--header", "A: Bearer t0ken"],
		"env": {"SHORT": "nowhere", "LONG": "/nowhere/x"}}}}`)
	fine(t, os.WriteFile(file, text, 0o644))
	cmd := exec.Command(program, "wrap", "--yes", "--try", "--level", "standard")
	cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	_, why, found := bytes.Cut(out, []byte("cursor: bad does not answer"))
	if err == nil || !found || !bytes.Contains(why, []byte("its entry is as it was")) ||
		!bytes.Contains(why, []byte("….sh … …")) {
		t.Errorf("%v\n%s", err, out)
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, text) {
		t.Errorf("%v\n%s", err, now)
	}
	if left, _ := filepath.Glob(filepath.Join(home, ".config/mcp-sandbox/policies/*/*")); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// A file that cannot be replaced is refused, and the policy that was written for its server is taken away.
func TestWrapRefused(t *testing.T) {
	home := testbed.Folder(t)
	fine(t, os.Chmod(home, 0o755))
	program, err := exec.LookPath("mcp-sandbox")
	fine(t, err)
	file := filepath.Join(home, ".cursor", "mcp.json")
	fine(t, os.MkdirAll(filepath.Dir(file), 0o755))
	text := []byte(`{"mcpServers": {"ev": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-everything"]}}}`)
	fine(t, os.WriteFile(file, text, 0o644))
	wrap := func(want string) {
		t.Helper()
		cmd := exec.Command(program, "wrap", "--yes")
		cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		if failed, ok := errors.AsType[*exec.ExitError](err); !ok || failed.ExitCode() != 1 ||
			!bytes.Contains(out, []byte(want)) {
			t.Errorf("%v\n%s", err, out)
		}
		if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, text) {
			t.Errorf("%v\n%s", err, now)
		}
		if left, _ := filepath.Glob(filepath.Join(home, ".config/mcp-sandbox/policies/*/*")); len(left) > 0 {
			t.Errorf("left %q", left)
		}
	}
	other := filepath.Join(home, "other")
	fine(t, os.Link(file, other))
	wrap("has a second name (a hard link)")
	fine(t, os.Remove(other))
	fine(t, os.MkdirAll(filepath.Join(home, ".local/state"), 0o700))
	fine(t, os.WriteFile(filepath.Join(home, ".local/state/mcp-sandbox"), nil, 0o600)) // no folder for what is laid
	wrap("wrap: lock ")
}
