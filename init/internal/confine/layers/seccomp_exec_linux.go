package layers

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"golang.org/x/sys/unix"
)

// With subprocess.allow false the filter answers every execve with SECCOMP_RET_TRACE. While init traces the server's
// process such a call stops and is then continued. init detaches in the stop of the execve that starts the server.
// Without a tracer the kernel answers ENOSYS, and the filter refuses ptrace(2): no execve can follow; seccomp(2),
// ptrace(2).
//
// init waits for a stop with WNOWAIT, which leaves the server's end to the reap loop.

// traceMe makes init the tracer of the server's process. A tracer needs all capabilities of the process: this one has
// none by now, and init keeps its own until it has set its options.
type traceMe struct{ trace *execTrace }

// execTrace is shared by traceMe, seccomp and init's half.
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

func (r traceMe) layout(b *build) {
	if !b.oneExec() {
		return
	}
	zero, t := program.Int(0), r.trace
	t.asked = true
	t.clone[0] = forbiddenClone(b)
	b.Do(sys.Ptrace(unix.PTRACE_TRACEME, zero, zero))
	t.pid = b.Ask(sys.Getpid())
	b.Step(sys.Kill(t.pid.Result(), program.Int(int(unix.SIGSTOP)))) // init sets its options in this stop
	b.prove(func(c *check) {
		c.fact("clone(CLONE_SIGHAND) before", "EINVAL", c.result(t.clone[0]))
		c.fact("clone(CLONE_SIGHAND)", "EPERM", c.result(t.clone[1]))
		c.fact("execve(0) while traced", "EFAULT", c.result(t.exec))
		how := choose(c.Word32(t.stop.Plus(siginfoCode)) == cldTrapped, "trapped", "otherwise")
		status := c.word32(t.stop.Plus(siginfoStatus))
		c.fact("stop at execve(0)", "trapped by "+strconv.Itoa(atSeccomp), how+" by "+status)
	})
}

// forbiddenClone is a clone with invalid flags, which makes no process where it is allowed: CLONE_SIGHAND without
// CLONE_VM.
func forbiddenClone(b *build) program.Op {
	return b.Observe(sys.Clone(unix.CLONE_SIGHAND | int(unix.SIGCHLD)))
}

// tryAgain tries, behind the filter, the clone and an execve of a NULL path.
func (t *execTrace) tryAgain(b *build) {
	if !t.asked {
		return
	}
	t.clone[1] = forbiddenClone(b)
	t.exec = b.Observe(sys.ExecveNull())
	// If the execve did not stop the process, this does, and init sees another stop. A policy may refuse kill.
	b.Call(sys.Kill(t.pid.Result(), program.Int(int(unix.SIGSTOP))))
}

// awaitStop waits until the server's process stops or ends.
func awaitStop(b *build, info program.Addr) program.Syscall {
	return sys.WaitPID(b.layout.server.Result(), info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT)
}

// ptraceCont continues the stopped server's process with a signal.
func ptraceCont(b *build, sig program.Arg) {
	b.Call(sys.Ptrace(unix.PTRACE_CONT, b.layout.server.Result(), sig))
}

// traceServer is init's half before the evidence is complete: init sets its options, and sees the stop at the trial.
func (t *execTrace) traceServer(b *build) {
	if !t.asked {
		return
	}
	b.Layer("seccomp")
	options := program.Int(unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_EXITKILL)
	b.Step(awaitStop(b, b.Space(siginfoSize)))
	b.Do(sys.Ptrace(unix.PTRACE_SETOPTIONS, b.layout.server.Result(), options))
	ptraceCont(b, program.Int(0))
	t.stop = b.Space(siginfoSize)
	b.Ask(awaitStop(b, t.stop))
	ptraceCont(b, program.Int(0))
}

// detachAtExec is init's half afterwards: init passes on the signals that stop the server's process, and detaches at
// its execve. The end of the process is left to the reap loop. A SIGSTOP is dropped: under PTRACE_TRACEME there is no
// group stop.
func (t *execTrace) detachAtExec(b *build) {
	if !t.asked {
		return
	}
	zero, info := program.Int(0), b.Space(siginfoSize)
	var next, pass, signal, done program.Label
	b.Bind(&next)
	b.Step(awaitStop(b, info)).Else(&done)
	b.Load(program.Word(info.Plus(siginfoCode)))
	b.BranchUnless(program.Int(cldTrapped), &done)
	b.Load(program.Word(info.Plus(siginfoStatus)))
	b.BranchUnless(program.Int(atSeccomp), &pass)
	b.Call(sys.Ptrace(unix.PTRACE_DETACH, b.layout.server.Result(), zero))
	b.Jump(&done)
	b.Bind(&pass)
	b.BranchUnless(program.Int(int(unix.SIGSTOP)), &signal)
	ptraceCont(b, zero)
	b.Jump(&next)
	b.Bind(&signal)
	ptraceCont(b, program.Word(info.Plus(siginfoStatus)))
	b.Jump(&next)
	b.Bind(&done)
}
