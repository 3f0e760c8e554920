package launcher_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// The errno of a refusal survives the way from the shim, and the server has not run.
func TestRefusedLaunch(t *testing.T) {
	missing := filepath.Join(testbed.Scratch(t), "missing")
	for _, c := range []struct {
		name   string
		policy policy.Policy
		target launcher.Target
		layer  order.Layer
		is     error
		code   int
	}{
		{"grant", policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{missing}}}, launcher.Target{Path: "/bin/true"},
			order.Policy, unix.ENOENT, 125},
		{"command", policy.Policy{}, launcher.Target{Path: missing}, order.Exec, fs.ErrNotExist, 127},
		{"lookup", policy.Policy{}, launcher.Target{Path: "no-such-command", Env: []string{"PATH=/usr/bin"}}, order.Exec, nil, 127},
		{"executable", policy.Policy{}, launcher.Target{Path: "/etc/passwd"}, order.Exec, nil, 126},
	} {
		t.Run(c.name, func(t *testing.T) {
			sb, err := launcher.Command(within(t), c.policy, c.target)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			sb.Cmd.Stdout = &out
			err = sb.Cmd.Run()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != c.code || out.Len() > 0 {
				t.Errorf("%v, want status %d; said %q", err, c.code, out.String())
			}
			_, first := sb.Report(within(t))
			_, second := sb.Wait(within(t))
			for _, err := range []error{first, second} {
				var e *launcher.Error
				if !errors.As(err, &e) || e.Layer != c.layer || c.is != nil && !errors.Is(err, c.is) {
					t.Errorf("%#v", err)
				}
			}
		})
	}
}

// What would be another program or another word than the host has written is an error of Command.
func TestRefusedTargets(t *testing.T) {
	for want, target := range map[string]launcher.Target{
		"no absolute path": {Path: "/bin/true", Shim: "mcp-sandbox-init"},
		"absolute path":    {Path: "/bin/true", Shim: "./mcp-sandbox-init"},
		"a NUL":            {Path: "/bin/true", Args: []string{"a\x00b"}},
		"a NUL in":         {Path: "/bin/true\x00"},
	} {
		_, err := launcher.Command(within(t), policy.Policy{}, target)
		var e *launcher.Error
		if !errors.As(err, &e) || e.Layer != order.Policy || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", target, err)
		}
	}
}

// A host that never asks is no less confined.
func TestNobodyAsks(t *testing.T) {
	var out bytes.Buffer
	sb := command(t, within(t), `while read name value rest; do case $name in CapEff:|CapBnd:|NoNewPrivs:|Seccomp:) echo $name $value; esac; done </proc/self/status; [ -e `+testbed.Scratch(t)+` ] && echo seen; echo $$`)
	sb.Cmd.Stdout = &out
	if err := sb.Cmd.Run(); err != nil {
		t.Fatal(err)
	}
	const want = "CapEff: 0000000000000000\nCapBnd: 0000000000000000\nNoNewPrivs: 1\nSeccomp: 2\n2\n"
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}

// What is wrong with a policy is told before anything is started.
func TestPolicyErrors(t *testing.T) {
	for name, p := range map[string]policy.Policy{
		"/level":                   {Level: "loose"},
		"/filesystem/allowRead/0":  {Filesystem: policy.Filesystem{AllowRead: []string{"/a*"}}},
		"/network/allowedDomains":  {Network: policy.Network{AllowedDomains: []string{"example.com:53"}}},
		"/filesystem/allowWrite/0": {Filesystem: policy.Filesystem{AllowWrite: []string{"/"}}},
		"/limits/openFiles":        {Limits: policy.Limits{OpenFiles: -7}},
		"/umask":                   {Umask: "9"},
		"/network/publish/0":       {Network: policy.Network{Publish: []string{"3000"}}},
		"/filesystem/denyWrite/0":  {Filesystem: policy.Filesystem{DenyWrite: []string{""}}},
		"/env/A=…":                 {Env: []policy.Variable{{Name: "A=B"}}},
	} {
		_, err := launcher.Command(t.Context(), p, launcher.Target{Path: "/bin/true"})
		var e *launcher.Error
		var errs policy.Errors
		if !errors.As(err, &e) || e.Layer != order.Policy || !errors.As(err, &errs) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := launcher.Command(t.Context(), policy.Policy{}, launcher.Target{}); err == nil {
		t.Error("no command")
	}
}
