package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A rig is one way from a client to the server: the client, waiting for acts, and what stands between.
type rig struct {
	name string
	in   io.WriteCloser
	out  *bufio.Reader
	cmd  *exec.Cmd
	took map[string][]time.Duration // of each act
}

// The rigs that others are compared with.
const (
	rigDirect  = "direct loopback"
	rigRelay   = "splice relay in C"
	rigSandbox = "mcp-sandbox"
	rigReduced = "mcp-sandbox, reduced"
)

// patience is how long a rig has until its first line.
const patience = 10 * time.Second

// begin starts a program in a session of its own, which is a group of the scheduler's, and waits for its first line.
func begin(name string, cmd *exec.Cmd) (*rig, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if cmd.Stderr == nil {
		cmd.Stderr = os.Stderr
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r := &rig{name: name, cmd: cmd, in: in, out: bufio.NewReader(out), took: map[string][]time.Duration{}}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	late := time.AfterFunc(patience, r.kill)
	defer late.Stop()
	if line, err := r.out.ReadString('\n'); line != "<nil>\n" {
		r.kill()
		r.end()
		return nil, fmt.Errorf("%s: %q, %w", name, line, err)
	}
	return r, nil
}

// ask has the client make an act.
func (r *rig) ask(act string, many, size int) (time.Duration, error) {
	if _, err := fmt.Fprintln(r.in, act, many, size); err != nil {
		return 0, err
	}
	line, err := r.out.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("%s: %s: %w", r.name, act, err)
	}
	ns, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %s", r.name, line)
	}
	return time.Duration(ns), nil
}

// end ends the client, which reads its standard input.
func (r *rig) end() {
	r.in.Close()
	late := time.AfterFunc(5*time.Second, r.kill)
	r.cmd.Wait()
	late.Stop()
}

// kill kills the program and what it started in its session's first group.
func (r *rig) kill() { syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) }

// rigs starts all of them.
func (b *bench) rigs() (all []*rig, err error) {
	self := b.path("host")
	client := func(words ...string) *exec.Cmd {
		return b.command(self, append([]string{clientArg}, words...)...)
	}
	policy := b.path("site.json")
	doc := fmt.Sprintf(`{"version":1,"network":{"allowedDomains":["%s:%d"]}}`, siteName, sitePort)
	if err := os.WriteFile(policy, []byte(doc), 0o644); err != nil {
		return nil, err
	}
	sandboxed := func(least string) *exec.Cmd {
		return b.init("--policy", policy, "--min-confinement", least, "--", self, clientArg, siteName)
	}
	for _, start := range []func() (*rig, error){
		func() (*rig, error) { return begin(rigDirect, client(siteAt)) },
		func() (*rig, error) { return begin(rigRelay, client(relayAt)) },
		func() (*rig, error) {
			return begin(rigSandbox, sandboxed("full"))
		},
		func() (*rig, error) {
			c := sandboxed("reduced")
			if err := (testbed.Machine{Lacks: []testbed.Lack{testbed.NoUserNamespaces}}).Apply(c); err != nil {
				return nil, err
			}
			return begin(rigReduced, c)
		},
	} {
		r, err := start()
		if err != nil {
			for _, r := range all {
				r.end()
			}
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}
