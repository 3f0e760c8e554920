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

// traceMe has the server's process traced by init. It comes after its last capability: the tracer must have all that the
// traced has, and init keeps its own until it has asked for the stops.
type traceMe struct{}

// singleExec is what the rows and the frame share of it.
type singleExec struct {
	pid       program.Op
	trial     program.Op   // an execve of nothing, behind the filter
	trialStop program.Addr // the stop that init saw then, a struct siginfo
	clone     [2]program.Op
}

// What waitid(2) stores in a struct siginfo of SIGCHLD, and where.
const (
	siginfoSize   = 128
	siginfoCode   = 8
	siginfoStatus = 24

	cldTrapped = 4 // CLD_TRAPPED
	atSeccomp  = unix.PTRACE_EVENT_SECCOMP<<8 | int(unix.SIGTRAP)
)

func (r *traceMe) ops(b *build) {
	if !b.oneExec() {
		return
	}
	zero, o := program.Int(0), &b.launch.singleExec
	o.clone[0] = b.forbiddenClone()
	b.Do(sys.Ptrace(unix.PTRACE_TRACEME, zero, zero))
	o.pid = b.Ask(sys.Getpid())
	b.Step(sys.Kill(o.pid.Result(), program.Int(int(unix.SIGSTOP)))) // init asks for the stops in this one
}

func (r *traceMe) check(c *check) {
	if !c.oneExec() {
		return
	}
	o := &c.launch.singleExec
	c.fact("clone(CLONE_SIGHAND) before", "EINVAL", c.result(o.clone[0]))
	c.fact("clone(CLONE_SIGHAND)", "EPERM", c.result(o.clone[1]))
	c.fact("execve(0) while traced", "EFAULT", c.result(o.trial))
	c.fact("stop at execve(0)", "trapped by "+strconv.Itoa(atSeccomp), choose(c.Word32(o.trialStop.Plus(siginfoCode)) == cldTrapped, "trapped", "otherwise")+
		" by "+c.word32(o.trialStop.Plus(siginfoStatus)))
}

// forbiddenClone is a clone that makes no process even where it is allowed: CLONE_SIGHAND without CLONE_VM; clone(2).
func (b *build) forbiddenClone() program.Op {
	return b.Observe(sys.Clone(unix.CLONE_SIGHAND | int(unix.SIGCHLD)))
}

// trySecondExec tries, behind the filter, a fork and an execve of nothing.
func (b *build) trySecondExec() {
	if !b.oneExec() {
		return
	}
	o := &b.launch.singleExec
	o.clone[1] = b.forbiddenClone()
	o.trial = b.Observe(sys.ExecveNull())
	// If that did not stop, this does, and init sees that it was another stop. A policy may refuse kill.
	b.Call(sys.Kill(o.pid.Result(), program.Int(int(unix.SIGSTOP))))
}

// awaitStop waits until the server's process stops or ends.
func (b *build) awaitStop(info program.Addr) program.Op {
	return b.Step(sys.WaitPID(b.launch.server.Result(), info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT))
}

// ptraceCont lets a stopped process go on with a signal.
func (b *build) ptraceCont(sig program.Arg) {
	b.Call(sys.Ptrace(unix.PTRACE_CONT, b.launch.server.Result(), sig))
}

// traceServer is init's half before the evidence is complete: it asks for the stops, and sees the one of the trial.
func (b *build) traceServer() {
	if !b.oneExec() || !b.launch.is(filtered) {
		return
	}
	b.Layer("seccomp")
	zero, o := program.Int(0), &b.launch.singleExec
	b.awaitStop(b.Space(siginfoSize))
	b.Do(sys.Ptrace(unix.PTRACE_SETOPTIONS, b.launch.server.Result(), program.Int(unix.PTRACE_O_TRACESECCOMP|unix.PTRACE_O_EXITKILL)))
	b.ptraceCont(zero)
	o.trialStop = b.Space(siginfoSize)
	b.Ask(sys.WaitPID(b.launch.server.Result(), o.trialStop, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT))
	b.ptraceCont(zero)
}

// detachAtExec is init's half afterwards: it hands on the signals that stop the server's process, and lets go of it at its
// execve. A process that has ended is left to the loop. A SIGSTOP is not kept: who traces by PTRACE_TRACEME cannot hold a
// group stop.
func (b *build) detachAtExec() {
	if !b.oneExec() || !b.launch.is(filtered) {
		return
	}
	zero, info := program.Int(0), b.Space(siginfoSize)
	next, pass, signal, done := new(program.Label), new(program.Label), new(program.Label), new(program.Label)
	b.Bind(next)
	b.awaitStop(info).Else(done)
	b.Load(program.Word(info.Plus(siginfoCode)))
	b.BranchUnless(program.Int(cldTrapped), done)
	b.Load(program.Word(info.Plus(siginfoStatus)))
	b.BranchUnless(program.Int(atSeccomp), pass)
	b.Call(sys.Ptrace(unix.PTRACE_DETACH, b.launch.server.Result(), zero))
	b.Jump(done)
	b.Bind(pass)
	b.BranchUnless(program.Int(int(unix.SIGSTOP)), signal)
	b.ptraceCont(zero)
	b.Jump(next)
	b.Bind(signal)
	b.ptraceCont(program.Word(info.Plus(siginfoStatus)))
	b.Jump(next)
	b.Bind(done)
}
