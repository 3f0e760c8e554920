package supervise

import (
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
