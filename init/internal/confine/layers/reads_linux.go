package layers

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/cgroup"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Evidence is the results of a launch while the server's process waits for its release.
type Evidence struct {
	*program.Results
	Mounts []platform.Mount // of init, as the shim read them
	Group  cgroup.Readings  // of the server's control group
	Server int              // the server's process id, as the kernel told the shim
	Served Served           // the calls of sockets that the shim answered, where it makes these
}

// result is the result of an Op: a number, or the name of an errno.
func (e *Evidence) result(o program.Op) string {
	if !e.Ran(o) {
		return "not reached"
	}
	if errno := e.Errno(o); errno != 0 {
		return platform.ErrnoName(errno)
	}
	return strconv.FormatInt(e.Value(o), 10)
}

// succeeded reports whether the call of an Op returned without an error.
func (e *Evidence) succeeded(o program.Op) bool { return e.Ran(o) && e.Errno(o) == 0 }

// opened is the result of an open, without the descriptor's number.
func (e *Evidence) opened(o program.Op) string {
	if e.succeeded(o) {
		return "opened"
	}
	return e.result(o)
}

// word32 is a 32-bit number that a call stored.
func (e *Evidence) word32(a program.Addr) string { return strconv.Itoa(int(e.Word32(a))) }

// A fileRead is a small file and the buffer that it is read into.
type fileRead struct {
	op program.Op
	at program.Addr
}

// read reads a small file.
func (b *build) read(path string, size int) fileRead {
	fd := b.Ask(sys.Openat(sys.CWD, path, unix.O_RDONLY|unix.O_CLOEXEC, 0))
	at := b.Space(size)
	return fileRead{b.Ask(sys.Read(fd.Result(), at, size)).For(path), at}
}

// observe reads a small file that there may not be, and returns its descriptor too.
func (b *build) observe(path string, size int) (fd program.Op, r fileRead) {
	fd = b.Observe(sys.Openat(sys.CWD, path, unix.O_RDONLY|unix.O_CLOEXEC, 0))
	at := b.Space(size)
	return fd, fileRead{b.Observe(sys.Read(fd.Result(), at, size)).For(path), at}
}

// bytesOf are the bytes that a call stored.
func (e *Evidence) bytesOf(r fileRead) []byte { return e.Filled(r.op, r.at) }

// line is the text of a file of one line. A run of white space is one blank: the kernel pads its columns.
func (e *Evidence) line(r fileRead) string {
	return strings.Join(strings.Fields(string(e.bytesOf(r))), " ")
}

// rewrite writes an existing file in one write.
func rewrite(b *build, path, text string) {
	fd := b.Do(sys.Openat(sys.CWD, path, unix.O_WRONLY|unix.O_CLOEXEC, 0))
	b.Do(sys.Write(fd.Result(), text)).Returns(program.Int(len(text))).For(path)
}

const pathMax = 4096

// enter changes to the working directory, and returns the comparison with the path that getcwd(2) stores.
func enter(b *build) func(*check) {
	dir := b.View.Cwd
	b.Do(sys.Chdir(dir))
	at := b.Space(pathMax)
	cwd := fileRead{b.Ask(sys.Getcwd(at, pathMax)), at}
	return func(c *check) {
		path, whole := strings.CutSuffix(string(c.bytesOf(cwd)), "\x00")
		c.fact("working directory", dir, choose(whole, path, ""))
	}
}

// A stat is a statx(2) of a path, without following a link at its end.
type stat struct {
	op program.Op
	at program.Addr
}

// Size of struct statx, and offsets.
const (
	statxSize  = 256
	statxMode  = 0x1c
	statxIno   = 0x20
	statxBytes = 0x28
	statxRdev  = 0x80 // major, and then minor
	statxMajor = 0x88
	statxMinor = 0x8c
)

type inode struct {
	platform.FileID
	size uint64
	mode uint32
}

func (b *build) stat(path string) stat { return statx(b, sys.CWD, path, unix.AT_SYMLINK_NOFOLLOW) }

// statFD looks at an open file.
func statFD(b *build, fd program.Arg) stat { return statx(b, fd, "", unix.AT_EMPTY_PATH) }

// statNamespace looks at the namespace that a link in /proc/self/ns leads to.
func statNamespace(b *build, name string) stat { return statx(b, sys.CWD, "/proc/self/ns/"+name, 0) }

func statx(b *build, dir program.Arg, path string, flags int) stat {
	at := b.Space(statxSize)
	return stat{b.Observe(sys.Statx(dir, path, flags, unix.STATX_BASIC_STATS, at)), at}
}

// stat is the inode that was looked at, or zero.
func (e *Evidence) stat(s stat) inode {
	if !e.Ran(s.op) || e.Value(s.op) != 0 {
		return inode{}
	}
	dev := uint64(e.Word32(s.at.Plus(statxMajor)))<<32 | uint64(e.Word32(s.at.Plus(statxMinor)))
	return inode{
		FileID: platform.FileID{Dev: dev, Ino: e.Word(s.at.Plus(statxIno))},
		size:   e.Word(s.at.Plus(statxBytes)),
		mode:   e.Word32(s.at.Plus(statxMode)) & 0xffff,
	}
}

func octal(v int) string { return "0" + strconv.FormatInt(int64(v), 8) }

func choose[T any](ok bool, yes, no T) T {
	if ok {
		return yes
	}
	return no
}
