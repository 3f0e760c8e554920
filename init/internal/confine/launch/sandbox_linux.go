package launch

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/notify"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/privdir"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// ExitTimeout is how long init may take to kill and reap all that is left.
const ExitTimeout = 500 * time.Millisecond

// A Sandbox is proved, and its server waits for the release.
type Sandbox struct {
	Confinement policy.Confinement
	Machine     layers.Machine
	View        *fsview.View
	Layers      []order.LayerReport // the evidence
	Init        Init
	Server      int // pid, in the namespace of this process
	Listener    *notify.Listener
	Egress      Serving // nil: none was made
	Pipes       Pipes
	Program     *layers.Layout

	launch *Launch
	kept   kept
}

// kept is the state that a sandbox keeps until its end.
type kept struct {
	starter starter
	private privdir.Dir // has /tmp and the home where the sandbox has no tmpfs of its own
	image   int         // of this binary, which init executes when this process is gone; -1 if it does not have to
	memory  []byte      // of the program
	mounts  int         // init's table of mounts, until it is compared; -1: it is not open
	room    int         // a folder on the private tmpfs, until [TakeRoom]; -1: none was sent
	sockets []int       // of the sandbox's network namespace, for published ports, until [TakeSockets]
	files   *fsview.Explained
}

// TakeFiles returns how a sandbox's view came about, for lines that propose a grant, and forgets that, which takes as
// much memory as the plan took; nil for a launch that says no such line.
func TakeFiles(s *Sandbox) *fsview.Explained {
	files := s.kept.files
	s.kept.files = nil
	return files
}

// TakeRoom is a folder on the private tmpfs; -1 where there is none. The caller owns that.
func TakeRoom(s *Sandbox) int {
	room := s.kept.room
	s.kept.room = -1
	return room
}

// Init is process 1 of the sandbox's namespaces, or the server's parent where there are none.
type Init struct{ PID, FD int } // FD is a pidfd; -1: not known

// Shared reports whether the server has the host's namespaces.
func (s *Sandbox) Shared() bool { return s.Confinement != policy.Full }

// watchesCovers reports whether there are covers that the host could remove, and a watcher.
func (s *Sandbox) watchesCovers() bool { return len(s.View.Covers) > 0 && s.launch.Covers != nil }

// Release lets the server execute. A server may be refused a request at once, which is reported: so Begin comes first.
// Where init is lost meanwhile its end is told as any other, for the sandbox was reported.
func (s *Sandbox) Release() {
	if s.Egress != nil {
		s.Egress.Begin()
	}
	if s.Pipes.resume() != nil {
		s.KillInit()
	}
	closeAll([]int{s.Pipes.Release})
	s.Pipes.Release = -1
}

// GiveBack gives back the memory of the program of a sandbox that was released.
func GiveBack(s *Sandbox) {
	if s.launch.Hooks.Program == nil { // or a test reads the program afterwards
		layers.Released(s.Program)
	}
}

// Send sends init a message, or a signal for the server: only init is sure that the process id is still the server's.
func (s *Sandbox) Send(message byte) {
	if s.Pipes.Lifeline >= 0 {
		unix.Write(s.Pipes.Lifeline, []byte{message})
	}
}

// Asked notes that the server was asked to end: where its host ends too, init waits no more.
func Asked(s *Sandbox) {
	if s.launch.Host.Parent != nil {
		s.Send(layers.MsgAsked)
	}
}

// CloseLifeline makes init kill all processes of the sandbox and end.
func (s *Sandbox) CloseLifeline() {
	if s.Pipes.Lifeline >= 0 {
		if s.launch.Host.Parent != nil { // or init takes that for the host's end
			s.Send(layers.MsgEnd)
		}
		unix.Close(s.Pipes.Lifeline)
		s.Pipes.Lifeline = -1
	}
}

// KillInit kills init. With process 1 the kernel ends the rest; pid_namespaces(7).
func (s *Sandbox) KillInit() {
	killInit(s)
	s.CloseLifeline()
}

func killInit(s *Sandbox) {
	if s.Init.FD >= 0 {
		unix.PidfdSendSignal(s.Init.FD, unix.SIGKILL, nil, 0)
	} else if p := s.launch.Host.Parent; p != nil && s.Init.PID > 0 {
		p.kill(s.Init.PID)
	}
}

// Ended reports whether init has ended.
func (s *Sandbox) Ended(timeout time.Duration) bool {
	if s.Init.FD < 0 {
		return s.launch.Host.Parent.Over()
	}
	return poll(s.Init.FD, timeout)
}

// Reap reaps init.
func (s *Sandbox) Reap() (unix.Rusage, error) {
	_, usage, err := s.kept.starter.reap(s)
	s.Init.PID = 0
	return usage, err
}

// Cleanup removes what stood for namespaces and a root. All processes that could write to it must have exited.
func (s *Sandbox) Cleanup() {
	s.kept.private.Remove(privdir.AtEnd(func() bool { return s.launch.Interrupt.Check(nil) != nil }))
	if s.kept.image >= 0 {
		unix.Close(s.kept.image)
		s.kept.image = -1
	}
}

// Close kills and reaps the processes left of the sandbox, and gives back everything that it holds.
func (s *Sandbox) Close() {
	killInit(s)
	closeAll([]int{s.Init.FD})
	s.Init.FD = -1
	s.Pipes.close() // after the kill: on lifeline EOF init would still kill and reap
	if s.Init.PID > 0 {
		s.Reap()
	}
	if p := s.launch.Process; p != nil {
		if s.Shared() && s.Program != nil {
			p.SweepOrphans() // the server's process, which was init's child
		}
		p.ReapChildren(ExitTimeout)
	}
	if covers := s.launch.Covers; covers != nil {
		covers.Close()
	}
	s.Cleanup()
	s.Listener.Close()
	s.CloseEgress()
	closeAll(append(TakeSockets(s), s.kept.mounts, TakeRoom(s)))
	s.kept.mounts = -1
	if s.launch.Hooks.Program == nil { // or a test reads the program afterwards
		unix.Munmap(s.kept.memory)
		s.kept.memory, s.Program = nil, nil
	}
}
