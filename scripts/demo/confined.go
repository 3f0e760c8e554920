package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

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
	sb.Cmd.Stderr = os.Stderr
	session, connectErr := connect(ctx, sb.Cmd)
	if sb.Cmd.Process == nil { // never started: nobody would report
		sb.Close()
		return nil, proof{}, connectErr
	}
	report, err := sb.Report(ctx) // says more than a broken connection where the launch was refused
	if err != nil {
		return nil, proof{}, err
	}
	if connectErr != nil {
		return nil, proof{}, connectErr
	}
	p := proof{Proved: map[string]bool{}}
	var proved, rest []string
	for _, l := range report.Layers {
		if l.State == order.Proved {
			p.Proved[string(l.Layer)] = true
			proved = append(proved, string(l.Layer))
			continue
		}
		rest = append(rest, strings.TrimSuffix(fmt.Sprintf("%s %s: %s", l.Layer, l.State, l.Reason), ": "))
	}
	p.Line = fmt.Sprintf("confinement %s (level %s): proved %s", report.Confinement, report.Level, strings.Join(proved, " "))
	if len(rest) > 0 {
		p.Line += "; " + strings.Join(rest, "; ")
	}
	return session, p, nil
}
