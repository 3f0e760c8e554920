package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// startConfined is all that a Go host has to do: a policy, a command, and the plain exec.Cmd goes to the SDK.
func startConfined(ctx context.Context, st *stage) (*mcp.ClientSession, proof, error) {
	grant, err := json.Marshal(st.project)
	if err != nil {
		return nil, proof{}, err
	}
	pol, err := policy.Parse([]byte(`{"version": 1, "filesystem": {"allowWrite": [` + string(grant) + `]}}`))
	if err != nil {
		return nil, proof{}, err
	}
	sb, err := launcher.Command(ctx, pol, launcher.Target{Path: st.self, Args: []string{serveArg}})
	if err != nil {
		return nil, proof{}, err
	}
	var stderr bytes.Buffer // the report has the same, unless the launch is refused
	sb.Cmd.Stderr = &stderr
	session, connectErr := connect(ctx, sb.Cmd)
	if sb.Cmd.Process == nil { // never started: there would be no report
		sb.Close()
		return nil, proof{}, connectErr
	}
	report, err := sb.Report(ctx) // says more than a broken connection where the launch was refused
	if err == nil {
		err = connectErr
	}
	if err != nil {
		os.Stderr.Write(stderr.Bytes())
		return nil, proof{}, err
	}
	p := proof{Report: report, Proved: map[string]bool{}}
	for _, l := range report.Layers {
		p.Proved[string(l.Layer)] = l.State == order.Proved
	}
	return session, p, nil
}
