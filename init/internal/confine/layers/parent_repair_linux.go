package layers

// This file: the runner of a repair as a child of the parent: the host gets no child of ours.

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// repairFiles is how many of the [RepairFiles] are none of the standard streams.
const repairFiles = 2

// startRepair starts the runner of a repair.
func startRepair(b *build) {
	var parent, failed, done program.Label
	b.Step(sys.Clone(int(unix.SIGCHLD))).Returns(program.Int(0)).Fork().StoreAt(b.layout.parent.laying).Else(&parent)
	b.Step(sys.Dup3(sys.FD(fdRunner), lifted+repairFiles, unix.O_CLOEXEC))
	liftFiles(b, repairFiles)
	for i := range repairFiles {
		b.Step(sys.Dup3(sys.FD(lifted+i), fdProgram+i, 0))
	}
	b.Call(sys.CloseRange(fdProgram+repairFiles, lifted-1, 0))
	argv, env := b.Strings([]string{order.RunnerName}), b.Strings(nil)
	b.Call(sys.Execveat(sys.FD(lifted+repairFiles), "", argv, env, unix.AT_EMPTY_PATH))
	exit(b, exitFailed)
	b.Bind(&parent)
	b.BranchUnlessOK(&failed)
	b.Jump(&done)
	b.Bind(&failed)
	b.Load(program.Int(noProcess)).StoreAt(b.layout.parent.laying)
	b.Call(sys.Send(sys.FD(fdReady), []byte(MsgLaid), unix.MSG_NOSIGNAL))
	b.Bind(&done)
	for i := range repairFiles {
		b.Call(sys.Close(program.Word(b.layout.parent.files.Plus(4 * i))))
	}
}

// noProcess is the number of no process: they are smaller.
const noProcess = 1<<31 - 1

// reapRepair reaps the runner of a repair, and tells the host.
func reapRepair(b *build) {
	var none program.Label
	runner := program.Word(b.layout.parent.laying)
	b.Step(sys.Wait(runner, unix.WNOHANG)).
		Returns(runner).Else(&none)
	b.Load(program.Int(noProcess)).StoreAt(b.layout.parent.laying)
	b.Call(sys.Send(sys.FD(fdReady), []byte(MsgLaid), unix.MSG_NOSIGNAL))
	b.Bind(&none)
}
