package rows

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// listener loads the filter that asks about the dangerous calls it refuses, so that the user can be told of them:
// SECCOMP_RET_USER_NOTIF in seccomp_unotify(2). The kernel gives the other end of the questions to the process that
// loads it, which sends it to the shim and keeps nothing of it, or the server could answer itself. The shim answers
// EPERM, always; when it is gone the kernel answers ENOSYS. So a listener decides nothing, and a machine that gives
// none (an outer sandbox has one already: EBUSY) loads the filter that refuses by itself.
//
// SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (Linux 5.19) is not asked for. It would keep a signal from having a call
// told twice, but a call that the shim has taken would then wait for nothing but SIGKILL: no signal, no stop without
// the shim.
type listener struct{ load, kept program.Op }

// listen goes on at loaded if it was.
func (r *listener) listen(b *build, loaded *program.Label) {
	if b.Asking == nil {
		return
	}
	none := new(program.Label)
	message, fd := b.carrier(MsgListener)
	const flags = specAllow | unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	r.load = b.Try(sys.Seccomp(unix.SECCOMP_SET_MODE_FILTER, flags, b.filter(b.Asking))).StoreAt(fd)
	b.BranchUnlessOK(none)
	b.StepExactly(program.Int(len(MsgListener)), sys.Sendmsg(sys.FD(fdReady), message, 0))
	b.Do(sys.Close(r.load.Result())).For("listener")
	r.kept = b.Observe(sys.Fcntl(r.load.Result(), unix.F_GETFD, 0))
	b.Jump(loaded)
	b.Bind(none)
}

// carrier lays out the struct msghdr of a message with one descriptor, whose number is stored at fd; cmsg(3).
func (b *build) carrier(text string) (message program.Arg, fd program.Addr) {
	const level, rights = unix.SOL_SOCKET, unix.SCM_RIGHTS << 32
	control := b.Data(program.Raw(uint64(unix.CmsgLen(4)), level|rights, 0))
	iov := b.Data(program.Raw(uint64(b.Data([]byte(text))), uint64(len(text))))
	message = program.Words(0, 0, uint64(iov), 1, uint64(control), uint64(unix.CmsgSpace(4)), 0)
	return message, control.Plus(unix.CmsgLen(0))
}

func (r *listener) check(c *check) {
	const effect = "the dangerous system calls are refused all the same, and nobody is told of it"
	switch {
	case c.Asking == nil:
		c.lacks("listener", "denials are told", "seccomp.deny names a call that the listener is handed over by", effect)
	case c.Errno(r.load) != 0:
		c.lacks("listener", "denials are told", "seccomp: "+c.Errno(r.load).Error(), effect)
	default:
		c.fact("listener in the server's process", "EBADF", c.result(r.kept))
	}
}
