package shim

// This file: a launch in its host's process. Nothing of that process is changed.

import (
	"errors"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/answers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/streams"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/relay"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/report"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// errShim is the error of a launch that needs a process of its own.
var errShim = errors.New("this launch needs a shim")

// errParent is the error of a launch after the end of its parent.
var errParent = errors.New("the process that the host started has ended")

// hosted is the process of a host.
type hosted struct {
	*shim
	of      *Hosted
	waiter  *loop.Waiter
	streams [3]int
}

// run is the launch. An error means that a shim has to make it.
func (p *hosted) run() (code int, err error) {
	defer func() {
		if r := recover(); r != nil { // the host goes on, and the server ends
			code, err = ending.ExitSandbox, nil
			p.lose()
		}
	}()
	err = p.start()
	p.of.made()
	if err == nil {
		p.supervise() // no shim can follow: the report is out, and the process has no streams
		return p.finish(), nil
	}
	if errors.As(err, new(report.Signalled)) || errors.Is(err, report.ErrHostGone) {
		return p.refuse(err), nil
	}
	return 0, err
}

// lose ends the server of a launch in which this package has failed. The host learns of a lost supervisor.
func (p *hosted) lose() {
	defer func() { _ = recover() }() // the launch may be in any state
	if sandbox := p.monitor.sandbox; sandbox != nil {
		sandbox.KillInit()
	}
	p.say("the launch is lost by a fault in mcp-sandbox, and ends")
}

// end gives everything back. The server has ended, or was never released.
func (p *hosted) end() {
	defer func() { _ = recover() }() // a launch that was lost may be in any state
	if sandbox := p.monitor.sandbox; sandbox != nil {
		sandbox.Close()
	}
	p.restore() // state, package and group are given back once everything has ended
	if s := p.monitor.stdio; s != nil {
		s.Close()
	}
	for _, fd := range p.streams {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
}

func (p *hosted) say(line string) {
	if p.streams[2] >= 0 {
		p.of.Say(p.streams[2], line)
	}
}

func (p *hosted) open() error { return nil }

// meet takes hold of the process, which waits.
func (p *hosted) meet() error {
	parent := p.of.parent
	fds, err := parent.Streams(func(fd int) error {
		first := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for first[0].Revents == 0 {
			if err := p.interrupted(nil); err != nil { // what came before this goroutine waits wakes it no more
				return err
			}
			if _, err := p.waiter.Poll(first, -1); err != nil && err != unix.EINTR {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.streams = fds
	if parent.UID != unix.Getuid() || parent.GID != unix.Getgid() { // SysProcAttr.Credential
		return errShim
	}
	return nil
}

func (p *hosted) watchHost() error { return nil } // init sees the end of its lifeline

// openStdio looks around while the process starts, and then takes its pipes, sockets with one peer and /dev/null.
// Others take work that is a process's own.
func (p *hosted) openStdio() error {
	// What asks a file system that may not answer is a process, and would be the host's child.
	mounts := answers.Mounts()
	asks := mounts != nil && answers.Asks(mounts, looksOf(p.Order, &p.policy))
	if err := p.meet(); err != nil {
		return err
	}
	if asks {
		return errShim
	}
	host, err := streams.Check(p.streams, false)
	if err != nil {
		return err
	}
	for i := range host {
		if streams.Carried(&host[i], false) || streams.IsTerminal(p.streams[i]) {
			return errShim
		}
	}
	m := p.monitor
	m.stdio = relay.Given(relay.Config{WatchStdin: p.policy.OnStdinClose == policy.Terminate,
		SessionEnds: m.sessionEnds, Grace: func() time.Duration { return m.end.Grace(ending.Grace) },
		Say: func(line string) { m.say(line) }}, p.streams)
	p.streams[0], p.streams[1] = -1, -1
	return nil
}

func (p *hosted) interrupts() []unix.PollFd {
	return []unix.PollFd{{Fd: int32(p.of.parent.FD), Events: unix.POLLIN}}
}

func (p *hosted) interrupted(polled []unix.PollFd) error {
	if sig := p.of.parent.TakeFirst(ending.Asks); sig != 0 {
		return report.Signalled{Signal: sig}
	}
	switch {
	case p.of.closed.Load():
		return report.ErrHostGone
	case len(polled) > 0 && polled[0].Revents != 0:
		return errParent
	}
	return nil
}

func (p *hosted) configure(c *launch.Config) {
	c.Host.Parent, c.Covers, c.Interrupt.Poll = p.of.parent, coverWatch{p.monitor, p}, p.waiter.Poll
	c.Host.Grace = ending.FromHost
	if g, named := p.policy.Limits.Grace.Value(); named {
		c.Host.Grace = g
	}
}

func (p *hosted) check() error { return p.of.parent.Check() }

// detach leaves what tells of packets to the parent, if it can have that.
func (p *hosted) detach() {
	var st unix.Stat_t
	if unix.Fstat(p.streams[2], &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR { // /dev/null
		unix.Close(p.streams[2])
		p.streams[2] = -1
	}
	sockets, lent, packet := egress.Lend(p.network.engine)
	p.of.parent.Packet = packet
	if len(sockets) == layers.ParentSockets && launch.LetGo(p.monitor.sandbox, sockets) == nil {
		lent()
		return
	}
	_ = launch.LetGo(p.monitor.sandbox, nil)
}

func (p *hosted) register(m *monitor) {
	parent := p.of.parent
	listen := m.loop.Timer(parent.Listen)
	parent.Later = func() { listen.Set(time.Now().Add(leastPause)) }
	m.loop.Poll = p.waiter.Poll
	all := func(unix.Signal) bool { return true }
	m.loop.Every = func() {
		for sig := parent.TakeFirst(all); sig != 0; sig = parent.TakeFirst(all) {
			if ending.Asks(sig) {
				m.end.HostAsks(sig)
			} else if slices.Contains(passed, sig) {
				m.Signal(sig)
			}
		}
		if p.of.closed.Load() {
			m.end.HostGone()
		}
		if m.sandbox.Listener.Poll() < 0 {
			parent.Look()
		}
		if parent.Over() {
			m.loop.End()
		}
		m.covers.Heard(m.signals.renamed.onSignal, parent.Laid())
	}
	registerRenames(m)
	p.waiter.Rouse() // for events before that
}

// registerRenames has the covers looked at when a folder changes. The host computes too, so what the looks take is the
// time that they last.
func registerRenames(m *monitor) {
	var used time.Duration
	timed := func(f func()) func() {
		return func() {
			began := time.Now()
			f()
			used += time.Since(began)
		}
	}
	again := func() {
		if !m.covers.Again() {
			m.signals.renamed.again.Set(time.Now().Add(mostPause))
		}
	}
	m.signals.renamed = flood{hold: func() {}, let: timed(again), clock: func() time.Duration { return used }}
	m.signals.renamed.register(&m.loop, timed(m.covers.OnRename))
}
