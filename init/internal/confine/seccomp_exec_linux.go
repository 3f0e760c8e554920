package confine

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// With subprocess.allow false the filter answers every execve with SECCOMP_RET_TRACE. While init traces the server's
// process such a call stops and is then continued. init detaches in the stop of the execve that starts the server.
// Without a tracer the kernel answers ENOSYS, and the filter refuses ptrace(2): no execve can follow; seccomp(2),
// ptrace(2).
//
// init waits for a stop with WNOWAIT, which leaves the server's end to the reap loop.

// oneExec reports whether the server may execute no other program.
func (r *Request) oneExec() bool { return r.Policy.Subprocess.Allow == policy.No }

// traceMe makes init the tracer of the server's process. A tracer needs all capabilities of the process: this one has
// none by now, and init keeps its own until it has set its options.
type traceMe struct{ trace *execTrace }

// execTrace is what traceMe, seccomp and init's half share.
type execTrace struct {
	asked bool
	pid   program.Op
	clone [2]program.Op // without the filter, and behind it
	exec  program.Op    // behind the filter
	stop  program.Addr  // struct siginfo of that execve's stop, as init saw it
}

// struct siginfo of SIGCHLD: its size, and offsets; sigaction(2).
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
	zero, t := program.Int(0), r.trace
	t.asked = true
	t.clone[0] = b.forbiddenClone()
	b.Do(sys.Ptrace(unix.PTRACE_TRACEME, zero, zero))
	t.pid = b.Ask(sys.Getpid())
	b.Step(sys.Kill(t.pid.Result(), program.Int(int(unix.SIGSTOP)))) // init sets its options in this stop
}

func (r *traceMe) check(c *check) {
	t := r.trace
	if !t.asked {
		return
	}
	c.fact("clone(CLONE_SIGHAND) before", "EINVAL", c.result(t.clone[0]))
	c.fact("clone(CLONE_SIGHAND)", "EPERM", c.result(t.clone[1]))
	c.fact("execve(0) while traced", "EFAULT", c.result(t.exec))
	how := choose(c.Word32(t.stop.Plus(siginfoCode)) == cldTrapped, "trapped", "otherwise")
	c.fact("stop at execve(0)", "trapped by "+strconv.Itoa(atSeccomp), how+" by "+c.word32(t.stop.Plus(siginfoStatus)))
}

// forbiddenClone is a clone with invalid flags, which makes no process where it is allowed: CLONE_SIGHAND without
// CLONE_VM.
func (b *build) forbiddenClone() program.Op {
	return b.Observe(sys.Clone(unix.CLONE_SIGHAND | int(unix.SIGCHLD)))
}

// tryAgain tries, behind the filter, the clone and an execve of a NULL path.
func (t *execTrace) tryAgain(b *build) {
	if !t.asked {
		return
	}
	t.clone[1] = b.forbiddenClone()
	t.exec = b.Observe(sys.ExecveNull())
	// If the execve did not stop the process, this does, and init sees another stop. A policy may refuse kill.
	b.Call(sys.Kill(t.pid.Result(), program.Int(int(unix.SIGSTOP))))
}

// awaitStop waits until the server's process stops or ends.
func (b *build) awaitStop(info program.Addr) program.Syscall {
	return sys.WaitPID(b.launch.server.Result(), info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT)
}

// ptraceCont continues the stopped server's process with a signal.
func (b *build) ptraceCont(sig program.Arg) {
	b.Call(sys.Ptrace(unix.PTRACE_CONT, b.launch.server.Result(), sig))
}

// traceServer is init's half before the evidence is complete: init sets its options, and sees the stop at the trial.
func (t *execTrace) traceServer(b *build) {
	if !t.asked {
		return
	}
	b.Layer("seccomp")
	options := program.Int(unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_EXITKILL)
	b.Step(b.awaitStop(b.Space(siginfoSize)))
	b.Do(sys.Ptrace(unix.PTRACE_SETOPTIONS, b.launch.server.Result(), options))
	b.ptraceCont(program.Int(0))
	t.stop = b.Space(siginfoSize)
	b.Ask(b.awaitStop(t.stop))
	b.ptraceCont(program.Int(0))
}

// detachAtExec is init's half afterwards: init passes on the signals that stop the server's process, and detaches at
// its execve. The end of the process is left to the reap loop. A SIGSTOP is dropped: under PTRACE_TRACEME there is no
// group stop.
func (t *execTrace) detachAtExec(b *build) {
	if !t.asked {
		return
	}
	zero, info := program.Int(0), b.Space(siginfoSize)
	next, pass, signal, done := new(program.Label), new(program.Label), new(program.Label), new(program.Label)
	b.Bind(next)
	b.Step(b.awaitStop(info)).Else(done)
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
