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

// Signals that the launcher passes on: those that ask for the end, and others.
var (
	asks   = []unix.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGHUP}
	passed = []unix.Signal{unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGCONT, unix.SIGTSTP, unix.SIGWINCH}
)

// open catches the signals. Those that ask for the end have a pipe of their own, which no other signal fills. Not
// SIGTTIN and SIGTTOU: the kernel means the process that touched the terminal, and a write of a process that catches
// them would be begun again and again.
func (p *signalPipes) open() (err error) {
	renamed, resized := unix.SIGIO, unix.SIGWINCH
	p.renamed, p.resized = floodOf(renamed), floodOf(resized)
	if p.asks, err = signals.Open(asks...); err != nil {
		return err
	}
	p.others, err = signals.Open(append([]unix.Signal{renamed}, passed...)...)
	return err
}

// register has the loop pass signals on, and wait for the host's end.
func (s own) register(m *monitor) {
	l := &m.loop
	l.Add(m.signals.asks, unix.POLLIN, func(int16) { m.passAsks() })
	l.Add(m.signals.others, unix.POLLIN, func(int16) { m.passSignals() })
	for _, fd := range [...]int{s.Host, s.Parent} { // a host that closes its sandbox still reads how that ended
		var gone *loop.Source
		gone = l.Add(fd, unix.POLLIN, func(int16) { gone.Remove(); m.end.HostGone() })
	}
	m.signals.renamed.register(l, m.covers.OnRename)
	m.signals.resized.register(l, m.passResize)
	// Then write(2) fails with EFBIG where RLIMIT_FSIZE limits a log. Not before: the server would inherit that.
	signals.Ignore(unix.SIGXFSZ)
}

// floodOf is a flood of signals.
func floodOf(sig unix.Signal) flood {
	return flood{hold: func() { signals.Ignore(sig) }, let: func() { signals.Catch(sig) }, clock: platform.ProcessTime}
}

// A flood is a signal, or another event, that a server can cause endlessly: SIGWINCH by the size of a handed terminal,
// SIGIO by renames in a watched folder. Many of them need the same single call of do as one. So they are held, a signal
// by ignoring it, which costs nothing, during a pause, and do is called once after the pause.
type flood struct {
	hold, let func()               // no more events come, and they come again
	clock     func() time.Duration // processor time that the events took, among others
	do        func()
	next      time.Time     // when the pause ends
	again     *loop.Timer   // when to do it again; not set: no signal came meanwhile
	used      time.Duration // the shim's processor time when the last pause began, or when the flood began
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
		f.used = f.clock()
		f.due()
	default:
		f.hold()
		f.again.Set(f.next)
	}
}

// due calls do. Events are let come first: a later one is another. The pause follows from all processor time of
// the shim in between: waking up, catching and ignoring the signal take more than a look at a few covers.
func (f *flood) due() {
	f.let()
	f.do()
	now := f.clock() // of a shim the process's: half of a flood's cost is Go's sysmon thread, which wakes with it
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
