package layers

// This file: the parent, the process that a Go host starts in place of a shim. It clones init, tells the host of each
// signal that it gets and of init's end, and ends as the host says. It is the runner's code and has one thread, so that
// init can die with it.

import (
	"bytes"
	"encoding/binary"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// Messages of the parent, over the socket that init has too. Of a signal it sends the number, four bytes.
const (
	MsgStreams = "h" // carries its standard input, output and error
	MsgCloned  = "c" // the clone of init has returned
	MsgEnded   = "w" // init has ended
	MsgLeaves  = "x" // it becomes the shim, and tells of no signal any more
	MsgLaid    = "k" // the runner of a repair has ended, or was not started
	MsgPacket  = "t" // and a packet of one of the sockets
	MsgRest    = "u" // and another, of an init that has ended: it awaits no [ParentListens]
)

// Messages to the parent: a word, and a value.
const (
	ParentClones   = 1 + iota // carries the other ends of the pipes: init's fdLifeline and fdRelease
	ParentExecutes            // carries the [ShimFiles]
	ParentLetsGo              // of its standard input, output and error; the value 1: carries the [ParentSockets]
	ParentExits               // the value is the exit status
	ParentLays                // carries the [RepairFiles], for the runner of a repair
	ParentListens             // the packet is read, and the sockets may be asked for the next
	parentMessage  = 16
	mostFiles      = ShimFiles // that a message carries
)

// ShimFiles is how many descriptors the parent is sent with which it becomes the shim: the order, the shim's socket,
// and the executable.
const ShimFiles = 3

// A parent has the Ops and data of the parent.
type parent struct {
	mask   program.Addr // of signals, before the parent blocked all
	usage  program.Addr // init's struct rusage
	ended  program.Addr // and its siginfo_t
	init   program.Addr // init's number, which no other process gets before the parent's end; noProcess: there is none
	waited program.Addr // the same until the host knows of init's end
	laying program.Addr // the runner of a repair, or a number that no process has
	files  program.Addr // numbers of the descriptors that the last message has carried
	lives  program.Addr // 1 once the server may run, and init ends it by itself
	taps   parentSockets
	ops    [2]uint64 // the memory that has the parent's Ops and data, and nothing of init's but before its first row
	data   [2]uint64
	shim   program.Label // has the parent execute the shim
}

// NewHosted makes a launch in mem: its runner is the parent. Only confinement full has one.
func NewHosted(mem []byte, p *policy.Policy) *Layout {
	l, b := newLayout(mem, p, policy.Full, false)
	l.parent = new(parent)
	cloneByParent(b, initFlags(l, p.Level == policy.LevelNetwork))
	return l
}

// cloneByParent writes the parent's half of the frame, and the beginning of init's.
func cloneByParent(b *build, flags int) {
	l, p := b.layout, b.layout.parent
	var loop, outer, cloned, bare, sent program.Label
	p.mask, p.usage, p.ended, p.lives = b.Space(8), b.Space(rusageSize), b.Space(siginfoSize), b.Space(8)
	for _, a := range [...]*program.Addr{&p.init, &p.waited, &p.laying} {
		*a = b.Data(program.Raw(noProcess))
	}
	b.Layer("namespaces")
	b.Call(sys.Prctl(unix.PR_SET_NAME, program.Str(order.ParentName)))
	b.Step(sys.SigsetmaskOld(^uint64(0), p.mask))
	defaultSignals(b)
	b.Call(sys.CloseRange(fdRunner+1, everything, 0))
	message, fds := carrier(b, MsgStreams, 3)
	for fd := range 3 {
		b.Load(program.Int(fd)).StoreAt(fds.Plus(4 * fd))
	}
	b.Step(sys.Sendmsg(sys.FD(fdReady), message, unix.MSG_NOSIGNAL)).Returns(program.Int(1)).Else(&bare)
	b.Jump(&sent)
	b.Bind(&bare) // too many descriptors of this user are in flight: a shim needs none of these
	b.Call(sys.Send(sys.FD(fdReady), []byte(MsgStreams), unix.MSG_NOSIGNAL))
	b.Bind(&sent)
	// A child that the host forked keeps the other ends of all pipes: the host's pidfd tells of its end all the same.
	list := append(pollfds(fdReady, false), fdHosted, 0, 0, 0, pollin, 0, 0, 0) // parentPolled of them
	polled := b.Data(append(list, bytes.Repeat([]byte("\xff\xff\xff\xff\x01\x00\x00\x00"), ParentSockets)...))
	p.taps = layoutSockets(b, polled.Plus(parentPolled*pollfdSize))
	signals := b.Step(sys.Signalfd(^uint64(0), unix.SFD_NONBLOCK|unix.SFD_CLOEXEC)).StoreAt(polled.Plus(pollfdSize))
	timeout := b.Space(8) // a pointer, null: none
	b.Bind(&loop)
	b.Call(sys.Ppoll(program.Ref(polled), parentPolled+ParentSockets, program.Word(timeout)))
	receiveByParent(b, &loop, func() {
		p.taps.tell(b)
		reapByParent(b, signals, timeout)
	})
	for i, to := range [...]int{fdLifeline, fdRelease} {
		b.Step(sys.Dup3(program.Word(p.files.Plus(4*i)), to, 0)).Else(&outer)
		b.Call(sys.Close(program.Word(p.files.Plus(4 * i))))
	}
	l.clone = b.Step(sys.Clone(flags | int(unix.SIGCHLD))).Returns(program.Int(0)).Fork().Else(&outer)
	b.Call(sys.Prctl(unix.PR_SET_NAME, program.Str(order.RunnerName)))
	awaitRelease(b)
	b.Jump(&l.completed)

	b.Bind(&outer)
	b.BranchUnlessOK(&cloned) // -1 would be every process of the user
	b.Load(l.clone.Result()).StoreAt(p.init)
	b.Load(l.clone.Result()).StoreAt(p.waited)
	b.Bind(&cloned)
	b.Call(sys.Send(sys.FD(fdReady), []byte(MsgCloned), unix.MSG_NOSIGNAL))
	b.Call(sys.CloseRange(fdProgram, fdLifeline, 0))
	b.Call(sys.CloseRange(fdRelease, fdHosted-1, 0))
	b.Jump(&loop)
	p.ops, p.data = program.Page(b.Builder)
	l.lasting[0] = program.Mark(b.Builder)
}

// leaveParent takes away from init what the parent executes and reads, which init could write: the parent has the
// rights of the host. Init has closed the program's descriptor once the server runs, and its memory cannot be had
// again.
func leaveParent(b *build) {
	p := b.layout.parent
	if p == nil {
		return
	}
	for _, memory := range [...][2]uint64{p.ops, p.data} {
		b.Do(sys.Munmap(memory)).For("the parent's memory")
		gone := sys.Prctl(unix.PR_GET_PDEATHSIG, program.Ref(program.Addr(memory[0]))) // which it would write there
		b.Ask(gone).Returns(program.Errno(unix.EFAULT)).For("the parent's memory")
	}
}

// defaultSignals gives signals that the host ignores their default action, as a start of a Go program does: the kernel
// would reap init at once where SIGCHLD is ignored, and no server could handle what it is started with ignored. SIGHUP
// and SIGINT stay, as nohup(1) expects.
func defaultSignals(b *build) {
	action := b.Space(32) // a struct sigaction of zeros
	for sig := unix.SIGQUIT; sig <= unix.SIGSYS; sig++ {
		if sig != unix.SIGKILL && sig != unix.SIGSTOP {
			b.Call(sys.Sigaction(sig, action))
		}
	}
}

// receiveByParent does what the host says, or idle if the host has said nothing, and goes on behind itself to clone
// init.
func receiveByParent(b *build, loop *program.Label, idle func()) {
	p := b.layout.parent
	var executes, letsGo, alone, exits, lays, listens, nothing, open, ended, wait program.Label
	init, space := program.Word(p.init), unix.CmsgSpace(4*mostFiles)
	word, control := b.Space(parentMessage), b.Space(space)
	p.files = control.Plus(unix.CmsgLen(0))
	message := b.Data(program.Raw(0, 0, uint64(b.Data(program.Raw(uint64(word), parentMessage))), 1,
		uint64(control), 0, 0)) // struct msghdr
	b.Load(program.Int(space)).StoreAt(message.Plus(40)) // the kernel stores there how much came
	for i := range mostFiles {                           // where the parent has no room for a descriptor
		b.Load(program.Int(-1)).StoreAt(p.files.Plus(4 * i))
	}
	const now = unix.MSG_DONTWAIT | unix.MSG_CMSG_CLOEXEC
	b.Step(sys.Recvmsg(sys.FD(fdReady), program.Ref(message), now)).Returns(program.Int(parentMessage)).Else(&nothing)
	b.Load(program.Word(word))
	b.BranchUnless(program.Int(ParentExits), &letsGo)
	b.Call(sys.Wait(init, unix.WNOHANG))
	b.Call(sys.ExitWith(program.Word(word.Plus(8))))
	b.Bind(&letsGo)
	b.BranchUnless(program.Int(ParentLetsGo), &executes)
	b.Call(sys.CloseRange(0, 2, 0))
	b.Load(program.Int(1)).StoreAt(p.lives)
	b.Load(program.Word(word.Plus(8)))
	b.BranchUnless(program.Int(1), &alone)
	p.taps.take(b, p.files)
	b.Bind(&alone)
	b.Jump(loop)
	b.Bind(&executes)
	b.BranchUnless(program.Int(ParentExecutes), &lays)
	b.Jump(&p.shim)
	b.Bind(&lays)
	b.BranchUnless(program.Int(ParentLays), &listens)
	startRepair(b)
	b.Jump(loop)
	b.Bind(&listens)
	b.BranchUnless(program.Int(ParentListens), &exits)
	p.taps.listen(b)
	b.Jump(loop)

	b.Bind(&nothing)
	b.BranchUnless(program.Int(0), &open)
	b.Jump(&ended)
	b.Bind(&open) // ECONNRESET, once, where the host has not read a signal, comes before its last message
	host := program.Words(fdHosted | pollin<<32)
	b.Step(sys.Ppoll(host, 1, program.Words(0, 0))).Returns(program.Int(0)).Else(&ended)
	idle()
	b.Jump(loop)
	b.Bind(&ended) // the host: an init that runs ends its server by itself
	b.Load(program.Word(p.lives))
	b.BranchUnless(program.Int(0), &wait)
	b.Call(sys.Kill(init, program.Int(int(unix.SIGKILL))))
	b.Bind(&wait)
	b.Call(sys.Wait(init, 0))
	exit(b, exitOrphaned)
	b.Bind(&exits)
	b.BranchUnless(program.Int(ParentClones), loop)
}

// ParentMessage is a message to the parent.
func ParentMessage(what int, value uint64) []byte {
	b := binary.NativeEndian.AppendUint64(nil, uint64(what))
	return binary.NativeEndian.AppendUint64(b, value)
}
