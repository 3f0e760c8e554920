package supervise

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// enter makes the user's terminal pass every byte on: the server's own does the rest. A job in the background leaves the
// terminal alone, or SIGTTOU would stop it.
func (t *terminal) enter() {
	if t.user < 0 || t.raw {
		return
	}
	if group, err := unix.IoctlGetInt(t.user, unix.TIOCGPGRP); err == nil && group != unix.Getpgrp() {
		return
	}
	modes, err := unix.IoctlGetTermios(t.user, unix.TCGETS)
	if err != nil {
		return
	}
	t.saved = *modes
	modes.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	modes.Oflag &^= unix.OPOST
	modes.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	modes.Cflag = modes.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	modes.Cc[unix.VMIN], modes.Cc[unix.VTIME] = 1, 0
	t.raw = unix.IoctlSetTermios(t.user, unix.TCSETS, modes) == nil
	t.resize()
}

// leave gives the user's terminal back as it was.
func (t *terminal) leave() {
	if !t.raw {
		return
	}
	t.raw = false
	if group, err := unix.IoctlGetInt(t.user, unix.TIOCGPGRP); err == nil && group != unix.Getpgrp() {
		return // it is somebody else's by now, who has made it as he needs it
	}
	unix.IoctlSetTermios(t.user, unix.TCSETS, &t.saved)
}

// resize gives the server's terminal the size of the user's. The kernel tells the server if that is another.
func (t *terminal) resize() {
	if size, err := unix.IoctlGetWinsize(t.user, unix.TIOCGWINSZ); err == nil {
		unix.IoctlSetWinsize(t.master, unix.TIOCSWINSZ, size)
	}
}

// takes is told of a signal that came, and reports whether the server hears of it in another way.
func (t *terminal) takes(sig unix.Signal) bool {
	switch {
	case t.user < 0:
	case sig == unix.SIGWINCH:
		t.resize() // the kernel tells the server's foreground
		return true
	case sig == unix.SIGCONT:
		t.enter()
	}
	return false
}

// stoppedServer stops this job of the user's shell as well when its server was stopped, by Ctrl-Z above all, and lets it go
// on when the shell does. Without a shell that could, the kernel ignores SIGTSTP, and the server goes on at once. On a
// terminal that the host gave, the host sees to that, by SIGCONT.
func (s *shim) stoppedServer() {
	t := &s.terminal
	if t.user < 0 || !s.isStopped() {
		return
	}
	t.leave()
	signals.ByDefault(func() error { return unix.Kill(0, unix.SIGTSTP) }, unix.SIGTSTP)
	t.enter()
	s.Signal(unix.SIGCONT)
}

// isStopped reports whether the server still is: what was covered again stopped it for a moment only.
func (s *shim) isStopped() bool {
	b, err := platform.ReadSmall("/proc/"+strconv.Itoa(s.server)+"/stat", 4096)
	if err != nil {
		return false
	}
	state, _, ok := platform.ParseStat(b)
	return ok && state == 'T'
}

// alsoRaw makes lines of the launcher's own begin at the left while nobody adds carriage returns.
func (s *shim) alsoRaw() {
	say := s.Say
	s.Say = func(line string) {
		say(line)
		if s.terminal.raw {
			platform.WriteAll(2, []byte{'\r'})
		}
	}
}
