package confine

import (
	"math"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// closeInherited closes every descriptor of init that the shim did not name: a write end of the shim's pipes, or of
// another launch's, would keep away the end of file by which a dead shim is noticed. It also leaves the launcher's
// session, and with it the terminal.
type closeInherited struct {
	closed  program.Op
	session program.Op
	tty     program.Op
}

const (
	keyctlGetKeyringID = 0
	keyctlJoinSession  = 1
	keySpecSession     = -3
	everything         = math.MaxUint32
)

func (r *closeInherited) ops(b *build) {
	unnamed := fdTrees + b.launch.extraFDs
	b.Do(sys.CloseRange(unnamed, everything, 0))
	r.closed = b.Ask(sys.Fcntl(sys.FD(fdTrees+b.launch.extraFDs), unix.F_GETFD, 0)).Returns(program.Errno(unix.EBADF))
	b.Do(sys.Setsid())
	r.session = b.Ask(sys.Getsid(0))
	if !b.TTY {
		r.tty = b.Observe(sys.Openat(sys.CWD, "/dev/tty", unix.O_RDWR|unix.O_CLOEXEC, 0))
	}
}

func (r *closeInherited) check(c *check) {
	c.fact("unnamed descriptor", "EBADF", c.result(r.closed))
	c.fact("session", c.initPID(), c.result(r.session))
	if !c.TTY {
		r.terminal(c)
	}
}

// terminal demands that there is no controlling terminal; tty(4). Where a cgroup's BPF program forbids the open
// itself, as under systemd's DevicePolicy=strict, the new session is the proof.
func (r *closeInherited) terminal(c *check) {
	const name, want = "open /dev/tty", "ENXIO"
	got := c.result(r.tty)
	if got == "EPERM" || got == "EACCES" {
		c.lacks(name, want, "what the launcher runs in forbids it: "+got,
			"that there is no terminal is shown by the new session alone")
		return
	}
	c.fact(name, want, got)
}

// keyring joins a new session keyring in place of the launcher's, which every process inherits; session-keyring(7).
type keyring struct {
	before, after program.Op
	join          program.Op
}

func (r *keyring) ops(b *build) {
	if b.Machine.Kills(unix.SYS_KEYCTL) {
		return
	}
	id := sys.Keyctl(keyctlGetKeyringID, keySpecSession, 0)
	r.before = b.Observe(id)
	r.join = b.Try(sys.Keyctl(keyctlJoinSession, 0, 0))
	r.after = b.Observe(id)
}

func (r *keyring) check(c *check) {
	const effect = "the launcher's session keyring stays attached; the filter refuses keyctl to the server"
	if c.Machine.Kills(unix.SYS_KEYCTL) {
		c.lacks("session keyring", "a fresh one",
			"what the launcher runs in ends whoever calls keyctl, by SIGSYS", effect)
		return
	}
	if e := c.Errno(r.join); e != 0 {
		c.lacks("session keyring", "a fresh one", "keyctl: "+e.Error(), effect)
		return
	}
	before, after := c.result(r.before), c.result(r.after)
	c.factIf(before != after && c.Errno(r.after) == 0, "session keyring", "not "+before, after)
}

// closeDescriptors leaves the server standard input, output and error, and two descriptors that execve closes: the
// process tells the shim by one that it is ready, and waits for its release by the other.
type closeDescriptors struct {
	proc           *procMount
	ready, release program.Op
	list           program.Op
	entries        program.Addr
}

const entriesSize = 4096

func (r *closeDescriptors) ops(b *build) {
	b.Do(sys.CloseRange(fdProgram, fdLifeline, 0))
	b.Do(sys.CloseRange(fdRelease+1, everything, 0))
	for _, fd := range []int{fdReady, fdRelease} {
		b.Do(sys.Fcntl(sys.FD(fd), unix.F_SETFD, unix.FD_CLOEXEC))
	}
	r.ready = b.Ask(sys.Fcntl(sys.FD(fdReady), unix.F_GETFD, 0))
	r.release = b.Ask(sys.Fcntl(sys.FD(fdRelease), unix.F_GETFD, 0))
	// The folder gets number 3, which is free now.
	dir := b.Observe(sys.Openat(sys.CWD, "/proc/self/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0))
	r.entries = b.Space(entriesSize)
	r.list = b.Observe(sys.Getdents64(dir.Result(), r.entries, entriesSize))
	b.Step(sys.CloseRange(fdProgram, fdProgram, 0))
}

func (r *closeDescriptors) check(c *check) {
	const cloexec = "1"
	c.fact("close-on-exec of the wait's descriptors", cloexec, c.result(r.ready))
	c.fact("close-on-exec of the release", cloexec, c.result(r.release))
	if !r.proc.mounted(c) {
		c.lacks("descriptors", "0 1 2", "/proc is empty",
			"close_range closed the rest; the list could not be read back")
	} else {
		c.fact("descriptors", "0 1 2, until execve 3 5 6", c.descriptors(r))
	}
}

// umask sets the server's file mode creation mask.
type umask struct {
	cleared bool // an earlier row set the mask to 0
	got     program.Op
}

func (r *umask) ops(b *build) {
	mask := b.umask()
	if r.cleared || mask != b.Machine.Umask {
		b.Do(sys.Umask(mask))
	}
	r.got = b.Observe(sys.Umask(mask)) // umask(2) returns the mask before
}

func (r *umask) check(c *check) { c.fact("umask", octal(c.umask()), octal(int(c.Value(r.got)))) }

func (c *check) descriptors(r *closeDescriptors) string {
	names, ok := platform.ParseDirents(c.Filled(r.list, r.entries))
	if !ok {
		return "a list that cannot be read"
	}
	stay, go_ := "", ""
	for _, n := range names {
		switch n {
		case ".", "..":
		case "0", "1", "2":
			stay += " " + n
		default:
			go_ += " " + n
		}
	}
	if stay == "" {
		return "none"
	}
	return stay[1:] + ", until execve" + go_
}
