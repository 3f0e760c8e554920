package confine

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// loadListener loads the filter variant that notifies a listener of the dangerous calls it refuses, so that the
// user is told: SECCOMP_RET_USER_NOTIF in seccomp_unotify(2). The process that loads the filter gets the
// listener's descriptor. It sends the descriptor to the shim and closes its own, or the server could answer
// itself. The shim always answers EPERM; without the shim the kernel answers ENOSYS. So a listener decides
// nothing. Where the kernel gives none (EBUSY: an outer sandbox has one) the filter that refuses by itself is
// loaded.
//
// SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (Linux 5.19) is not used. It would avoid a second notification of a
// call that a signal interrupted, but a call that the shim has received could then be interrupted by SIGKILL
// only, even while the shim is stopped.
//
// loadListener goes on at loaded if the listener variant was loaded, and returns the comparison.
func loadListener(b *build, loaded *program.Label) func(*check) {
	const want = "denials are told"
	const effect = "the dangerous system calls are refused all the same, and nobody is told of it"
	if b.Asking == nil {
		return func(c *check) {
			c.lacks("listener", want, "seccomp.deny names a call that the listener is handed over by", effect)
		}
	}
	var none program.Label
	message, fd := carrier(b, MsgListener)
	const flags = specAllow | unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	load := b.Try(sys.Seccomp(unix.SECCOMP_SET_MODE_FILTER, flags, filterProg(b, b.Asking))).StoreAt(fd)
	b.BranchUnlessOK(&none)
	b.Step(sys.Sendmsg(sys.FD(fdReady), message, 0)).Returns(program.Int(len(MsgListener)))
	b.Do(sys.Close(load.Result())).For("listener")
	kept := b.Observe(sys.Fcntl(load.Result(), unix.F_GETFD, 0))
	b.Jump(loaded)
	b.Bind(&none)
	return func(c *check) {
		if e := c.Errno(load); e != 0 {
			c.lacks("listener", want, "seccomp: "+e.Error(), effect)
			return
		}
		c.fact("listener in the server's process", "EBADF", c.result(kept))
	}
}

// carrier is a struct msghdr with one descriptor, whose number is stored at fd; cmsg(3).
func carrier(b *build, text string) (message program.Arg, fd program.Addr) {
	const level, rights = unix.SOL_SOCKET, unix.SCM_RIGHTS << 32
	control := b.Data(program.Raw(uint64(unix.CmsgLen(4)), level|rights, 0))
	iov := b.Data(program.Raw(uint64(b.Data([]byte(text))), uint64(len(text))))
	message = program.Words(0, 0, uint64(iov), 1, uint64(control), uint64(unix.CmsgSpace(4)), 0)
	return message, control.Plus(unix.CmsgLen(0))
}
