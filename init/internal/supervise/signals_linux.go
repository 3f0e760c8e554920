package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// listen catches the signals that a supervisor passes on. Those that ask for the end have a pipe of their own, which no
// other signal fills. Not SIGTTIN and SIGTTOU: the kernel means the process that touched the terminal, and a write of one
// who catches them would be begun again and again.
func (s *shim) listen() (err error) {
	if s.asks, err = signals.Open(unix.SIGTERM, unix.SIGINT, unix.SIGHUP); err != nil {
		return err
	}
	s.signals, err = signals.Open(unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH, unix.SIGCONT, unix.SIGTSTP, unix.SIGIO)
	s.resized = flood{sig: unix.SIGWINCH, do: s.passResize}
	s.renames = flood{sig: unix.SIGIO, do: func() { s.covers.OnRename() }}
	return err
}

// A flood is a signal that a server can cause as often as it likes: SIGWINCH by the size of a terminal that it was handed,
// SIGIO by renames in a folder that is watched. What has to be done is the same for many of them as for one. So the signal
// is ignored while the shim rests from it, which costs nothing, and then that is done once more.
type flood struct {
	sig   unix.Signal
	do    func()
	next  time.Time     // when the shim has rested
	again *loop.Timer   // when to do it again; not set: no signal came meanwhile
	used  time.Duration // the shim's processor time when the shim last began to rest, or when the flood began
}

const (
	rest      = 10 * time.Millisecond  // at least so long
	mostRest  = 100 * time.Millisecond // and at most
	restShare = 40                     // and so many times as long as the processor was used since the last rest
)

func (f *flood) register(l *loop.Loop) { f.again = l.Timer(f.due) }

// came is told of the signal.
func (f *flood) came() {
	switch now := time.Now(); {
	case f.again.IsSet():
	case now.After(f.next):
		f.used = platform.ProcessTime()
		f.due()
	default:
		signals.Ignore(f.sig)
		f.again.Set(f.next)
	}
}

// due does it. First the signal is caught again: what happens from here on brings another. The rest follows from all that the
// shim used in between, for to wake up and to catch and ignore the signal takes more of the processor than to look at a few covers.
func (f *flood) due() {
	signals.Catch(f.sig)
	f.do()
	now := platform.ProcessTime() // half of what a flood costs is Go's sysmon thread, which wakes with it
	f.next = time.Now().Add(min(mostRest, max(rest, restShare*(now-f.used))))
	f.used = now
}

// inTurn is how many signals are passed on in a turn of the loop.
const inTurn = 64

// passAsks begins the escalation for signals that ask for the end.
func (s *shim) passAsks() {
	for range inTurn {
		sig := signals.Next(s.asks)
		if !ending.Asks(sig) {
			return
		}
		s.end.HostAsks(sig)
	}
}

// passSignals hands other signals that came to the server.
func (s *shim) passSignals() {
	for range inTurn {
		switch sig := signals.Next(s.signals); sig {
		case 0:
			return
		case unix.SIGIO:
			s.renames.came()
		case unix.SIGWINCH:
			s.resized.came()
		case unix.SIGCONT:
			s.stdio.Terminal.Enter()
			s.Signal(sig)
		case unix.SIGTSTP:
			s.Signal(sig)
			if !s.stdio.Terminal.HasPTY() {
				s.suspend()
			}
		default:
			s.Signal(sig)
		}
	}
}

// passResize tells the server that its terminal may have another size.
func (s *shim) passResize() {
	if s.stdio.Terminal.HasPTY() {
		s.stdio.Terminal.Resize() // the kernel tells the server's foreground
		return
	}
	s.Signal(unix.SIGWINCH)
}
