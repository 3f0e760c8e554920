package layers

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

const everything = math.MaxUint32 // the last number of close_range(2)

// closeInherited closes every descriptor of init that the shim did not name: a write end of the shim's pipes, or of
// another launch's, would prevent the end of file by which init notices a dead shim. closeInherited also leaves the
// launcher's session and its terminal.
func closeInherited(b *build) {
	unnamed := fdTrees + b.extraFDs
	b.Do(sys.CloseRange(unnamed, everything, 0))
	closed := b.Ask(sys.Fcntl(sys.FD(unnamed), unix.F_GETFD, 0)).Returns(program.Errno(unix.EBADF))
	b.fact("unnamed descriptor", "EBADF", closed)
	b.Do(sys.Setsid())
	session := b.Ask(sys.Getsid(0))
	b.prove(func(c *check) { c.fact("session", provenInitPID(b.layout, c), c.result(session)) })
	if b.TTY {
		return
	}
	tty := b.Observe(sys.Openat(sys.CWD, "/dev/tty", unix.O_RDWR|unix.O_CLOEXEC, 0))
	b.prove(func(c *check) { proveNoTerminal(c, c.result(tty)) })
}

// proveNoTerminal demands that there is no controlling terminal; tty(4). Where a cgroup's BPF program forbids the open
// itself, as under systemd's DevicePolicy=strict, the new session is the proof.
func proveNoTerminal(c *check, opened string) {
	const name, want = "open /dev/tty", "ENXIO"
	if opened == "EPERM" || opened == "EACCES" {
		c.lacks(name, want, "what the launcher runs in forbids it: "+opened,
			"that there is no terminal is shown by the new session alone")
		return
	}
	c.fact(name, want, opened)
}

const (
	keyctlGetKeyringID = 0
	keyctlJoinSession  = 1
	keySpecSession     = -3
)

// keyring joins a new session keyring in place of the launcher's, which every process inherits; session-keyring(7).
// The keyring before is not asked for: a process without one is given that of its user namespace then, which takes two
// more of a user's 200 keys, /proc/sys/kernel/keys/maxkeys.
func keyring(b *build) {
	const name, want = "session keyring", "a fresh one"
	const effect = "the launcher's session keyring stays attached; the filter refuses keyctl to the server"
	if b.Machine.Kills(unix.SYS_KEYCTL) {
		b.lacks(name, want, "what the launcher runs in ends whoever calls keyctl, by SIGSYS", effect)
		return
	}
	join := b.Try(sys.Keyctl(keyctlJoinSession, 0, 0))
	after := b.Observe(sys.Keyctl(keyctlGetKeyringID, keySpecSession, 0))
	b.prove(func(c *check) {
		if e := c.Errno(join); e != 0 {
			c.lacks(name, want, "keyctl: "+e.Error(), effect)
			return
		}
		made, is := c.result(join), c.result(after)
		c.factIf(made == is && c.Errno(after) == 0 && is != "0", name, made, is)
	})
}

// closeDescriptors leaves the server standard input, output and error, and two descriptors that execve closes: one
// for the message that the process is ready, and one for its release.
type closeDescriptors struct{ proc *procMount }

const direntsSize = 4096

func (r closeDescriptors) layout(b *build) {
	const cloexec = "1"
	b.Do(sys.CloseRange(fdProgram, fdLifeline, 0))
	b.Do(sys.CloseRange(fdRelease+1, everything, 0))
	for _, fd := range []int{fdReady, fdRelease} {
		b.Do(sys.Fcntl(sys.FD(fd), unix.F_SETFD, unix.FD_CLOEXEC))
	}
	b.fact("close-on-exec of the wait's descriptors", cloexec, b.Ask(sys.Fcntl(sys.FD(fdReady), unix.F_GETFD, 0)))
	b.fact("close-on-exec of the release", cloexec, b.Ask(sys.Fcntl(sys.FD(fdRelease), unix.F_GETFD, 0)))
	// The folder gets number 3, which is free now.
	dir := b.Observe(sys.Openat(sys.CWD, "/proc/self/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0))
	dirents := b.Space(direntsSize)
	list := fileRead{b.Observe(sys.Getdents64(dir.Result(), dirents, direntsSize)), dirents}
	b.Step(sys.CloseRange(fdProgram, fdProgram, 0))
	b.prove(func(c *check) {
		if !r.proc.mounted(c) {
			c.lacks("descriptors", "0 1 2", "/proc is empty",
				"close_range closed the rest; the list could not be read back")
			return
		}
		c.fact("descriptors", "0 1 2, until execve 3 5 6", openDescriptors(c.bytesOf(list)))
	})
}

// openDescriptors lists the numbers that struct linux_dirent64 of /proc/self/fd name.
func openDescriptors(dirents []byte) string {
	names, ok := platform.ParseDirents(dirents)
	if !ok {
		return "a list that cannot be read"
	}
	var stay, closed []string
	for _, n := range names {
		switch n {
		case ".", "..":
		case "0", "1", "2":
			stay = append(stay, n)
		default:
			closed = append(closed, " "+n)
		}
	}
	if stay == nil {
		return "none"
	}
	return strings.Join(stay, " ") + ", until execve" + strings.Join(closed, "")
}

// umask sets the server's file mode creation mask.
type umask struct {
	cleared bool // an earlier row set the mask to 0
}

func (r umask) layout(b *build) {
	mask := b.umask()
	if r.cleared || mask != b.Machine.Umask {
		b.Do(sys.Umask(mask))
	}
	got := b.Observe(sys.Umask(mask)) // umask(2) returns the mask before
	b.prove(func(c *check) { c.fact("umask", octal(mask), octal(int(c.Value(got)))) })
}

const nullPath = "/dev/null"

// reopenNull opens a null device among the standard descriptors again, in the server's root, where its mount
// is read-only. Through the host's descriptor its owner, which a container's root is, could change its mode
// for the whole machine. Writing to a device needs no writable mount.
func reopenNull(b *build) {
	for fd := range b.Stdio {
		if !b.isNull(&b.Stdio[fd]) {
			continue
		}
		flags := b.Ask(sys.Fcntl(sys.FD(fd), unix.F_GETFL, 0))
		again := b.Do(sys.OpenatFlags(sys.CWD, nullPath, flags.Result()))
		b.Do(sys.Dup3(again.Result(), fd, 0)).Returns(program.Int(fd)).For(nullPath)
		chmod := b.Ask(sys.Fchmod(sys.FD(fd), 0o666)).Returns(program.Errno(unix.EROFS)).For(nullPath)
		b.fact("mode of the null device at "+strconv.Itoa(fd), "EROFS", chmod)
	}
}

// isNull reports whether a standard descriptor is the null device that the server's root has; null(4).
func (r *Request) isNull(s *Standard) bool {
	null := s.Is(unix.S_IFCHR) && s.Major == 1 && s.Minor == 3
	return null && slices.ContainsFunc(r.View.Nodes, func(n fsview.Node) bool {
		return n.Path == nullPath && n.Device && n.FileID == s.FileID
	})
}
