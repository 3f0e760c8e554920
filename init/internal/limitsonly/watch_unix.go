//go:build darwin || linux

package limitsonly

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// catchSignals catches the signals that a shim passes on.
func catchSignals() chan os.Signal {
	c := make(chan os.Signal, 16)
	signal.Notify(c, unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT)
	signal.Notify(c, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH, unix.SIGCONT)
	return c
}

// watchParent calls gone when the process that started this one has ended.
func watchParent(parent int, gone func()) {
	if parent <= 1 {
		return // it was gone already, or is a reaper of orphans
	}
	if os.Getppid() != parent || waitProcess(parent) {
		gone()
	}
}

// unreadInterval is the polling interval for input that the host left unread. There is no event for that.
const unreadInterval = 100 * time.Millisecond

// A session is standard input, watched for the end of its writer.
type session struct{ fd int }

// newSession returns nil if standard input is no session: neither pipe nor socket, or at its end already.
func newSession() *session {
	var st unix.Stat_t
	if unix.Fstat(0, &st) != nil {
		return nil
	}
	if t := st.Mode & unix.S_IFMT; t != unix.S_IFIFO && t != unix.S_IFSOCK {
		return nil
	}
	if over, err := hungUp(0, 0); over || err != nil {
		return nil
	}
	fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil
	}
	return &session{fd}
}

// watch calls closed when the writer is gone and everything is read. A server that reads nothing for as long as
// its grace will not read the rest either.
func (s *session) watch(grace time.Duration, closed func()) {
	defer unix.Close(s.fd)
	if over, err := hungUp(s.fd, -1); !over || err != nil {
		return
	}
	unread, since := -1, time.Now()
	for {
		n, err := unix.IoctlGetInt(s.fd, bytesUnread)
		if n != unread {
			unread, since = n, time.Now()
		}
		if err != nil || n == 0 || time.Since(since) >= grace {
			closed()
			return
		}
		time.Sleep(unreadInterval)
	}
}

// closeStdio closes the shim's own standard input and output: the reader of the server's output has to see the
// end when the server closes its output.
func closeStdio() {
	for _, f := range []*os.File{os.Stdin, os.Stdout} {
		f.Close()
		unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0) // takes the number that was closed
	}
}

// duplicate is another descriptor of an open file.
func duplicate(f *os.File) (*os.File, error) { return duplicateFD(int(f.Fd())) }

func duplicateFD(fd int) (*os.File, error) {
	fd, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("fcntl F_DUPFD_CLOEXEC", err)
	}
	return os.NewFile(uintptr(fd), ""), nil
}

func usable(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return errStreamClosed
	}
	switch m := info.Mode(); {
	case m.IsRegular(), m&(os.ModeNamedPipe|os.ModeSocket|os.ModeCharDevice) != 0:
		return nil
	}
	return errStreamKind
}
