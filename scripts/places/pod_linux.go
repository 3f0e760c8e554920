package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/security-mcp/mcp-sandbox/scripts/places/client"
	"github.com/security-mcp/mcp-sandbox/scripts/places/manifest"
	"github.com/security-mcp/mcp-sandbox/scripts/places/table"
	"github.com/security-mcp/mcp-sandbox/scripts/stage"
)

const document = "docs/deployment.md" // below the checkout, which is the working folder

// pod starts one of the document's Pods: its init container, and then its server with a client, or a resident in the
// server's place.
func (e *engine) pod(ctx context.Context, p *table.Place) (a table.Account) {
	m, err := manifest.Read(document, cmp.Or(p.Own, "mcp-server"), p.Args...)
	var folder string
	if err == nil {
		folder, err = os.MkdirTemp(e.work, "pod-")
	}
	var token string
	if err == nil {
		token, m.Secret, err = e.token(ctx)
	}
	if err == nil {
		err = errors.Join(m.Volumes(folder), e.application(folder))
	}
	if err == nil {
		err = e.bring(ctx, m, folder)
	}
	if err != nil {
		a.Problem = err.Error()
		return a
	}
	c := &m.Pod.Spec.Containers[0]
	flags, err := m.Flags(c, folder)
	if err != nil {
		a.Problem = err.Error()
		return a
	}
	if p.Own == "" {
		there := *p
		there.Args = flags
		return e.try(ctx, &there)
	}
	ctx, cancel := context.WithTimeout(ctx, containerTime)
	defer cancel()
	var stderr strings.Builder
	flags = append(flags, "--volume", filepath.Join(folder, "application")+":/app:ro")
	s := table.Session{Server: "node"}
	if c.Stdin {
		cmd := e.own(ctx, c, flags)
		cmd.Stderr = &stderr
		s.Tools, err = client.Talk(ctx, &mcp.CommandTransport{Command: cmd})
	} else {
		err = served{e, m, &s}.try(ctx, flags, token)
	}
	if s.Stderr += stderr.String(); err != nil {
		s.Error = err.Error()
	}
	a.Sessions = []table.Session{s}
	return a
}

// bring runs the init container, whose image has the programs.
func (e *engine) bring(ctx context.Context, m *manifest.Manifest, folder string) error {
	for i := range m.Pod.Spec.InitContainers {
		c := &m.Pod.Spec.InitContainers[i]
		flags, err := m.Flags(c, folder)
		if err != nil {
			return err
		}
		flags = append(flags, "--volume", filepath.Join(e.stage, "bin")+":/usr/local/bin:ro")
		if err := stage.Run(e.own(ctx, c, flags)); err != nil {
			return err
		}
	}
	return nil
}

// own is a container with its own command.
func (e *engine) own(ctx context.Context, c *manifest.Container, flags []string) *exec.Cmd {
	return e.container(ctx, flags, slices.Concat([]string{image(false)}, c.Command, c.Args)...)
}

// application makes what the image of the document's server has in /app.
func (e *engine) application(folder string) error {
	dir := filepath.Join(folder, "application")
	text, err := os.ReadFile(filepath.Join(e.stage, "servers", "server-node", "server.mjs"))
	if err != nil {
		return err
	}
	return errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "index.js"), text, 0o644),
		os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type": "module"}`), 0o644))
}
