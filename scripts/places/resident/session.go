package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/security-mcp/mcp-sandbox/scripts/places/client"
	"github.com/security-mcp/mcp-sandbox/scripts/places/table"
)

// command is a server's.
func (r *resident) command(server string) []string {
	switch server {
	case "python":
		return []string{"/usr/bin/python3", "-B", r.path("servers/server-python/server.py")}
	case "node":
		return []string{"/usr/bin/node", r.path("servers/server-node/server.mjs")}
	case "java":
		return []string{"/usr/bin/java", "-cp", r.path("servers/server-java"), "Server"}
	}
	return []string{r.path("servers/server-go")}
}

// session is one with a confined server, and if it fails one with the same server alone.
func (r *resident) session(server string) (table.Session, error) {
	s := table.Session{Server: server}
	began := time.Now()
	command := r.command(server)
	l, err := r.launch(command)
	if err != nil {
		return s, err
	}
	tools, failed := r.talk(l.cmd)
	s.Launch, s.Tools, s.Seconds = l.reported(), tools, time.Since(began).Seconds()
	if failed == nil || s.Confinement == "" {
		return s, nil
	}
	s.Error = failed.Error()
	alone := exec.Command(command[0], command[1:]...)
	var stderr strings.Builder
	alone.Stderr = &stderr
	if _, err := r.talk(alone); err != nil {
		s.Alone = fmt.Sprintf("%v: %s", err, stderr.String())
	}
	return s, nil
}

// talk is a whole session.
func (r *resident) talk(cmd *exec.Cmd) (tools int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), r.timeout)
	defer cancel()
	return client.Talk(ctx, &mcp.CommandTransport{Command: cmd})
}
