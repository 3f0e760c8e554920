package layers

// This file: how the parent becomes a shim.

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"golang.org/x/sys/unix"
)

// Execute writes how the parent becomes the shim: by execve of the last of the [ShimFiles], with the first two as
// descriptors 3 and 4. It is written once that is needed, and before the parent is sent ParentExecutes.
func (l *Layout) Execute(argv, env []string) (fits bool) {
	b := &build{Builder: l.builder, layout: l}
	b.Layer(layerExec)
	b.Bind(&l.parent.shim)
	b.Call(sys.Send(sys.FD(fdReady), []byte(MsgLeaves), unix.MSG_NOSIGNAL))
	b.Call(sys.Wait(program.Word(l.parent.init), unix.WNOHANG))
	liftFiles(b, ShimFiles)
	for i := range ShimFiles - 1 {
		b.Step(sys.Dup3(sys.FD(lifted+i), fdProgram+i, 0))
	}
	b.Call(sys.CloseRange(fdReady, lifted-1, 0))
	b.Step(sys.SigsetmaskFrom(l.parent.mask))
	b.Call(sys.Execveat(sys.FD(lifted+ShimFiles-1), "", b.Strings(argv), b.Strings(env), unix.AT_EMPTY_PATH))
	exit(b, exitFailed)
	return !b.Full()
}

// lifted is where the parent puts descriptors before it renumbers them: behind all that it has.
const lifted = 20

// ParentNumbers is how many numbers of descriptors a parent needs.
const ParentNumbers = lifted + mostFiles + 1

// liftFiles copies n descriptors of the host's message to lifted. Each word has the next number in its other half,
// which no call takes.
func liftFiles(b *build, n int) {
	for i := range n {
		b.Step(sys.Dup3(program.Word(b.layout.parent.files.Plus(4*i)), lifted+i, unix.O_CLOEXEC))
	}
}
