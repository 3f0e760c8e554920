package stdio

import "golang.org/x/sys/unix"

// A handed terminal is one that the server was handed, with its state before. The mode that a server changes,
// and the exclusive mode that it sets or clears (TIOCEXCL, TIOCNXCL), would outlive the server.
type handed struct {
	fd        int
	mode      uint32
	exclusive bool
}

// remember keeps the state of standard input and standard error, if they are terminals. Of standard output
// nothing is kept open: its reader has to see the end when the server closes it.
func (t *Terminal) remember() {
	for _, std := range [...]int{0, 2} {
		var st unix.Stat_t
		if !isTerminal(std) || unix.Fstat(std, &st) != nil {
			continue
		}
		fd, err := dup(std)
		if err != nil {
			continue
		}
		exclusive, _ := unix.IoctlGetInt(fd, unix.TIOCGEXCL)
		t.handed = append(t.handed, handed{fd, st.Mode & 0o7777, exclusive != 0})
	}
}

// Restore restores that state, when everything of the sandbox has ended.
func (t *Terminal) Restore() {
	for _, h := range t.handed {
		var st unix.Stat_t
		if unix.Fstat(h.fd, &st) == nil && st.Mode&0o7777 != h.mode {
			unix.Fchmod(h.fd, h.mode)
		}
		if exclusive, err := unix.IoctlGetInt(h.fd, unix.TIOCGEXCL); err == nil && exclusive != 0 && !h.exclusive {
			unix.IoctlSetInt(h.fd, unix.TIOCNXCL, 0)
		}
		unix.Close(h.fd)
	}
	t.handed = nil
}
