package layers

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// seccomp loads the filter. Behind it the server's process makes only the calls of the evidence, the wait for
// the release, rt_sigprocmask and execve.
//
// The proof is an ioctl on no descriptor that would put a byte into a terminal's input. Without the filter
// the ioctl is EBADF, under the usual filters of containers too. Where an outer filter refuses the ioctl
// with EPERM, the kernel's count of filters is the proof.
type seccomp struct {
	families *[]family
	pairs    *pairProof
	trace    *execTrace
	fallback landlockFallback
}

func (r seccomp) layout(b *build) {
	var loaded program.Label
	statusBefore, before := readStatus(b), injectInput(b)
	fallback := r.fallback.try(b)
	proveListener := loadListener(b, &loaded)
	load := b.Do(sys.Seccomp(unix.SECCOMP_SET_MODE_FILTER, specAllow, filterProg(b, b.Filter)))
	b.layout.filterLoad = load.Index()
	b.Bind(&loaded)
	b.fact("mode", "2", b.Observe(sys.Prctl(unix.PR_GET_SECCOMP, program.Int(0))))
	after, statusAfter := injectInput(b), readStatus(b)
	b.prove(func(c *check) {
		was, known := platform.Filters(c.bytesOf(statusBefore))
		is, _ := platform.Filters(c.bytesOf(statusAfter))
		if known {
			c.fact("filters", strconv.Itoa(was+1), strconv.Itoa(is))
		}
		without := c.result(before)
		c.factIf(without == "EBADF" || known && without == "EPERM", "ioctl(-1, TIOCSTI) before", "EBADF", without)
		c.fact("ioctl(-1, TIOCSTI)", "EPERM", c.result(after))
	})
	r.fallback.prove(b, fallback, r.fallback.try(b))
	b.prove(proveListener)
	for i := range *r.families {
		f := &(*r.families)[i]
		f.after = trySocket(b, f)
	}
	r.pairs.layout(b)
	r.trace.tryAgain(b)
}

// injectInput tries TIOCSTI on no descriptor: the filter refuses it without asking a listener.
func injectInput(b *build) program.Op {
	return b.Observe(sys.Ioctl(sys.FD(-1), unix.TIOCSTI, program.Int(0)))
}

// specAllow keeps kernels before 5.16 from disabling speculative store bypass, which slows V8; seccomp(2).
const specAllow = unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW

// filterProg is a struct sock_fprog.
func filterProg(b *build, code []byte) program.Arg {
	return program.Words(uint64(len(code)/8), uint64(b.Data(code)))
}

// readStatus reads /proc/thread-self/status.
func readStatus(b *build) fileRead {
	fd, r := b.observe("/proc/thread-self/status", 4096)
	b.Call(sys.Close(fd.Result()))
	return r
}

// loadListener loads the filter variant that notifies a listener of the dangerous calls it refuses, for the
// report: SECCOMP_RET_USER_NOTIF in seccomp_unotify(2). The process that loads the filter gets the listener's
// descriptor. The process sends the descriptor to the shim and closes its own, or the server could answer
// itself. The shim always answers EPERM; without the shim the kernel answers ENOSYS. So a listener decides
// nothing. Where the kernel gives none (EBUSY: an outer sandbox has one) the filter that refuses by itself is
// loaded.
//
// SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (Linux 5.19) is not used. The flag would avoid a second
// notification of an interrupted call, but only SIGKILL could then interrupt a call that the shim has
// received, even while the shim is stopped.
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
	message, fd := carrier(b, MsgListener, 1)
	const flags = specAllow | unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	seccomp := sys.Seccomp(unix.SECCOMP_SET_MODE_FILTER, flags, filterProg(b, b.Asking))
	var load program.Op
	if b.Pairs { // there is no other way to the sockets
		load = b.Do(seccomp).StoreAt(fd)
	} else {
		load = b.Try(seccomp).StoreAt(fd)
		b.BranchUnlessOK(&none)
	}
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

// carrier is a struct msghdr with n descriptors: their numbers are stored from fds on; cmsg(3).
func carrier(b *build, text string, n int) (message program.Arg, fds program.Addr) {
	const level, rights = unix.SOL_SOCKET, unix.SCM_RIGHTS << 32
	head := program.Raw(uint64(unix.CmsgLen(4*n)), level|rights)
	control := b.Data(append(head, make([]byte, unix.CmsgSpace(4*n)-len(head))...))
	iov := b.Data(program.Raw(uint64(b.Data([]byte(text))), uint64(len(text))))
	message = program.Words(0, 0, uint64(iov), 1, uint64(control), uint64(unix.CmsgSpace(4*n)), 0)
	return message, control.Plus(unix.CmsgLen(0))
}
