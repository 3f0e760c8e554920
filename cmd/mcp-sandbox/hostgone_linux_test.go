package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// A leaving host is a shell that starts a launcher, and is killed while that installs.
type leaving struct {
	name, script string
	flags        []string
	terminal     bool
	stops        bool // the launcher is stopped before

	cmd      *exec.Cmd
	out, err bytes.Buffer
	launcher int
}

// begin starts the host.
func (l *leaving) begin(t *testing.T, u *user) {
	t.Helper()
	self, err := exec.LookPath("mcp-sandbox")
	if err != nil {
		t.Fatal(err)
	}
	words := append([]string{"-c", l.script, "sh", self, "run"}, l.flags...)
	l.cmd = exec.Command("/bin/sh", append(words, "--", "npx", "-y", l.name)...)
	l.cmd.Stdout, l.cmd.Stderr, l.cmd.WaitDelay = &l.out, &l.err, testbed.Patience()
	l.cmd.Env = append(os.Environ(), "AT="+filepath.Join(u.home, l.name))
	if l.terminal {
		master, slave, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer slave.Close()
		t.Cleanup(func() { master.Close() })
		l.cmd.Stdin, l.cmd.SysProcAttr = slave, &unix.SysProcAttr{Setsid: true, Setctty: true}
	}
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

// installing finds the launcher, which installs.
func (l *leaving) installing(t *testing.T, u *user) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(u.home, l.name))
	if _, bad := fmt.Sscan(string(text), &l.launcher); err != nil || bad != nil {
		t.Fatal(err, bad, l.err.String())
	}
	if l.stops {
		unix.Kill(l.launcher, unix.SIGSTOP)
	}
}

// A host that dies while its server is installed ends the install, however the launcher was started: no process of it is
// left, nothing half is in the store, and no server is started. With onHostExit ignore the install goes on.
func TestHostGoneInAnInstall(t *testing.T) {
	const plain = `"$@" & echo $! >"$AT"; wait`
	hosts := []*leaving{
		{name: "pipes", script: plain},
		{name: "session", script: `setsid ` + plain},
		{name: "terminal", script: plain, terminal: true},
		{name: "stopped", script: plain, stops: true},
		{name: "ignored", script: plain, flags: []string{"--on-host-exit", "ignore"}},
	}
	u := newUser(t)
	for _, h := range hosts {
		u.registry.Add(published(h.name, "1.0.0"))
	}
	silent := make(chan struct{}, len(hosts))
	u.registry.Behave(registrytest.Behaviour{Hang: registrytest.AmidArchive, Silent: func() { silent <- struct{}{} }})
	for _, h := range hosts {
		h.begin(t, u)
	}
	for range hosts {
		testbed.Receive(t, "a registry that has fallen silent for all", silent)
	}
	for _, h := range hosts {
		h.installing(t, u)
	}
	for _, h := range hosts {
		h.cmd.Process.Kill()
	}
	for _, h := range hosts {
		if h.flags != nil {
			if !testbed.Spared(t, h.launcher) {
				t.Errorf("%s: the launcher has ended: %s", h.name, h.err.String())
			}
			unix.Kill(h.launcher, unix.SIGTERM)
		}
		h.cmd.Wait() // all of the install has closed its standard error, as a process does before its end
		testbed.Await(t, h.name+": the launcher's end", func() bool {
			return unix.Kill(h.launcher, 0) != nil || testbed.State(h.launcher) == "Z"
		})
		if h.out.Len() > 0 || strings.Contains(h.err.String(), "installed npm") {
			t.Errorf("%s: %s%s", h.name, h.out.String(), h.err.String())
		}
		if !h.terminal && h.flags == nil && !strings.Contains(h.err.String(), "the host ended before its server was installed") {
			t.Errorf("%s: %s", h.name, h.err.String())
		}
	}
	left, err := filepath.Glob(filepath.Join(u.home, ".local/share/mcp-sandbox/store/*/*"))
	stages, bad := os.ReadDir(filepath.Join(u.home, ".local/share/mcp-sandbox/store/.stages"))
	if len(left) > 0 || len(stages) > 0 || err != nil || bad != nil {
		t.Error(left, stages, err, bad)
	}
}
