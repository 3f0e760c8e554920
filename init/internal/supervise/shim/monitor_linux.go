package shim

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/coverwatch"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/proctree"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/relay"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A monitor stays with a released server until init has ended.
type monitor struct {
	say     func(string) // of a quiet monitor it does nothing
	quiet   bool
	sandbox *launch.Sandbox // nil until there is one
	stdio   *relay.Streams  // the server's standard streams; nil until then
	group   group
	signals signalPipes
	loop    loop.Loop
	end     ending.Ending
	messages

	covers      *coverwatch.Watcher // nil where nothing is covered
	appeared    coverwatch.Appeared
	alterRepair func(*layers.Repair)
}

// messages are what init sends once the server is released.
type messages struct {
	ready   *loop.Source
	publish *egress.Publisher // gets the sockets that it asked for; nil without published ports
}

func newMonitor(say func(string), quiet bool, alterRepair func(*layers.Repair)) *monitor {
	m := &monitor{say: say, quiet: quiet, alterRepair: alterRepair}
	if quiet {
		m.say = func(string) {}
	}
	m.group = group{say: func(line string) { m.say(line) }, forks: -1}
	return m
}

// run serves everything that can happen while a server runs.
func (m *monitor) run(in process, p *policy.Policy) {
	if !m.quiet {
		m.say = inRawMode(m.say, &m.stdio.Terminal)
	}
	m.stdio.Terminal.Enter()
	m.end.Begin(m, p)
	m.appeared = coverwatch.Appeared{Find: m.sandbox.View.Appeared, Say: m.say}
	m.register(in)
	if err := m.loop.Run(); err != nil {
		m.end.Because(order.CauseSupervisorLost)
		m.sandbox.CloseLifeline() // init ends, and the wait for it needs no poll
	}
}

func (m *monitor) register(in process) {
	l, sandbox := &m.loop, m.sandbox
	late := m.stdio.Terminal.EndsWithServer()
	if !late { // before init's end: a server that ends because its terminal is lost was cancelled
		m.stdio.Register(l)
	}
	l.Add(sandbox.Init.FD, unix.POLLIN, func(int16) { l.End() })
	if late {
		m.stdio.Register(l)
	}
	m.ready = l.Add(sandbox.Pipes.Ready, unix.POLLIN, func(int16) { m.onInitMessage() })
	in.register(m)
	m.covers.Register(l)
	m.group.register(l)
	m.appeared.Register(l, m.end.Next)
	m.end.Timer = l.Timer(m.pastDeadlines)
	m.end.Timer.Set(m.end.Next())
}

// pastDeadlines takes the steps that are due for the server's end.
func (m *monitor) pastDeadlines() {
	if m.end.Killing && ending.Expire(&m.end.KillAt, time.Now()) {
		m.sandbox.KillInit() // where init is not process 1, finish ends the rest
	}
	m.end.Step(m.say)
}

// Signal sends a signal to the server.
func (m *monitor) Signal(sig unix.Signal) { m.sandbox.Send(byte(sig)) }

// Ask sends one that asks for the end.
func (m *monitor) Ask(sig unix.Signal) {
	m.Signal(sig)
	m.Signal(unix.SIGCONT)
	launch.Asked(m.sandbox)
	m.appeared.LookEarly()
}

// sessionEnds begins the end of a server after its host has closed standard input, when everything is read.
func (m *monitor) sessionEnds() {
	m.end.SessionEnds()
	m.appeared.LookEarly()
}

// hungUp begins the end of a server at the loss of its terminal.
func (m *monitor) hungUp() {
	m.end.Because(order.CauseCancelled)
	m.end.Ask(unix.SIGHUP, ending.FromHost)
}

// onInitMessage handles a message of init: a server with a terminal was stopped, a socket for a published port, or the
// server has ended before its processes. End of file is init's own end.
func (m *monitor) onInitMessage() {
	switch text, sockets := launch.ReadMessage(m.sandbox); text {
	case layers.MsgStopped:
		m.job().onServerStop()
	case layers.MsgCloned: // a parent's
	case layers.MsgPublish:
		m.publish.Give(sockets)
	default:
		m.onInitExit(text != "")
	}
}

// onInitExit handles the last message of init: whether it leaves processes behind.
func (m *monitor) onInitExit(leaves bool) {
	if m.sandbox.Pipes.CloseReady(); m.sandbox.Pipes.Ready < 0 || !leaves {
		m.ready.Remove()
	}
	m.covers.Stop()
	m.publish.Stop()
	if leaves {
		m.end.Kill()
		if !m.sandbox.Shared() {
			m.sandbox.CloseLifeline()
		}
	}
}

// Kill ends the server, and with it everything: init kills and reaps the rest of its processes. Should that take longer
// than it may, init is killed.
func (m *monitor) Kill() (living int) {
	m.covers.Stop()
	if m.sandbox.Shared() { // stop first: counting while they fork never finishes
		living = killTree(m.sandbox)
		m.end.KillAt = time.Now()
		return living
	}
	living = proctree.Living(m.sandbox.Init.PID)
	m.Signal(unix.SIGKILL)
	m.end.KillAt = time.Now().Add(launch.ExitTimeout)
	return living
}

// killTree kills every process below init, which reaps them and exits, and returns the first count. Processes may
// still be exiting at the return.
func killTree(sandbox *launch.Sandbox) (killed int) {
	w := proctree.Sweep{Root: sandbox.Init.PID}
	killed = w.Kill()
	until := time.Now().Add(launch.ExitTimeout)
	for pause := time.Millisecond; time.Now().Before(until); pause = min(2*pause, 20*time.Millisecond) {
		if sandbox.Ended(pause) {
			break
		}
		w.Kill()
	}
	return killed
}

// job is the shim and its server as a job of the user's shell.
func (m *monitor) job() job { return job{m.sandbox, &m.stdio.Terminal, m.end.Next()} }
