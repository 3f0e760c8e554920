package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// inspector has the MCP Inspector's CLI read the file and ask for the tools.
func inspector(ctx context.Context, u *user, h *host, server string) (int, error) {
	return u.tools(ctx, []string{filepath.Join(u.modules(h), ".bin/mcp-inspector"), "--cli", "--config", u.file(h),
		"--server", server, "--method", "tools/list"}, "MCP_INSPECTOR_SECRET_STORE=memory")
}

// typescript has testdata/client-ts start the command of the entry.
func typescript(ctx context.Context, u *user, h *host, server string) (int, error) {
	e, err := u.entry(h, "servers", server)
	if err != nil {
		return 0, err
	}
	scenario, err := json.Marshal(map[string]any{"modules": u.modules(h), "command": e.Command,
		"args": e.Args, "env": e.Env, "cwd": u.home})
	if err != nil {
		return 0, err
	}
	return u.tools(ctx, []string{filepath.Join(u.inside, "node/node"), filepath.Join(u.inside, "session.mjs"),
		string(scenario)})
}

// tools runs a client that prints a JSON object with the tools, and counts these.
func (u *user) tools(ctx context.Context, words []string, env ...string) (int, error) {
	var stderr bytes.Buffer
	cmd := u.command(ctx, words, env...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var said struct{ Tools []any }
	if err == nil {
		err = json.Unmarshal(out, &said)
	}
	if err != nil {
		return 0, fmt.Errorf("%w\n%s%s", err, out, stderr.Bytes())
	}
	return len(said.Tools), nil
}

// An entry is a server in a file of JSON.
type entry struct {
	Command string
	Args    []string
	Env     map[string]string
}

// entry reads a server below a key of the host's file.
func (u *user) entry(h *host, key, server string) (e entry, err error) {
	text, err := os.ReadFile(u.file(h))
	if err != nil {
		return e, err
	}
	var all map[string]map[string]entry
	if err := json.Unmarshal(text, &all); err != nil {
		return e, err
	}
	e, ok := all[key][server]
	if !ok {
		err = fmt.Errorf("%s has no server %q", h.file, server)
	}
	return e, err
}

// goSDK starts the command of the entry by the Go SDK.
func goSDK(ctx context.Context, u *user, h *host, server string) (int, error) {
	e, err := u.entry(h, "mcpServers", server)
	if err != nil {
		return 0, err
	}
	var env []string
	for name, value := range e.Env {
		env = append(env, name+"="+value)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "hosts", Version: "1"}, nil)
	cmd := u.command(ctx, append([]string{e.Command}, e.Args...), env...)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return 0, err
	}
	defer session.Close()
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return 0, err
	}
	return len(tools.Tools), nil
}

// A state is the answer of Codex about its servers.
type state struct {
	ID     int
	Result struct {
		Data []struct {
			Name  string
			Tools map[string]any
		}
	}
}

// codex asks Codex's server for editors for the state of the servers, which it starts for that, without an account.
func codex(ctx context.Context, u *user, h *host) (connected []string, said string, err error) {
	cmd := u.command(ctx, []string{filepath.Join(u.modules(h), ".bin/codex"), "app-server"})
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, "", err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, "", err
	}
	_, err = in.Write([]byte(`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"hosts","version":"1"}}}
{"method":"initialized"}
{"id":2,"method":"mcpServerStatus/list","params":{}}
`))
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<24)
	for err == nil && said == "" && lines.Scan() {
		var s state
		if json.Unmarshal(lines.Bytes(), &s) != nil || s.ID != 2 {
			continue
		}
		said = lines.Text()
		for _, server := range s.Result.Data {
			if len(server.Tools) > 0 {
				connected = append(connected, server.Name)
			}
		}
	}
	u.reported(ctx, h) // Codex kills its servers when its input ends, maybe before a report is made
	in.Close()
	return connected, said, errors.Join(err, lines.Err(), cmd.Wait())
}
