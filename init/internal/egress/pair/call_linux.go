package pair

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/sock"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A waiter is a system call that waits for its one answer.
type waiter struct {
	platform.Notification
	listener int
	loop     *loop.Loop  // goes on while a call of this process's waits for the server, however long its threads stand
	spare    *sock.Spare // for files that are closed at once
}

// A call is one of a server's that is about a socket.
type call struct {
	waiter
	*Sockets
	again bool // it was answered before
}

// int is an argument that the kernel takes as one.
func (c *waiter) int(i int) int { return int(int32(c.Args[i])) }

// outside makes such a call of this process's.
func (c *waiter) outside(call func() error) (err error) {
	c.loop.Outside(func() { err = call() })
	return err
}

// refuse and returns report whether the caller still waited.
func (c *waiter) refuse(errno unix.Errno) bool {
	return c.outside(func() error { return platform.RefuseCall(c.listener, c.ID, errno) }) == nil
}

func (c *waiter) returns(value int64) bool {
	return c.outside(func() error { return platform.ReturnCall(c.listener, c.ID, value) }) == nil
}

// waits reports whether the caller was not interrupted, and its thread has not ended.
func (c *waiter) waits() bool {
	return c.outside(func() error {
		if !platform.StillWaits(c.listener, c.ID) {
			return unix.ENOENT
		}
		return nil
	}) == nil
}

// goOn leaves a call to the kernel. It is not for socket(2): of the others the filter without hosts by name allows all,
// so that whatever the server does meanwhile it gets nothing that it would not have had.
func (c *waiter) goOn() {
	_ = c.outside(func() error { return platform.ContinueCall(c.listener, c.ID) })
}

// errNotOurs is the error of a descriptor that is none of these sockets: the call is left to the kernel.
var errNotOurs = errors.New("not a socket of these")

// errUnreadable is the error of a caller that the launcher may not look at: its process is not dumpable.
var errUnreadable = errors.New("the caller's descriptors cannot be read")

// socket is the one that the call is about, by its descriptor, the call's first argument.
func (c *call) socket() (*socket, error) {
	path := "/proc/" + strconv.Itoa(c.Thread) + "/fd/" + strconv.Itoa(c.int(0))
	var link string
	err := c.outside(func() (err error) {
		link, err = os.Readlink(path)
		return err
	})
	if !c.waits() {
		return nil, unix.ENOENT
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, unix.EBADF
	case err != nil:
		c.proof.fail(err)
		return nil, errUnreadable
	}
	text, ok := strings.CutPrefix(link, "socket:[")
	inode, err := strconv.ParseUint(strings.TrimSuffix(text, "]"), 10, 64)
	x := c.known[inode]
	if !ok || err != nil || x == nil {
		return nil, errNotOurs
	}
	return x, nil
}

// read fills b from the caller's memory.
func (c *waiter) read(address uint64, b []byte) error {
	err := c.outside(func() error { return platform.ReadMemory(c.Thread, address, b) })
	if !c.waits() {
		return unix.ENOENT
	}
	return err
}

// write writes b to the caller's memory.
func (c *waiter) write(address uint64, b []byte) error {
	still := func() bool { return platform.StillWaits(c.listener, c.ID) }
	return c.spare.With(func() error {
		return c.outside(func() error { return platform.WriteMemory(c.Thread, address, b, still) })
	})
}

// give writes a value to memory for as many bytes as the caller has room for, which is an int at size, and the value's
// length there: full, or else cut. It is what getsockname(2) and getsockopt(2) do.
func (c *waiter) give(value []byte, at, size uint64, full bool) error {
	var b [4]byte
	if err := c.read(size, b[:]); err != nil {
		return err
	}
	room := int32(binary.NativeEndian.Uint32(b[:]))
	if room < 0 {
		return unix.EINVAL
	}
	length := len(value)
	value = value[:min(length, int(room))]
	if !full {
		length = len(value)
	}
	if err := c.write(at, value); err != nil {
		return err
	}
	binary.NativeEndian.PutUint32(b[:], uint32(length))
	return c.write(size, b[:])
}

// done answers a call: nil is 0. It reports whether the caller still waited.
func (c *waiter) done(err error) bool {
	switch {
	case err == nil:
		return c.returns(0)
	case errors.Is(err, errNotOurs), errors.Is(err, errUnreadable):
		c.goOn()
		return true
	}
	return c.refuse(errnoOf(err))
}

// errnoOf is what a caller gets for an error of this process's.
func errnoOf(err error) unix.Errno {
	errno := unix.EACCES
	errors.As(err, &errno)
	if errno == unix.EPERM || errno == unix.ESRCH {
		return unix.EACCES
	}
	return errno
}
