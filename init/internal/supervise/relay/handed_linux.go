package relay

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/streams"
	"golang.org/x/sys/unix"
)

// A handed terminal is one that the server was handed, with its state before. A server's changes of that state would
// outlive the server.
type handed struct {
	fd        int
	mode      uint32
	uid, gid  int
	exclusive bool
	modes     *unix.Termios // nil: they are not put back
}

// remember keeps the state of each standard descriptor that is a terminal.
func (s *Streams) remember() {
	all := streams.IsTerminal(0) && streams.SameFile(0, 1) && streams.SameFile(0, 2)
	for std := range 3 {
		var st unix.Stat_t
		if !streams.IsTerminal(std) || unix.Fstat(std, &st) != nil {
			continue
		}
		fd, err := hold(std, s.AnySocket)
		if err != nil {
			continue
		}
		exclusive, _ := unix.IoctlGetInt(fd, unix.TIOCGEXCL)
		h := handed{fd: fd, mode: st.Mode & 0o7777, uid: int(st.Uid), gid: int(st.Gid), exclusive: exclusive != 0}
		if all && std == 0 { // else another program may use the terminal, and change its modes: a pager behind a pipe
			h.modes, _ = unix.IoctlGetTermios(fd, unix.TCGETS)
		}
		s.Terminal.handed = append(s.Terminal.handed, h)
	}
}

// hold keeps a terminal within reach. Standard output is not kept open: its reader has to see the end when the server
// closes it. A descriptor without rights can do without: the filter keeps TIOCEXCL from the server (tty_ioctl(4)),
// which such a descriptor could not undo. Level privileged has no filter.
func hold(std int, privileged bool) (int, error) {
	if std != 1 || privileged {
		return dup(std)
	}
	return unix.Open(byNumber(std), unix.O_PATH|unix.O_CLOEXEC, 0)
}

// byNumber is a descriptor's path, by which also one without rights gets a mode.
func byNumber(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// Restore restores that state, when everything of the sandbox has ended.
func (t *Terminal) Restore() {
	for _, h := range t.handed {
		h.restore()
		unix.Close(h.fd)
	}
	t.handed = nil
}

func (h *handed) restore() {
	var st unix.Stat_t
	if unix.Fstat(h.fd, &st) != nil {
		return
	}
	mode := h.mode
	if int(st.Uid) != h.uid || int(st.Gid) != h.gid {
		if unix.Fchownat(h.fd, "", h.uid, h.gid, unix.AT_EMPTY_PATH) != nil {
			mode &^= 0o070 // they were another group's: a user cannot give a terminal to a group that he is not of
		}
	}
	if st.Mode&0o7777 != mode {
		unix.Chmod(byNumber(h.fd), mode)
	}
	if exclusive, err := unix.IoctlGetInt(h.fd, unix.TIOCGEXCL); err == nil && (exclusive != 0) != h.exclusive {
		how := uint(unix.TIOCNXCL)
		if h.exclusive {
			how = unix.TIOCEXCL
		}
		unix.IoctlSetInt(h.fd, how, 0)
	}
	if now, err := unix.IoctlGetTermios(h.fd, unix.TCGETS); h.modes != nil && err == nil && *now != *h.modes &&
		isForeground(h.fd) {
		unix.IoctlSetTermios(h.fd, unix.TCSETS, h.modes)
	}
}
