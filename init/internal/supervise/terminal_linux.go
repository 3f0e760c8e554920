package supervise

import (
	"errors"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// A terminal is the server's controlling terminal, if it has one: either the one that the host gave the shim, or a pty of
// the shim's own, whose other side the shim connects with the user's terminal.
type terminal struct {
	given  bool // by the host
	hangup int  // the given one, of which only the end is watched; -1 if there is none
	hangs  *loop.Source

	handed []handed // to the server, which has no pty

	user   int // the user's own, while the server has a pty; -1 if there is none
	master int
	slave  int // kept open, so that a server that closes its own can come back by /dev/tty
	saved  unix.Termios
	raw    bool
}

// isGiven reports whether standard input is the terminal of this process's own session, which it leads: that is how
// pty.Start, setsid -c and docker run -t start a program, and a shell with job control never does.
func isGiven() bool {
	self := unix.Getpid()
	session, err := unix.Getsid(0)
	if err != nil || session != self {
		return false
	}
	session, err = unix.IoctlGetInt(0, unix.TIOCGSID)
	return err == nil && session == self
}

// yieldTerminal leaves a terminal that the host gave, so that init can take it: it can be that of one session only. The
// kernel tells the session of its loss by SIGHUP, which is not the host's here; tiocnotty(2const).
func (s *shim) yieldTerminal() (err error) {
	t := &s.terminal
	if t.given = isGiven(); !t.given {
		return nil
	}
	if t.hangup, err = unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, lowest); err != nil {
		return err
	}
	return signals.Without(func() error { return unix.IoctlSetInt(0, unix.TIOCNOTTY, 0) }, unix.SIGHUP, unix.SIGCONT)
}

// openTerminal makes the pty of a server that was asked to get one, and connects it with the user's terminal.
func (s *shim) openTerminal() error {
	modes, err := unix.IoctlGetTermios(0, unix.TCGETS)
	if err != nil {
		return &order.Refusal{Layer: order.Descriptors, Op: "use", Path: "descriptor 0",
			Err: errors.New("--tty needs a terminal on standard input")}
	}
	t := &s.terminal
	if err = t.pair(modes); err == nil && s.machine.Root {
		err = unix.Fchown(t.slave, s.machine.UID, -1)
	}
	if err == nil {
		t.user, err = unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, lowest)
	}
	if err == nil {
		err = s.connect()
	}
	if err != nil {
		return refusedStdio("open a terminal", err)
	}
	s.stdio.give = [3]int{t.slave, t.slave, t.slave}
	return nil
}

// pair opens both sides of a new pty with the modes and the size of the user's terminal.
func (t *terminal) pair(modes *unix.Termios) (err error) {
	const how = unix.O_RDWR | unix.O_NOCTTY | unix.O_CLOEXEC
	if t.master, err = unix.Open("/dev/ptmx", how|unix.O_NONBLOCK, 0); err != nil {
		return err
	}
	if err = unix.IoctlSetPointerInt(t.master, unix.TIOCSPTLCK, 0); err != nil {
		return err
	}
	n, err := unix.IoctlGetInt(t.master, unix.TIOCGPTN)
	if err != nil {
		return err
	}
	if t.slave, err = unix.Open("/dev/pts/"+strconv.Itoa(n), how, 0); err != nil {
		return err
	}
	if err = unix.IoctlSetTermios(t.slave, unix.TCSETS, modes); err != nil {
		return err
	}
	if size, err := unix.IoctlGetWinsize(0, unix.TIOCGWINSZ); err == nil {
		return unix.IoctlSetWinsize(t.master, unix.TIOCSWINSZ, size)
	}
	return nil
}

// connect has the bytes of both directions carried over.
func (s *shim) connect() error {
	t := &s.terminal
	to, err := newOutlet(1)
	if err != nil {
		return err
	}
	in, err := unix.FcntlInt(uintptr(t.user), unix.F_DUPFD_CLOEXEC, lowest)
	if err != nil {
		return err
	}
	twin, err := unix.FcntlInt(uintptr(t.master), unix.F_DUPFD_CLOEXEC, lowest)
	if err != nil {
		return err
	}
	down, up := newRelay(t.master, to), newRelay(in, outlet{fd: twin})
	down.output = true
	down.ended = func(input bool) {
		if !input { // nobody looks any more
			s.hungUp()
		}
	}
	up.slow = true
	up.ended = func(input bool) {
		if input {
			s.hungUp()
		}
	}
	s.stdio.relays = append(s.stdio.relays, down, up)
	return nil
}

// hungUp is the loss of a terminal, of which the kernel tells only the session's leader and its foreground.
func (s *shim) hungUp() {
	if s.terminal.hangup >= 0 {
		unix.Close(s.terminal.hangup)
		s.terminal.hangup = -1
		s.terminal.hangs.Remove()
	}
	s.end.Because(order.CauseCancelled)
	s.end.Ask(unix.SIGHUP, ending.FromHost)
}
