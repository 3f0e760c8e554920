package launch

import (
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Pipes are this process's ends of the connections with init and the server; -1 is closed.
type Pipes struct {
	Lifeline int  // init lives as long as this is open; a byte is a message for init's loop
	Ready    int  // messages of init and of the server's process
	Release  int  // a byte resumes the process that waits
	borrowed bool // Ready belongs to a [Parent]
}

// open makes the pipes and the socket, and returns the other ends in the same order.
func (p *Pipes) open() (theirs [3]int, err error) {
	ready, err := p.openReady()
	pipes := [2]int{-1, -1}
	if err == nil {
		pipes, err = p.openPipes()
	}
	return [3]int{pipes[0], ready, pipes[1]}, err
}

// openPipes makes Lifeline and Release.
func (p *Pipes) openPipes() (theirs [2]int, err error) {
	theirs = [2]int{-1, -1}
	var life, release [2]int
	// O_NONBLOCK on both ends: init reads after every wake-up, and this process must not block when init is stopped.
	if err = unix.Pipe2(life[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return theirs, refusedStart("pipe", err)
	}
	theirs[0], p.Lifeline = life[0], life[1]
	if err = unix.Pipe2(release[:], unix.O_CLOEXEC); err != nil {
		return theirs, refusedStart("pipe", err)
	}
	theirs[1], p.Release = release[0], release[1]
	return theirs, nil
}

// openReady makes Ready.
func (p *Pipes) openReady() (theirs int, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, refusedStart("socketpair", err)
	}
	p.Ready = pair[0]
	// Messages then carry the sender's process id in this namespace.
	if err = unix.SetsockoptInt(p.Ready, unix.SOL_SOCKET, unix.SO_PASSCRED, 1); err != nil {
		return pair[1], refusedStart("setsockopt SO_PASSCRED", err)
	}
	return pair[1], nil
}

// resume resumes the process that waits for the release pipe.
func (p *Pipes) resume() error {
	if err := platform.WriteAll(p.Release, []byte{0}); err != nil {
		return refusedStart("release", err)
	}
	return nil
}

func (p *Pipes) close() {
	closeAll([]int{p.Release, p.Lifeline})
	p.Release, p.Lifeline = -1, -1
	p.CloseReady()
}

// CloseReady closes the socket of messages, if it is the launch's own.
func (p *Pipes) CloseReady() {
	if !p.borrowed {
		closeAll([]int{p.Ready})
		p.Ready = -1
	}
}
