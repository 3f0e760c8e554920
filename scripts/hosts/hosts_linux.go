package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
)

// The servers of each file.
const (
	answers = "answers"
	isNot   = "isnot"
)

// A host reads a file and starts the servers of that file.
type host struct {
	name, key string
	// from is the folder of packages that has the host, and module the package there.
	from, module string
	// file is below the home. In text SERVER is the test server, NOWHERE no program, and HOST the key.
	file, text string
	ask        asker
	wrapped    []byte // the file after wrap
}

// inJSON is the servers of a file, below a key.
const inJSON = `{
	"KEY": {
		"answers": {"command": "SERVER", "args": ["--stdio", "--host=HOST"], "env": {"TOKEN": "x"}},
		"isnot":   {"args": [], "command": "NOWHERE"}
	}
}
`

const inTOML = `# of Codex
[mcp_servers.answers]
command = 'SERVER'
args = [
  "--stdio", # over pipes
  "--host=HOST",
]
env = { TOKEN = "x" }

[mcp_servers.isnot]
command = "NOWHERE"
args = []
`

func under(key string) string { return strings.Replace(inJSON, "KEY", key, 1) }

// processor is npm's name of this machine's processor.
func processor() string { return strings.Replace(runtime.GOARCH, "amd64", "x64", 1) }

func hosts() []*host {
	return []*host{
		{name: "Gemini CLI", key: "gemini", from: "light", module: "@google/gemini-cli", file: ".gemini/settings.json",
			text: "// of Gemini CLI\n" + under("mcpServers"), ask: listed(`(?m)^✓ (\w+): .* - Connected$`,
				[]string{"GEMINI_CLI_TRUST_WORKSPACE=true"}, ".bin/gemini", "mcp", "list")},
		{name: "MCP Inspector", key: "inspector", from: "light", module: "@modelcontextprotocol/inspector",
			file: ".cursor/mcp.json", text: under("mcpServers"), ask: each(inspector)},
		{name: "TypeScript SDK", key: "typescript", from: "npm", module: "@modelcontextprotocol/sdk",
			file: ".config/Code/User/mcp.json", text: under("servers"), ask: each(typescript)},
		{name: "Go SDK", key: "go", file: ".config/Claude/claude_desktop_config.json", text: under("mcpServers"),
			ask: each(goSDK)},
		{name: "Claude Code", key: "claude", from: "heavy", module: "@anthropic-ai/claude-code", file: ".claude.json",
			text: under("mcpServers"), ask: listed(`(?m)^(\w+): .* - ✔ Connected$`, nil,
				"@anthropic-ai/claude-code-linux-"+processor()+"/claude", "mcp", "list")},
		{name: "Codex", key: "codex", from: "heavy", module: "@openai/codex", file: ".codex/config.toml", text: inTOML,
			ask: codex},
	}
}

// version is that of the installed package, or of the module that this program is built of.
func (u *user) version(h *host) string {
	if h.module == "" {
		info, _ := debug.ReadBuildInfo()
		for _, m := range info.Deps {
			if m.Path == "github.com/modelcontextprotocol/go-sdk" {
				return m.Version
			}
		}
		return ""
	}
	var p struct{ Version string }
	text, err := os.ReadFile(filepath.Join(u.modules(h), h.module, "package.json"))
	if errors.Join(err, json.Unmarshal(text, &p)) != nil {
		return ""
	}
	return p.Version
}

// An asker has a host start the servers: those that the host is connected with, and what the host said of all.
type asker func(context.Context, *user, *host) (connected []string, said string, err error)

// listed has a host list its servers: the pattern finds the names of those that are connected.
func listed(pattern string, env []string, words ...string) asker {
	line := regexp.MustCompile(pattern)
	return func(ctx context.Context, u *user, h *host) (connected []string, said string, err error) {
		out, err := u.command(ctx, append([]string{filepath.Join(u.modules(h), words[0])}, words[1:]...),
			env...).CombinedOutput()
		for _, found := range line.FindAllSubmatch(out, -1) {
			connected = append(connected, string(found[1]))
		}
		return connected, string(out), err
	}
}

// each has a client start both servers in turn. The client's error is what it says of a server that is none.
func each(tools func(context.Context, *user, *host, string) (int, error)) asker {
	return func(ctx context.Context, u *user, h *host) (connected []string, said string, err error) {
		for _, server := range []string{answers, isNot} {
			n, err := tools(ctx, u, h, server)
			if err == nil && n > 0 {
				connected = append(connected, server)
			}
			said += fmt.Sprintf("%s: %d tools, %v\n", server, n, err)
		}
		return connected, said, nil
	}
}
