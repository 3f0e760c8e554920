package relay

import (
	"errors"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// A Terminal is the server's controlling terminal, if the server has one: the terminal that the host gave this process,
// or a pty that this process connects, by its master, with the user's terminal.
type Terminal struct {
	Given       bool // by the host
	controlling int  // the given one, of which only the hang-up is watched; -1: none
	hangups     *loop.Source

	handed []handed

	user  int // the user's terminal, while the server has a pty; -1: none
	pty   int // the master
	slave int // kept open, so that a server that closes its own can open /dev/tty again
	saved unix.Termios
	raw   bool // the user's terminal is
}

// IsControlling reports whether standard input is the controlling terminal of this process's session, and this
// process leads the session: pty.Start, setsid -c and docker run -t start a program so, and a shell with job
// control never does.
func IsControlling() bool {
	self := unix.Getpid()
	session, err := unix.Getsid(0)
	if err != nil || session != self {
		return false
	}
	session, err = unix.IoctlGetInt(0, unix.TIOCGSID)
	return err == nil && session == self
}

// yieldTerminal gives up a terminal that the host gave, so that init can take it: a terminal belongs to one session.
func (s *Streams) yieldTerminal() (err error) {
	t := &s.Terminal
	if t.Given = IsControlling(); !t.Given {
		return nil
	}
	if t.controlling, err = dup(0); err != nil {
		return err
	}
	return s.GiveUpTerminal()
}

// openTerminal makes the server's pty, and connects it with the user's terminal.
func (s *Streams) openTerminal() error {
	modes, err := unix.IoctlGetTermios(0, unix.TCGETS)
	if err != nil {
		return &order.Refusal{Layer: order.Descriptors, Op: diagnose.OpUse, Path: "descriptor 0",
			Err: errors.New("--tty needs a terminal on standard input")}
	}
	t := &s.Terminal
	if err = t.openPTY(modes); err == nil && s.Chown {
		err = unix.Fchown(t.slave, s.UID, -1)
	}
	if err == nil {
		t.user, err = dup(0)
	}
	if err == nil {
		err = s.connectPTY()
	}
	if err != nil {
		return refusal("open a terminal", err)
	}
	s.Server = [3]int{t.slave, t.slave, t.slave}
	return nil
}

// openPTY opens both sides of a new pty with the modes and the size of the user's terminal; pty(7).
func (t *Terminal) openPTY(modes *unix.Termios) (err error) {
	const how = unix.O_RDWR | unix.O_NOCTTY | unix.O_CLOEXEC
	if t.pty, err = unix.Open("/dev/ptmx", how|unix.O_NONBLOCK, 0); err != nil {
		return err
	}
	if err = unix.IoctlSetPointerInt(t.pty, unix.TIOCSPTLCK, 0); err != nil {
		return err
	}
	n, err := unix.IoctlGetInt(t.pty, unix.TIOCGPTN)
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
		return unix.IoctlSetWinsize(t.pty, unix.TIOCSWINSZ, size)
	}
	return nil
}

// connectPTY relays both directions.
func (s *Streams) connectPTY() error {
	t := &s.Terminal
	to, err := newWriter(1)
	if err != nil {
		return err
	}
	in, err := dup(t.user)
	if err != nil {
		return err
	}
	twin, err := dup(t.pty)
	if err != nil {
		return err
	}
	down, up := newRelay(t.pty, to), newRelay(in, writer{fd: twin})
	down.output = true
	down.ended = func(input bool) {
		if !input { // the user's terminal has hung up
			s.hungUp()
		}
	}
	up.slow = true
	up.ended = func(input bool) {
		if input {
			s.hungUp()
		}
	}
	s.relays = append(s.relays, down, up)
	return nil
}

// hungUp handles the loss of a terminal. The kernel tells only the session's leader and the foreground process group.
func (s *Streams) hungUp() {
	if t := &s.Terminal; t.controlling >= 0 {
		unix.Close(t.controlling)
		t.controlling = -1
		t.hangups.Remove()
	}
	s.HungUp()
}

// EndsWithServer reports whether the controlling terminal may hang up because the server has ended: init leads its
// session, and at the end of a session's leader the kernel hangs up each terminal but a pty slave (majors 136 to 143).
func (t *Terminal) EndsWithServer() bool {
	var st unix.Stat_t
	if t.controlling < 0 || unix.Fstat(t.controlling, &st) != nil {
		return false
	}
	major := unix.Major(st.Rdev)
	return major < 136 || major > 143
}

// HasPTY reports whether the server has a pty of this process's.
func (t *Terminal) HasPTY() bool { return t.user >= 0 }

// IsRaw reports whether the user's terminal is in raw mode.
func (t *Terminal) IsRaw() bool { return t.raw }

// Enter sets the user's terminal to raw mode: the server's pty does the line discipline. In a background job it
// does nothing, or SIGTTOU would stop this process.
func (t *Terminal) Enter() {
	if t.user < 0 || t.raw || !isForeground(t.user) {
		return
	}
	modes, err := unix.IoctlGetTermios(t.user, unix.TCGETS)
	if err != nil {
		return
	}
	t.saved = *modes
	modes.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP |
		unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	modes.Oflag &^= unix.OPOST
	modes.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	modes.Cflag = modes.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	modes.Cc[unix.VMIN], modes.Cc[unix.VTIME] = 1, 0
	t.raw = unix.IoctlSetTermios(t.user, unix.TCSETS, modes) == nil
	t.Resize()
}

// isForeground reports whether this process is in the foreground process group of a terminal of the user's, as far as
// the terminal tells.
func isForeground(fd int) bool {
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// Leave restores the mode of the user's terminal. In the background it does not: another job has set the mode
// that it needs.
func (t *Terminal) Leave() {
	if t.raw && isForeground(t.user) {
		unix.IoctlSetTermios(t.user, unix.TCSETS, &t.saved)
	}
	t.raw = false
}

// Resize gives the server's pty the size of the user's terminal. If that is another size the kernel sends SIGWINCH.
func (t *Terminal) Resize() {
	if size, err := unix.IoctlGetWinsize(t.user, unix.TIOCGWINSZ); err == nil {
		unix.IoctlSetWinsize(t.pty, unix.TIOCSWINSZ, size)
	}
}
