package supervise

import (
	"golang.org/x/sys/unix"
)

// A handed is a terminal that the server was handed, as it was before. What a server changes of its mode, or by TIOCEXCL, would
// stay when it has ended: others could open the terminal, or nobody.
type handed struct {
	fd        int
	mode      uint32
	exclusive bool
}

// rememberTerminals takes down what standard input and standard error are, if they are terminals. Of standard output alone
// nothing is kept open: its reader has to see the end when the server closes it.
func (t *terminal) rememberTerminals() {
	for _, std := range [...]int{0, 2} {
		var st unix.Stat_t
		if !isTerminal(std) || unix.Fstat(std, &st) != nil {
			continue
		}
		fd, err := unix.FcntlInt(uintptr(std), unix.F_DUPFD_CLOEXEC, lowest)
		if err != nil {
			continue
		}
		only, _ := unix.IoctlGetInt(fd, unix.TIOCGEXCL)
		t.handed = append(t.handed, handed{fd, st.Mode & 0o7777, only != 0})
	}
}

// restoreTerminals makes them so again, when everything of the sandbox has ended.
func (t *terminal) restoreTerminals() {
	for _, h := range t.handed {
		var st unix.Stat_t
		if unix.Fstat(h.fd, &st) == nil && st.Mode&0o7777 != h.mode {
			unix.Fchmod(h.fd, h.mode)
		}
		if only, err := unix.IoctlGetInt(h.fd, unix.TIOCGEXCL); err == nil && only != 0 && !h.exclusive {
			unix.IoctlSetInt(h.fd, unix.TIOCNXCL, 0)
		}
		unix.Close(h.fd)
	}
	t.handed = nil
}
