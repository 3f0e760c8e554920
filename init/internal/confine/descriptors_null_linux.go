package confine

import (
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// reopenNull opens a null device among the standard descriptors again, in the server's root, where its mount
// is read-only. Through the host's descriptor its owner, which a container's root is, could change its mode
// for the whole machine. Writing to a device needs no writable mount.
type reopenNull struct {
	fds   []int
	modes []program.Op
}

const nullPath = "/dev/null"

func (r *reopenNull) ops(b *build) {
	for fd := range b.Stdio {
		if !b.null(&b.Stdio[fd]) {
			continue
		}
		flags := b.Ask(sys.Fcntl(sys.FD(fd), unix.F_GETFL, 0))
		again := b.Do(sys.OpenatFlags(sys.CWD, nullPath, flags.Result()))
		b.Do(sys.Dup3(again.Result(), fd, 0)).Returns(program.Int(fd)).For(nullPath)
		r.fds = append(r.fds, fd)
		r.modes = append(r.modes, b.Ask(sys.Fchmod(sys.FD(fd), 0o666)).Returns(program.Errno(unix.EROFS)).For(nullPath))
	}
}

// null reports whether a standard descriptor is the null device that the server's root has; null(4).
func (r *Request) null(s *Standard) bool {
	isNull := s.Is(unix.S_IFCHR) && s.Major == 1 && s.Minor == 3
	return isNull && slices.ContainsFunc(r.View.Nodes, func(n fsview.Node) bool {
		return n.Path == nullPath && n.Device && n.FileID == s.FileID
	})
}

func (r *reopenNull) check(c *check) {
	for i, o := range r.modes {
		c.fact("mode of the null device at "+strconv.Itoa(r.fds[i]), "EROFS", c.result(o))
	}
}
