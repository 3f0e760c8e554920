package rows

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// With subprocess.allow false the filter answers every execve with SECCOMP_RET_TRACE. As long as init traces the server's
// process such a call stops and goes on; init lets go of it in the stop of the one that starts the server. Without a tracer
// the kernel answers ENOSYS, and the filter refuses ptrace(2): no execve can follow; seccomp(2), ptrace(2).
//
// A stop is looked at with WNOWAIT, so that the end of the server stays there for the loop of init to reap.

// oneExec reports whether the server may execute nothing after itself.
func (r *Request) oneExec() bool { return r.Policy.Subprocess.Allow == policy.No }

// traced has the server's process traced by init. It comes after its last capability: the tracer must have all that the
// traced has, and init keeps its own until it has asked for the stops.
type traced struct{}

// once is what the rows and the frame share of it.
type once struct {
	self  program.Op
	trial program.Op   // an execve of nothing, behind the filter
	stop  program.Addr // the stop that init saw then, a struct siginfo
	fork  [2]program.Op
}

// What waitid(2) stores in a struct siginfo of SIGCHLD, and where.
const (
	siginfoSize   = 128
	siginfoCode   = 8
	siginfoStatus = 24

	cldTrapped = 4 // CLD_TRAPPED
	atSeccomp  = unix.PTRACE_EVENT_SECCOMP<<8 | int(unix.SIGTRAP)
)

func (r *traced) ops(b *build) {
	if !b.oneExec() {
		return
	}
	zero, o := program.Int(0), &b.launch.once
	o.fork[0] = b.fork()
	b.Do(sys.Ptrace(unix.PTRACE_TRACEME, zero, zero))
	o.self = b.Ask(sys.Getpid())
	b.Step(sys.Kill(o.self.Result(), program.Int(int(unix.SIGSTOP)))) // init asks for the stops in this one
}

func (r *traced) check(c *check) {
	if !c.oneExec() {
		return
	}
	o := &c.launch.once
	c.fact("clone(CLONE_SIGHAND) before", "EINVAL", c.result(o.fork[0]))
	c.fact("clone(CLONE_SIGHAND)", "EPERM", c.result(o.fork[1]))
	c.fact("execve(0) while traced", "EFAULT", c.result(o.trial))
	c.fact("stop at execve(0)", "trapped by "+strconv.Itoa(atSeccomp), map2(c.Word32(o.stop.Plus(siginfoCode)) == cldTrapped, "trapped", "otherwise")+
		" by "+c.word32(o.stop.Plus(siginfoStatus)))
}

// fork is a clone that makes no process even where it is allowed: CLONE_SIGHAND without CLONE_VM; clone(2).
func (b *build) fork() program.Op {
	return b.See(sys.Clone(unix.CLONE_SIGHAND | int(unix.SIGCHLD)))
}

// tryOnce tries, behind the filter, a fork and an execve of nothing.
func (b *build) tryOnce() {
	if !b.oneExec() {
		return
	}
	o := &b.launch.once
	o.fork[1] = b.fork()
	o.trial = b.See(sys.ExecveNull())
	// If that did not stop, this does, and init sees that it was another stop. A policy may refuse kill.
	b.Any(sys.Kill(o.self.Result(), program.Int(int(unix.SIGSTOP))))
}

// stopped waits until the server's process stops or ends.
func (b *build) stopped(info program.Addr) program.Op {
	return b.Step(sys.WaitPID(b.launch.server.Result(), info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT))
}

// on lets a stopped process go on with a signal.
func (b *build) on(sig program.Arg) {
	b.Any(sys.Ptrace(unix.PTRACE_CONT, b.launch.server.Result(), sig))
}

// trace is init's half before the evidence is complete: it asks for the stops, and sees the one of the trial.
func (b *build) trace() {
	if !b.oneExec() || !b.launch.is(filtered) {
		return
	}
	b.Layer("seccomp")
	zero, o := program.Int(0), &b.launch.once
	b.stopped(b.Space(siginfoSize))
	b.Do(sys.Ptrace(unix.PTRACE_SETOPTIONS, b.launch.server.Result(), program.Int(unix.PTRACE_O_TRACESECCOMP|unix.PTRACE_O_EXITKILL)))
	b.on(zero)
	o.stop = b.Space(siginfoSize)
	b.Ask(sys.WaitPID(b.launch.server.Result(), o.stop, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT))
	b.on(zero)
}

// letExec is init's half afterwards: it hands on the signals that stop the server's process, and lets go of it at its
// execve. A process that has ended is left to the loop. A SIGSTOP is not kept: who traces by PTRACE_TRACEME cannot hold a
// group stop.
func (b *build) letExec() {
	if !b.oneExec() || !b.launch.is(filtered) {
		return
	}
	zero, info := program.Int(0), b.Space(siginfoSize)
	next, pass, signal, done := new(program.Label), new(program.Label), new(program.Label), new(program.Label)
	b.Here(next)
	b.stopped(info).Else(done)
	b.Load(program.Word(info.Plus(siginfoCode)))
	b.Unless(program.Int(cldTrapped), done)
	b.Load(program.Word(info.Plus(siginfoStatus)))
	b.Unless(program.Int(atSeccomp), pass)
	b.Any(sys.Ptrace(unix.PTRACE_DETACH, b.launch.server.Result(), zero))
	b.Jump(done)
	b.Here(pass)
	b.Unless(program.Int(int(unix.SIGSTOP)), signal)
	b.on(zero)
	b.Jump(next)
	b.Here(signal)
	b.on(program.Word(info.Plus(siginfoStatus)))
	b.Jump(next)
	b.Here(done)
}
