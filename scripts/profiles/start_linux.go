package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/profile"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// patience is how long a server may take for one answer.
const patience = 60 * time.Second

// A start is one start of a server.
type start struct {
	*session
	policy policy.Policy
	target launcher.Target
	stderr bytes.Buffer
	tools  []string
	said   []string // what the server answered to calls
	result *launcher.Result
	lacks  []testbed.Lack // of the machine; with one the confinement is to be reduced
}

// prepare makes the folder, the policy and the command of a start.
func (s *session) prepare(w *hostWorld) (*start, error) {
	dir, err := os.MkdirTemp(w.dir, "session-")
	if err != nil {
		return nil, err
	}
	home := filepath.Join(dir, "home")
	work := filepath.Join(home, "work") // a folder of the home, as a user's is
	if s, err = s.in(work); err != nil {
		return nil, err
	}
	err = errors.Join(os.Chmod(dir, 0o755), os.Setenv("XDG_STATE_HOME", filepath.Join(dir, "lasting")))
	for _, folder := range []string{home, work} {
		err = errors.Join(err, os.MkdirAll(folder, 0o777), os.Chmod(folder, 0o777))
	}
	for name, text := range s.Files {
		err = errors.Join(err, put(work, name, text))
	}
	if err != nil {
		return nil, err
	}
	return s.target(w, home, work)
}

// target is the start of the installed package, with its profile.
func (s *session) target(w *hostWorld, home, work string) (*start, error) {
	ready, err := s.installed()
	if err != nil {
		return nil, err
	}
	p, err := profile.For(s.line())
	if err != nil || p == nil {
		return nil, errors.Join(err, errors.New("there is no profile"))
	}
	pol := policy.Policy{Level: policy.Standard, MinConfinement: policy.Full}
	pol.Limits.Grace = policy.Duration(time.Second) // there are servers that stay when their input ends
	pol.Filesystem.AllowWrite, pol.Network.AllowedDomains = s.Grants, s.Domains
	path := ready.PathDir + ":" + os.Getenv("PATH")
	node, err := s.node()
	if err != nil {
		return nil, err
	}
	if node != "" {
		pol.Filesystem.AllowRead = []string{filepath.Dir(node)}
		path = filepath.Dir(node) + ":" + path
	}
	env := append(slices.Clone(ready.Env), "PATH="+path, "HOME="+home, "NODE_EXTRA_CA_CERTS="+w.caFile(),
		"SSL_CERT_FILE="+w.caFile())
	for name, value := range s.Env {
		env = append(env, name+"="+value)
	}
	applied, err := p.Apply(pol, s.Arguments, env, home, work)
	if err != nil {
		return nil, err
	}
	for _, n := range applied.Notices {
		return nil, errors.New("a notice: " + n.Line)
	}
	id := ready.Package
	return &start{session: s, policy: applied.Policy, target: launcher.Target{
		Path: ready.Command[0], Args: ready.Command[1:], Env: env, Dir: work, StdoutGuard: true,
		Profile: p.Package, Leads: applied.Leads,
		Package: &launcher.PackageID{Manager: id.Manager, Spec: s.Package + "@" + s.Version, Name: id.Name,
			Version: id.Version, Integrity: id.Integrity, Registry: id.Registry, Path: id.Path},
	}}, nil
}

// put makes a file below a folder, and the folders on the way; every user may write them, as that of the server does.
func put(dir, name, text string) error {
	above, _ := filepath.Split(name)
	for at := ""; ; {
		part, rest, more := strings.Cut(above, "/")
		if !more {
			break
		}
		at, above = filepath.Join(at, part), rest
		if err := os.Mkdir(filepath.Join(dir, at), 0o777); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		if err := os.Chmod(filepath.Join(dir, at), 0o777); err != nil {
			return err
		}
	}
	file := filepath.Join(dir, name)
	return errors.Join(os.WriteFile(file, []byte(text), 0o666), os.Chmod(file, 0o666))
}

// run has the session with the server, to its end. The error is that of the launch, of initialize or of tools/list;
// what is wrong with calls is in problems.
func (st *start) run(ctx context.Context) (problems []string, err error) {
	sb, err := launcher.Command(ctx, st.policy, st.target)
	if err != nil {
		return nil, err
	}
	defer sb.Close()
	sb.Cmd.Stderr = &st.stderr
	if len(st.lacks) > 0 {
		if err := (testbed.Machine{Lacks: st.lacks}).Apply(sb.Cmd); err != nil {
			return nil, err
		}
	}
	problems, err = st.talk(ctx, sb)
	ended, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	result, failed := sb.Wait(ended)
	if st.result = result; failed != nil {
		return problems, failed
	}
	return problems, err
}

// talk is what the client says.
func (st *start) talk(ctx context.Context, sb *launcher.Sandbox) (problems []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience+time.Duration(len(st.Calls))*patience)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "profiles", Version: "1"},
		&mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}) // no roots: servers go by their arguments
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: sb.Cmd}, nil)
	if err != nil {
		return nil, fmt.Errorf("initialize: %w", err)
	}
	defer session.Close()
	r, err := sb.Report(ctx)
	if err != nil {
		return nil, err
	}
	if weaker := len(st.lacks) > 0; weaker != (r.Confinement == string(policy.Reduced)) {
		problems = append(problems, "confinement "+r.Confinement)
	}
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("tools/list: %w", err)
	}
	if len(tools.Tools) == 0 {
		problems = append(problems, "tools/list has no tool")
	}
	for _, t := range tools.Tools {
		st.tools = append(st.tools, t.Name)
	}
	for _, c := range st.Calls {
		if c.Resource != "" {
			read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: c.Resource})
			problems = append(problems, st.hear(c.Resource, c.Text, read, err != nil, err)...)
			continue
		}
		if !slices.Contains(st.tools, c.Tool) {
			problems = append(problems, "there is no tool "+c.Tool)
			continue
		}
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: c.Tool, Arguments: c.Arguments})
		problems = append(problems, st.hear(c.Tool, c.Text, result, err != nil || result.IsError, err)...)
	}
	return problems, nil
}

// hear takes note of a result, which has to hold the wanted text, and is no error then.
func (st *start) hear(of, want string, result any, failed bool, err error) (problems []string) {
	text, _ := json.Marshal(result)
	st.said = append(st.said, fmt.Sprintf("%s: %v %.400s", of, err, text))
	if want != "" && (failed || !strings.Contains(string(text), want)) {
		problems = append(problems, fmt.Sprintf("%s: %v %s", of, err, text))
	}
	return problems
}
