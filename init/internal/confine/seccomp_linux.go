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
	listener
	landlockFallback
	before, after, mode program.Op
	filters             [2]fileRead
}

func (r *seccomp) ops(b *build) {
	zero := program.Int(0)
	r.filters[0] = b.status()
	r.before = b.injectInput()
	r.try(b, 0)
	loaded := new(program.Label)
	r.listen(b, loaded)
	load := b.Do(sys.Seccomp(unix.SECCOMP_SET_MODE_FILTER, specAllow, b.filter(b.Filter)))
	b.launch.filterLoad = load.Index()
	b.Bind(loaded)
	r.mode = b.Observe(sys.Prctl(unix.PR_GET_SECCOMP, zero))
	r.after = b.injectInput()
	r.filters[1] = b.status()
	r.try(b, 1)
	b.trySockets(*r.families, func(f *family, o program.Op) { f.after = o })
	r.trace.tryAgain(b)
}

// injectInput tries TIOCSTI on no descriptor: the filter refuses it without asking a listener.
func (b *build) injectInput() program.Op {
	return b.Observe(sys.Ioctl(sys.FD(-1), unix.TIOCSTI, program.Int(0)))
}

// specAllow keeps kernels before 5.16 from disabling speculative store bypass, which slows V8; seccomp(2).
const specAllow = unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW

// filter is a struct sock_fprog.
func (b *build) filter(code []byte) program.Arg {
	return program.Words(uint64(len(code)/8), uint64(b.Data(code)))
}

// status reads /proc/thread-self/status.
func (b *build) status() fileRead {
	const path, size = "/proc/thread-self/status", 4096
	fd := b.Observe(sys.Openat(sys.CWD, path, unix.O_RDONLY|unix.O_CLOEXEC, 0))
	at := b.Space(size)
	r := fileRead{b.Observe(sys.Read(fd.Result(), at, size)).For(path), at}
	b.Call(sys.Close(fd.Result()))
	return r
}

func (r *seccomp) check(c *check) {
	c.fact("mode", "2", c.result(r.mode))
	before := c.result(r.before)
	old, known := platform.Filters(c.Filled(r.filters[0].op, r.filters[0].at))
	now, _ := platform.Filters(c.Filled(r.filters[1].op, r.filters[1].at))
	if known {
		c.fact("filters", strconv.Itoa(old+1), strconv.Itoa(now))
	}
	c.factIf(before == "EBADF" || known && before == "EPERM", "ioctl(-1, TIOCSTI) before", "EBADF", before)
	c.fact("ioctl(-1, TIOCSTI)", "EPERM", c.result(r.after))
	r.landlockFallback.check(c)
	r.listener.check(c)
}
