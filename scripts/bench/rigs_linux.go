package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A rig is one way from a client to the server: the client, waiting for acts, and what stands between.
type rig struct {
	name    string
	in      io.WriteCloser
	out     *bufio.Reader
	cmd     *exec.Cmd
	helpers []*rig                     // what stands between, ended after the client
	took    map[string][]time.Duration // of each act
}

// The rigs that others are compared with.
const (
	rigDirect  = "direct loopback"
	rigRelay   = "splice relay in C"
	rigSandbox = "mcp-sandbox"
	rigProxy   = "CONNECT proxy"
	rigBridged = "CONNECT proxy behind socat and bubblewrap"
	rigSlirp   = "slirp4netns"
	rigPasta   = "pasta"
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

// end ends the client, which reads its standard input, and what stood between, which is killed.
func (r *rig) end() {
	r.in.Close()
	late := time.AfterFunc(5*time.Second, r.kill)
	r.cmd.Wait()
	late.Stop()
	for _, h := range r.helpers {
		h.kill()
		h.end()
	}
}

// kill kills the program and what it started in its session's first group.
func (r *rig) kill() { syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) }

// with gives the rig a program that stands between, and ends with it.
func (r *rig) with(helper *rig, err error) (*rig, error) {
	if err != nil {
		r.end()
		return nil, err
	}
	r.helpers = append(r.helpers, helper)
	return r, nil
}

// errForeign is of a program that does not run on this machine, or not in the world's network.
var errForeign = errors.New("not to be had here")

// A rigger starts rigs.
type rigger struct{ *bench }

// rigs starts all of them. What is not installed has no row.
func (b rigger) rigs() (all []*rig, err error) {
	self := b.path("host")
	client := func(words ...string) *exec.Cmd {
		return b.command(self, append([]string{clientArg}, words...)...)
	}
	policy := b.path("site.json")
	doc := fmt.Sprintf(`{"version":1,"minConfinement":"full","network":{"allowedDomains":["%s:%d"]}}`,
		siteName, sitePort)
	if err := os.WriteFile(policy, []byte(doc), 0o644); err != nil {
		return nil, err
	}
	for _, start := range []func() (*rig, error){
		func() (*rig, error) { return begin(rigDirect, client(siteAt)) },
		func() (*rig, error) { return begin(rigRelay, client(relayAt)) },
		func() (*rig, error) {
			return begin(rigSandbox, b.init("--policy", policy, "--", self, clientArg, siteName))
		},
		func() (*rig, error) { return begin(rigProxy, client(siteAt, proxyAt)) },
		func() (*rig, error) { return b.bridged(client(siteAt, "127.0.0.1:3128")) },
		func() (*rig, error) { return b.slirp(client(siteAt)) },
		func() (*rig, error) { return b.pasta(client(siteAt)) },
	} {
		r, err := start()
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, errForeign) {
			fmt.Fprintln(os.Stderr, "bench: without a row:", err)
			continue
		}
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

// bridged is the proxy as Anthropic's sandbox-runtime uses it on Linux: the client in a network namespace without a way
// out, a socat there and one outside, between them a Unix socket.
func (b rigger) bridged(client *exec.Cmd) (*rig, error) {
	for _, name := range []string{"socat", "bwrap"} {
		if _, err := exec.LookPath(name); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp("/var/tmp", "mcp-sandbox-bench-bridge-")
	if err != nil {
		return nil, err
	}
	b.folders = append(b.folders, dir)
	if err := os.Chmod(dir, 0o777); err != nil {
		return nil, err
	}
	outside, err := begin("socat", b.command("/bin/sh", "-c",
		`socat UNIX-LISTEN:"$0",fork,reuseaddr TCP:`+proxyAt+` & until [ -S "$0" ]; do sleep 0.01; done
		echo "<nil>"; wait`,
		dir+"/proxy"))
	if err != nil {
		return nil, err
	}
	const inside = `socat TCP-LISTEN:3128,fork,reuseaddr UNIX-CONNECT:"$0" &
until socat -u OPEN:/dev/null TCP:127.0.0.1:3128 2>/dev/null; do sleep 0.01; done
"$@"; kill $!`
	words := append([]string{"--unshare-net", "--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/",
		"/bin/sh", "-c", inside, dir + "/proxy"}, client.Args...)
	r, err := begin(rigBridged, b.command("bwrap", words...))
	if err != nil {
		outside.kill()
		outside.end()
		return nil, err
	}
	return r.with(outside, nil)
}

// slirp is a client in a network namespace that slirp4netns serves, with the greatest packets, as podman has it.
func (b rigger) slirp(client *exec.Cmd) (*rig, error) {
	path, err := exec.LookPath("slirp4netns")
	if err != nil {
		return nil, err
	}
	if client.SysProcAttr == nil {
		client.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	}
	client.SysProcAttr.Cloneflags |= syscall.CLONE_NEWNET
	r, err := begin(rigSlirp, client)
	if err != nil {
		return nil, err
	}
	ready := exec.Command("/bin/sh", "-c", `"$0" --configure --mtu=65520 --disable-host-loopback --ready-fd=3 \
		"$1" tap0 \
	3>&1 >/dev/null 2>&1 | { head -c 1 >/dev/null; echo "<nil>"; cat; }`, path, strconv.Itoa(r.cmd.Process.Pid))
	helper, err := begin(rigSlirp, ready)
	if err != nil {
		err = fmt.Errorf("%w: %w", errForeign, err)
	}
	return r.with(helper, err)
}

// pasta is a client in the namespaces that pasta makes for it.
func (b rigger) pasta(client *exec.Cmd) (*rig, error) {
	path, err := exec.LookPath("pasta")
	if err != nil {
		return nil, err
	}
	words := append([]string{"--quiet", "--config-net", "--ipv4-only", "--mtu", "65520", "--address", "10.0.2.15",
		"--netmask", "24", "--gateway", "10.0.2.2", "--interface", "lo", "--mac-addr", "9a:55:9a:55:9a:55", "--"},
		client.Args...)
	r, err := begin(rigPasta, b.command(path, words...))
	if err != nil {
		err = fmt.Errorf("%w: %w", errForeign, err)
	}
	return r, err
}
