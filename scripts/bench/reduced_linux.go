package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// First arguments of this program: forbidArg makes it execute another program where user namespaces are forbidden, and
// launcherArg makes it start mcp-sandbox-init once for each line it reads.
const (
	forbidArg   = "-without-user-namespaces"
	launcherArg = "-as-launcher"
)

// forbidden is a command where user namespaces are forbidden: in one whose sysctl says so. The rest of the machine sees
// nothing of it.
func (b *bench) forbidden(words ...string) *exec.Cmd {
	c := b.command(b.path("host"), append([]string{forbidArg}, words...)...)
	if c.SysProcAttr == nil {
		c.SysProcAttr = new(syscall.SysProcAttr)
	}
	a, uid, gid := c.SysProcAttr, os.Getuid(), os.Getgid()
	if b.cred != nil {
		uid, gid = int(b.cred.Uid), int(b.cred.Gid)
		a.Credential = &syscall.Credential{Uid: b.cred.Uid, Gid: b.cred.Gid, NoSetGroups: true}
	}
	a.Cloneflags = unix.CLONE_NEWUSER
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	a.AmbientCaps = []uintptr{unix.CAP_SYS_RESOURCE} // which the sysctl takes; the execve takes it away again
	return c
}

// forbid is what it does there first.
func forbid(words []string) error {
	runtime.LockOSThread()
	if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	return unix.Exec(words[0], words, os.Environ())
}

// startReporting starts a command and returns the pipe that is its descriptor 3.
func startReporting(c *exec.Cmd) (report *os.File, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	c.ExtraFiles = []*os.File{w}
	if err := c.Start(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// reported is a launch by mcp-sandbox-init whose report is read.
func reported(c *exec.Cmd, want policy.Confinement) error {
	c.Args = append(c.Args, "--report-fd", "3", "--", target)
	r, err := startReporting(c)
	if err != nil {
		return err
	}
	defer r.Close()
	report, err := io.ReadAll(r)
	if err == nil && !bytes.Contains(report, []byte(`"confinement":"`+want+`"`)) {
		err = fmt.Errorf("not confinement %s: %s", want, report)
	}
	if ended := c.Wait(); err == nil {
		err = ended
	}
	return err
}
