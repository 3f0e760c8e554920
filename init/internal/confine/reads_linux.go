package confine

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// hostNet reports whether the server stays in the host's network namespace.
func (r *Request) hostNet() bool { return r.Policy.Level == policy.LevelNetwork }

// rewrite writes an existing file in one write.
func (b *build) rewrite(path, text string) {
	fd := b.Do(sys.Openat(sys.CWD, path, unix.O_WRONLY|unix.O_CLOEXEC, 0))
	b.Do(sys.Write(fd.Result(), text)).Returns(program.Int(len(text))).For(path)
}

// A fileRead is a small file and the buffer that it is read into.
type fileRead struct {
	op program.Op
	at program.Addr
}

func (b *build) reading(path string, size int) fileRead {
	fd := b.Ask(sys.Openat(sys.CWD, path, unix.O_RDONLY|unix.O_CLOEXEC, 0))
	at := b.Space(size)
	return fileRead{b.Ask(sys.Read(fd.Result(), at, size)).For(path), at}
}

// enter changes to a directory and reads its path back.
func (b *build) enter(dir string) fileRead {
	b.Do(sys.Chdir(dir))
	at := b.Space(pathMax)
	return fileRead{b.Ask(sys.Getcwd(at, pathMax)), at}
}

const pathMax = 4096

// path is the path that getcwd(2) stored, without its NUL.
func (c *check) path(r fileRead) string {
	b := c.Filled(r.op, r.at)
	if len(b) == 0 || b[len(b)-1] != 0 {
		return ""
	}
	return string(b[:len(b)-1])
}

func (c *check) text(r fileRead) string { return string(c.Filled(r.op, r.at)) }

// foldSpaces makes one blank of each run of white space: the kernel pads its columns.
func foldSpaces(s string) string { return strings.Join(strings.Fields(s), " ") }

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

func (b *build) stat(path string) stat { return b.statx(path, unix.AT_SYMLINK_NOFOLLOW) }

// namespace looks at the namespace that a link in /proc/self/ns leads to.
func (b *build) namespace(name string) stat { return b.statx("/proc/self/ns/"+name, 0) }

func (b *build) statx(path string, flags int) stat {
	at := b.Space(statxSize)
	return stat{b.Observe(sys.Statx(sys.CWD, path, flags, unix.STATX_BASIC_STATS, at)), at}
}

func (c *check) stat(s stat) inode {
	if !c.Ran(s.op) || c.Value(s.op) != 0 {
		return inode{}
	}
	return inode{
		FileID: platform.FileID{
			Dev: uint64(c.Word32(s.at.Plus(statxMajor)))<<32 | uint64(c.Word32(s.at.Plus(statxMinor))),
			Ino: c.Word(s.at.Plus(statxIno)),
		},
		size: c.Word(s.at.Plus(statxBytes)),
		mode: c.Word32(s.at.Plus(statxMode)) & 0xffff,
	}
}

func octal(v int) string { return "0" + strconv.FormatInt(int64(v), 8) }

// umask is the policy's mask, or the launcher's.
func (r *Request) umask() int {
	if m, ok := r.Policy.Umask.Value(); ok {
		return m
	}
	return r.Machine.Umask
}

// binds counts the nodes of the view that are binds of the host.
func (r *Request) binds() int {
	n := 0
	for i := range r.View.Nodes {
		if r.View.Nodes[i].Kind == fsview.Bind {
			n++
		}
	}
	return n
}
