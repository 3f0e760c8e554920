package program

import (
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLineNames pins real calls, which print the same on every architecture.
func TestLineNames(t *testing.T) {
	p := New(small())
	p.Layer("root")
	fd := p.Do(Sys(unix.SYS_OPENAT, Int(unix.AT_FDCWD), Str("/usr"), Int(unix.O_PATH)))
	p.Do(Sys(unix.SYS_CLOSE, fd.Result()))
	absent := p.Ask(Sys(unix.SYS_STATX, Int(unix.AT_FDCWD), Str("/boot"), Int(0), Int(0), Ref(p.Space(256)))).Returns(Errno(syscall.ENOENT))
	p.Ask(Sys(unix.SYS_GETPID)).Returns(Errno(4000))
	p.ran(fd, 3)
	p.ran(absent, -int64(syscall.ENOENT))
	golden(t, "line-linux.golden", listing(p.Program, p.Copy()))
}
