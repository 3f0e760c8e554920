package confine

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// seccomp loads the filter. Behind it the server's process makes only the calls of the evidence, the wait for
// the release, rt_sigprocmask and execve.
//
// The proof is an ioctl on no descriptor that would put a byte into a terminal's input. It is EBADF without
// the filter, under the usual filters of containers too. Where an outer filter refuses it with EPERM, the
// kernel's count of filters is the proof.
type seccomp struct {
	families *[]family
	trace    *execTrace
}

func (r seccomp) lay(b *build) {
	var fallback landlockFallback
	var loaded program.Label
	statusBefore, before := readStatus(b), injectInput(b)
	fallback.try(b, 0)
	proveListener := loadListener(b, &loaded)
	load := b.Do(sys.Seccomp(unix.SECCOMP_SET_MODE_FILTER, specAllow, filterProg(b, b.Filter)))
	b.launch.filterLoad = load.Index()
	b.Bind(&loaded)
	b.fact("mode", "2", b.Observe(sys.Prctl(unix.PR_GET_SECCOMP, program.Int(0))))
	after, statusAfter := injectInput(b), readStatus(b)
	b.prove(func(c *check) {
		was, known := platform.Filters(c.filled(statusBefore))
		is, _ := platform.Filters(c.filled(statusAfter))
		if known {
			c.fact("filters", strconv.Itoa(was+1), strconv.Itoa(is))
		}
		without := c.result(before)
		c.factIf(without == "EBADF" || known && without == "EPERM", "ioctl(-1, TIOCSTI) before", "EBADF", without)
		c.fact("ioctl(-1, TIOCSTI)", "EPERM", c.result(after))
	})
	fallback.try(b, 1)
	fallback.prove(b)
	b.prove(proveListener)
	for i := range *r.families {
		f := &(*r.families)[i]
		f.after = trySocket(b, f)
	}
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
	const path, size = "/proc/thread-self/status", 4096
	fd := b.Observe(sys.Openat(sys.CWD, path, unix.O_RDONLY|unix.O_CLOEXEC, 0))
	at := b.Space(size)
	r := fileRead{b.Observe(sys.Read(fd.Result(), at, size)).For(path), at}
	b.Call(sys.Close(fd.Result()))
	return r
}
