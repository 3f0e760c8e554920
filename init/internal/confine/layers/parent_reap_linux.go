package layers

// This file: the ends that the parent tells of.

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"golang.org/x/sys/unix"
)

// reapByParent tells the host of a signal, of init's end, and of that of the runner of a repair. The host comes first:
// its sockets may have come since the parent asked, and init ended after that. So the parent asks once more, without
// waiting.
func reapByParent(b *build, signals program.Op, timeout program.Addr) {
	p, info, none := b.layout.parent, b.Space(siginfoSize), b.Space(16) // a struct timespec
	var other, reaps, asked, lives program.Label
	// Before init is looked for: a SIGCHLD that comes behind that is read in the next turn.
	b.Step(sys.Read(signals.Result(), info, siginfoSize)).Returns(program.Int(siginfoSize)).Else(&reaps)
	b.Load(program.Word(info)) // ssi_signo and ssi_errno, which is 0
	b.BranchUnless(program.Int(int(unix.SIGCHLD)), &other)
	b.Jump(&reaps)
	b.Bind(&other)
	b.Call(sys.SendFrom(sys.FD(fdReady), info, 4, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)) // a stopped host reads none
	b.Bind(&reaps)
	const looks = unix.WEXITED | unix.WNOHANG | unix.WNOWAIT // the host may look at the number yet
	b.Step(sys.WaitidUsage(program.Word(p.waited), p.ended, looks, p.usage)).Else(&lives)
	b.Load(program.Word(p.ended)) // si_signo and si_errno
	b.BranchUnless(program.Int(int(unix.SIGCHLD)), &lives)
	b.Load(program.Word(timeout))
	b.BranchUnless(program.Int(0), &asked)
	b.Load(program.Ref(none)).StoreAt(timeout)
	b.Jump(&lives)
	b.Bind(&asked)
	b.Load(program.Int(0)).StoreAt(timeout)
	b.Load(program.Int(noProcess)).StoreAt(p.waited)
	p.taps.tellAll(b)
	b.Call(sys.Send(sys.FD(fdReady), []byte(MsgEnded), unix.MSG_NOSIGNAL))
	b.Bind(&lives)
	reapRepair(b)
}

const rusageSize = 144

// InitUsage is the resources that init and its children used, once the parent has told that it has reaped init.
func InitUsage(l *Layout) (ru unix.Rusage) {
	at := func(n int) int64 {
		low := l.LiveWord32(l.parent.usage.Plus(n))
		return int64(uint64(low) | uint64(l.LiveWord32(l.parent.usage.Plus(n+4)))<<32)
	}
	ru.Utime, ru.Stime = unix.Timeval{Sec: at(0), Usec: at(8)}, unix.Timeval{Sec: at(16), Usec: at(24)}
	ru.Maxrss = at(32)
	return ru
}
