package shim

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/streams"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/relay"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/signals"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// openStdio makes the server's standard input, output and error.
func (s own) openStdio() error {
	m, anySocket := s.monitor, s.policy.Level == policy.Privileged
	host, err := streams.Check([3]int{0, 1, 2}, anySocket)
	if err != nil {
		return err
	}
	carried := streams.Carried(&host[1], anySocket) && streams.Carried(&host[2], anySocket)
	if !s.Order.TTY && carried && streams.SameFile(1, 2) {
		if err = shareOpenFile(1, 2); err != nil {
			return &order.Refusal{Layer: order.Descriptors, Op: "relay", Err: err}
		}
	}
	m.stdio, err = relay.Open(relay.Config{
		TTY: s.Order.TTY, Guard: s.Order.StdoutGuard, AnySocket: anySocket,
		UID: s.machine.UID, GID: s.machine.GID, Chown: s.machine.Root,
		WatchStdin: s.policy.OnStdinClose == policy.Terminate, SessionEnds: m.sessionEnds,
		Grace:          func() time.Duration { return m.end.Grace(ending.Grace) },
		GiveUpTerminal: giveUpTerminal, HungUp: m.hungUp, Say: func(line string) { m.say(line) },
	}, host)
	return err
}

// stdioAsGiven is the streams of a server that gets this process's standard input, output and error.
func stdioAsGiven() *relay.Streams {
	return &relay.Streams{Server: [3]int{0, 1, 2}, Terminal: relay.Terminal{Given: relay.IsControlling()}}
}

// shareOpenFile makes two descriptors of one file the same open file description, or a write to one would
// overwrite the other's: the appending description, else that with the larger offset.
func shareOpenFile(a, b int) error {
	if at, err := unix.Seek(b, 0, unix.SEEK_CUR); err == nil && !appends(a) {
		if from, err := unix.Seek(a, 0, unix.SEEK_CUR); appends(b) || err == nil && at > from {
			a, b = b, a
		}
	}
	return unix.Dup3(a, b, 0)
}

func appends(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_APPEND != 0
}

// giveUpTerminal gives up this session's controlling terminal. The kernel sends SIGHUP and SIGCONT to the foreground
// process group then, which do not come from the host; TIOCNOTTY(2const).
func giveUpTerminal() error {
	return signals.Without(func() error { return unix.IoctlSetInt(0, unix.TIOCNOTTY, 0) }, unix.SIGHUP, unix.SIGCONT)
}

// detach closes the shim's own copies of standard input and output, once init has them: the reader of the
// server's output has to see its end when the server closes it. Standard error stays for messages.
func (own) detach() {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		unix.Close(0)
		unix.Close(1)
		return
	}
	unix.Dup3(null, 0, 0)
	unix.Dup3(null, 1, 0)
	unix.Close(null)
}

// inRawMode ends the shim's own lines with \r\n while the user's terminal is in raw mode.
func inRawMode(say func(string), t *relay.Terminal) func(string) {
	return func(line string) {
		say(line)
		if t.IsRaw() {
			platform.WriteAll(2, []byte{'\r'})
		}
	}
}
