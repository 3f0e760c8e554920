package rows

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"golang.org/x/sys/unix"
)

// seccomp loads the filter. After it the server's process makes four kinds of call: evidence, the wait, the signal mask, execve.
type seccomp struct {
	before, after, mode program.Op
}

func (r *seccomp) ops(b *build) {
	zero := program.Int(0)
	code := b.Data(b.Filter)
	fprog := program.Words(uint64(len(b.Filter)/8), uint64(code)) // struct sock_fprog
	// unshare(0) asks for nothing and changes nothing: without the filter it succeeds.
	r.before = b.See(unix.SYS_UNSHARE, zero)
	// Without SPEC_ALLOW kernels before 5.16 switch off speculative store bypass, which slows V8; seccomp(2).
	b.Do(unix.SYS_SECCOMP, program.Int(unix.SECCOMP_SET_MODE_FILTER), program.Int(unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW), fprog)
	r.mode = b.See(unix.SYS_PRCTL, program.Int(unix.PR_GET_SECCOMP), zero, zero, zero, zero)
	r.after = b.See(unix.SYS_UNSHARE, zero)
	b.tryOnce()
}

func (r *seccomp) check(c *check) {
	c.fact("mode", "2", c.result(r.mode))
	c.fact("unshare(0) before", "0", c.result(r.before))
	c.fact("unshare(0)", "EPERM", c.result(r.after))
}
