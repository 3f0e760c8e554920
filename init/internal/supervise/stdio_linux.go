package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"github.com/security-mcp/mcp-sandbox/init/internal/stdio"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// checkStdio refuses standard descriptors that would open the host's tree or network to the server.
func (s *shim) checkStdio() (err error) {
	s.standard, err = stdio.Check(s.policy.Level == policy.Privileged)
	return err
}

// openStdio makes what the server gets as standard input, output and error.
func (s *shim) openStdio() (err error) {
	anySocket := s.policy.Level == policy.Privileged
	if !s.Order.TTY && stdio.Carried(&s.standard[1], anySocket) && stdio.Carried(&s.standard[2], anySocket) && stdio.SameFile(1, 2) {
		if err = shareOpenFile(1, 2); err != nil {
			return &order.Refusal{Layer: order.Descriptors, Op: "relay", Err: err}
		}
	}
	m := &s.machine
	s.stdio, err = stdio.Open(stdio.Config{
		TTY: s.Order.TTY, Guard: s.Order.StdoutGuard, AnySocket: anySocket, UID: m.UID, GID: m.GID, Chown: m.Root,
		WatchStdin: s.policy.OnStdinClose == policy.Terminate, SessionEnds: s.sessionEnds,
		Grace:          func() time.Duration { return s.end.Grace(ending.Grace) },
		GiveUpTerminal: giveUpTerminal, HungUp: s.hungUp, Say: func(line string) { s.Say(line) },
	}, s.standard)
	return err
}

// shareOpenFile makes two descriptors of one file the same open file description, or what is written to one would overwrite the
// other's: the one that appends, else the one with the larger offset.
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

// giveUpTerminal gives up this session's controlling terminal. The kernel sends SIGHUP and SIGCONT to the foreground process group
// then, which do not come from the host; TIOCNOTTY(2const).
func giveUpTerminal() error {
	return signals.Without(func() error { return unix.IoctlSetInt(0, unix.TIOCNOTTY, 0) }, unix.SIGHUP, unix.SIGCONT)
}

// detachStdio closes the shim's own copies of standard input and output, once init has them: the reader of the server's output has
// to see its end when the server closes it. Standard error stays for messages.
func detachStdio() {
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

// registerStdio has the loop carry the server's input and output.
func (s *shim) registerStdio() {
	// Then write(2) fails with EFBIG where RLIMIT_FSIZE limits a log. Not before: the server would inherit that.
	signals.Ignore(unix.SIGXFSZ)
	s.stdio.Register(&s.loop)
}

// restoreTerminals undoes what the server and the shim changed of the user's terminals.
func (s *shim) restoreTerminals() {
	if s.stdio != nil {
		s.stdio.Terminal.Restore()
		s.stdio.Terminal.Leave()
	}
}

// hungUp begins the end of a server whose terminal is lost.
func (s *shim) hungUp() {
	s.end.Because(order.CauseCancelled)
	s.end.Ask(unix.SIGHUP, ending.FromHost)
}

// endLines ends the shim's own lines with \r\n while the user's terminal is in raw mode.
func (s *shim) endLines() {
	say := s.Say
	s.Say = func(line string) {
		say(line)
		if s.stdio.Terminal.IsRaw() {
			platform.WriteAll(2, []byte{'\r'})
		}
	}
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}
