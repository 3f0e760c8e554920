//go:build darwin || linux

package basic

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// listen catches the signals that a supervisor passes on.
func listen() chan os.Signal {
	c := make(chan os.Signal, 16)
	signal.Notify(c, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGCONT)
	return c
}

// watchParent calls gone when the process that started this one has ended.
func watchParent(parent int, gone func()) {
	if parent <= 1 {
		return // it was gone already, or is a reaper of orphans
	}
	if os.Getppid() != parent || ended(parent) {
		gone()
	}
}

// sessionOf is the session that a process is in.
func sessionOf(pid int) (int, error) {
	sid, err := unix.Getsid(pid)
	return sid, os.NewSyscallError("getsid", err)
}

// again is how long to wait for the server to read what its host left behind. There is no event for that.
const again = 100 * time.Millisecond

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

// watch calls closed when the writer is gone and everything is read; a server that reads nothing for as long as its grace
// will not read the rest either.
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
		time.Sleep(again)
	}
}

// letGoOfStdio takes the shim's own copies of standard input and output away: the reader of the server's output has to
// see its end when the server closes it.
func letGoOfStdio() {
	for _, f := range []*os.File{os.Stdin, os.Stdout} {
		f.Close()
		unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0) // takes the number that is free now
	}
}

// duplicate is another descriptor of an open file.
func duplicate(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("fcntl F_DUPFD_CLOEXEC", err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
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
