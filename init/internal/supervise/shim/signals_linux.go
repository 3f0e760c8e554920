package shim

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/signals"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// signalPipes receive the signals that a supervisor passes on.
type signalPipes struct {
	asks   int // reads as the numbers of the signals that came and ask for the end
	others int // the same of the others

	renamed, resized flood
}

// open catches the signals. Those that ask for the end have a pipe of their own, which no other signal fills. Not
// SIGTTIN and SIGTTOU: the kernel means the process that touched the terminal, and a write of a process that catches
// them would be begun again and again.
func (p *signalPipes) open() (err error) {
	p.renamed.sig, p.resized.sig = unix.SIGIO, unix.SIGWINCH
	if p.asks, err = signals.Open(unix.SIGTERM, unix.SIGINT, unix.SIGHUP); err != nil {
		return err
	}
	p.others, err = signals.Open(unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGCONT, unix.SIGTSTP,
		p.renamed.sig, p.resized.sig)
	return err
}

// A flood is a signal that a server can cause endlessly: SIGWINCH by the size of a handed terminal, SIGIO by renames
// in a watched folder. Many signals need the same single call of do as one. So the signal is ignored during a pause,
// which costs nothing, and do is called once after the pause.
type flood struct {
	sig   unix.Signal
	do    func()
	next  time.Time     // when the pause ends
	again *loop.Timer   // when to do it again; not set: no signal came meanwhile
	used  time.Duration // the shim's processor time when the last pause began, or when the flood began
}

const (
	leastPause = 10 * time.Millisecond
	mostPause  = 100 * time.Millisecond
	pauseShare = 40 // times the processor time since the last pause began
)

func (f *flood) register(l *loop.Loop, do func()) { f.do, f.again = do, l.Timer(f.due) }

// onSignal does it now, or when the pause ends.
func (f *flood) onSignal() {
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

// due calls do. The signal is caught first: a later event sends another. The pause follows from all processor time of
// the shim in between: waking up, catching and ignoring the signal take more than a look at a few covers.
func (f *flood) due() {
	signals.Catch(f.sig)
	f.do()
	now := platform.ProcessTime() // half of a flood's cost is Go's sysmon thread, which wakes with it
	f.next = time.Now().Add(min(mostPause, max(leastPause, pauseShare*(now-f.used))))
	f.used = now
}

// signalsInTurn is how many signals are passed on in a turn of the loop.
const signalsInTurn = 64

// passAsks begins the escalation for signals that ask for the end.
func (m *monitor) passAsks() {
	for range signalsInTurn {
		sig := signals.Next(m.signals.asks)
		if !ending.Asks(sig) {
			return
		}
		m.end.HostAsks(sig)
	}
}

// passSignals hands other signals that came to the server.
func (m *monitor) passSignals() {
	for range signalsInTurn {
		switch sig := signals.Next(m.signals.others); sig {
		case 0:
			return
		case unix.SIGIO:
			m.signals.renamed.onSignal()
		case unix.SIGWINCH:
			m.signals.resized.onSignal()
		case unix.SIGCONT:
			m.stdio.Terminal.Enter()
			m.Signal(sig)
		case unix.SIGTSTP:
			m.Signal(sig)
			if !m.stdio.Terminal.HasPTY() {
				m.job().suspend()
			}
		default:
			m.Signal(sig)
		}
	}
}

// passResize tells the server that its terminal may have another size.
func (m *monitor) passResize() {
	if m.stdio.Terminal.HasPTY() {
		m.stdio.Terminal.Resize() // the kernel tells the server's foreground
		return
	}
	m.Signal(unix.SIGWINCH)
}
