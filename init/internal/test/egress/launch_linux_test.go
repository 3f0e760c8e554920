package egress_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// network is section network of a policy.
type network struct {
	Allowed  []string `json:"allowedDomains,omitempty"`
	Denied   []string `json:"deniedDomains,omitempty"`
	Private  bool     `json:"allowPrivate,omitempty"`
	AnyNames *bool    `json:"checkServerName,omitempty"`
}

// A launch is what a test asks for. The zero one may reach nothing.
type launch struct {
	host.Launch
	network
	in     confinement // that it must come to; zero: any
	Level  string
	Least  string            // minConfinement
	Env    map[string]string // of the policy
	Given  []string          // to the launcher's environment, NAME=VALUE
	Limits map[string]any
	Grant  []string       // readable in addition
	Deny   []string       // system calls
	Prefix []string       // the command that starts the launcher with the words behind it
	lacks  []testbed.Lack // of the machine
}

// policy is the document, made of these fields where Policy has none.
func (l launch) policy(t *testing.T) string {
	t.Helper()
	if l.Policy != "" {
		return l.Policy
	}
	doc := map[string]any{"version": 1, "network": l.network, "filesystem": map[string]any{"allowRead": append(l.Grant, testbed.Self(t, "client"))}}
	if len(l.Deny) > 0 {
		doc["seccomp"] = map[string]any{"deny": l.Deny}
	}
	for key, value := range map[string]any{"level": l.Level, "minConfinement": l.Least, "env": l.Env, "limits": l.Limits} {
		if text, _ := json.Marshal(value); !slices.Contains([]string{`""`, "null"}, string(text)) {
			doc[key] = value
		}
	}
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// An ended launch.
type ended struct {
	*host.Run
	Results []result
	Denied  []denied
	Counts  []denied // of the last line
	Egress  []flow
}

// denied is a record of something refused, of the network's kinds.
type denied struct {
	Event, Layer, Kind, Flag, Host, Address, Asked, Path, Errno string
	Port, Count                                                 int64
}

// String has what is set.
func (d denied) String() string {
	b, _ := json.Marshal(map[string]any{"kind": d.Kind, "host": d.Host, "address": d.Address, "port": d.Port, "asked": d.Asked,
		"errno": d.Errno, "flag": d.Flag, "count": d.Count})
	return string(b)
}

// flow is how much went where.
type flow struct {
	Host                              string
	Port, Connections, Sent, Received int64
}

// act is one act of the client.
func act(words ...string) string {
	b, _ := json.Marshal(words)
	return string(b)
}

// cmd is a launcher with a command that is not started yet.
func (l launch) cmd(t *testing.T, command ...string) *exec.Cmd {
	t.Helper()
	l.Policy, l.Command = l.policy(t), command
	l.Launch.Env = host.Env(t, append([]string{"PATH=/usr/local/bin:/usr/bin:/bin"}, l.Given...)...)
	cmd := l.Cmd(t)
	if len(l.Prefix) > 0 {
		cmd.Path, cmd.Args = l.Prefix[0], append(slices.Clone(l.Prefix), append([]string{testbed.Self(t, "client")}, cmd.Args...)...)
	}
	l.put(t, cmd)
	return cmd
}

// put has the launcher run on the machine that lacks what the test says.
func (l launch) put(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if lacks := slices.Concat(l.lacks, l.in.lacks); len(lacks) > 0 {
		testbed.Machine{Lacks: lacks}.Put(t, cmd)
	}
}

// acts has the client make acts in a sandbox. Each must leave a result.
func (l launch) acts(t *testing.T, acts ...string) *ended {
	t.Helper()
	e := l.command(t, append([]string{testbed.Self(t, "client"), clientIs}, acts...)...)
	e.Results = results(t, &e.Stdout)
	if len(e.Results) != len(acts) || e.Code != 0 {
		t.Fatalf("code %d, %d results of %d acts: %v\n%s%s", e.Code, len(e.Results), len(acts), e.Results, e.Lines, &e.Stderr)
	}
	return e
}

// command has a command run in a sandbox to its end.
func (l launch) command(t *testing.T, command ...string) *ended {
	t.Helper()
	return l.over(t, host.Start(t, l.cmd(t, command...)))
}

// startRefused has a launch that must not come about.
func startRefused(t *testing.T, l launch) *host.Run {
	t.Helper()
	run := host.Finish(t, l.cmd(t, "/bin/echo", "ran"))
	if strings.Contains(run.Stdout.String(), "ran") {
		t.Error("the server ran")
	}
	return run
}

// over waits for the end of a launch.
func (l launch) over(t *testing.T, run *host.Run) *ended {
	t.Helper()
	run.Wait()
	e := &ended{Run: run}
	for _, line := range run.Lines {
		var last struct {
			Event  string
			Denied []denied
			Egress []flow
		}
		var one denied
		if err := json.Unmarshal(line, &last); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		switch last.Event {
		case "denied":
			if err := json.Unmarshal(line, &one); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			e.Denied = append(e.Denied, one)
		case "exited":
			e.Counts, e.Egress = last.Denied, last.Egress
		case "refused":
			t.Fatalf("%s\n%s", line, &run.Stderr)
		}
	}
	if got := string(e.Enforced.Confinement); l.in.name != "" && got != l.in.name {
		t.Errorf("the confinement is %s, want %s", got, l.in.name)
	}
	return e
}

// outside has the client make acts without a sandbox: the control.
func outside(t *testing.T, env []string, acts ...string) []result {
	t.Helper()
	cmd := exec.Command(testbed.Self(t, "client"), append([]string{clientIs}, acts...)...)
	cmd.Env = append(env, testbed.NoWait)
	text, err := cmd.Output()
	all := results(t, bytes.NewBuffer(text))
	if err != nil || len(all) != len(acts) {
		t.Fatalf("control: %v, %s", err, text)
	}
	return all
}

func results(t *testing.T, from *bytes.Buffer) (all []result) {
	t.Helper()
	for d := json.NewDecoder(from); d.More(); {
		var r result
		if err := d.Decode(&r); err != nil {
			t.Fatalf("no result: %v", err)
		}
		all = append(all, r)
	}
	return all
}

// lines are the launcher's own on standard error, but for the one that names a weaker confinement.
func (e *ended) lines() (all []string) {
	for line := range strings.Lines(e.Stderr.String()) {
		if text, ok := strings.CutPrefix(line, "mcp-sandbox: "); ok && !strings.HasPrefix(text, "confinement ") {
			all = append(all, strings.TrimSuffix(text, "\n"))
		}
	}
	return all
}

// told demands a record of a kind whose fields that are set here are these, and returns it.
func (e *ended) told(t *testing.T, want denied) denied {
	t.Helper()
	or := func(got, want string) bool { return want == "" || got == want }
	for _, d := range e.Denied {
		if d.Event == "denied" && d.Layer == "network" && d.Kind == want.Kind && or(d.Host, want.Host) && or(d.Flag, want.Flag) &&
			or(d.Address, want.Address) && or(d.Asked, want.Asked) && or(d.Errno, want.Errno) && (want.Port == 0 || d.Port == want.Port) {
			return d
		}
	}
	t.Errorf("no record of %s in %s", want, e.Denied)
	return denied{}
}
