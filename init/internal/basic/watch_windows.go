package basic

import (
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// listen catches what asks for the end: CTRL_C and CTRL_BREAK, and the end of console or session as SIGTERM.
func listen() chan os.Signal {
	c := make(chan os.Signal, 8)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	return c
}

// kernel is the version, as "10.0.26100".
func kernel() string {
	v := windows.RtlGetVersion()
	return strconv.Itoa(int(v.MajorVersion)) + "." + strconv.Itoa(int(v.MinorVersion)) + "." + strconv.Itoa(int(v.BuildNumber))
}

// watchParent calls gone when the process that started this one has ended. Windows gives numbers of processes again: one that
// began after this is another.
func watchParent(parent int, gone func()) {
	const rights = windows.SYNCHRONIZE | windows.PROCESS_QUERY_LIMITED_INFORMATION
	h, err := windows.OpenProcess(rights, false, uint32(parent))
	if err != nil {
		return // it is gone already, or somebody else's: then it is no host
	}
	defer windows.CloseHandle(h)
	if its, own := began(h), began(windows.CurrentProcess()); its == 0 || its > own {
		return
	}
	if _, err := windows.WaitForSingleObject(h, windows.INFINITE); err == nil {
		gone()
	}
}

// began is when a process was made, in units of 100 ns; 0 if nobody knows.
func began(process windows.Handle) int64 {
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(process, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	return int64(created.HighDateTime)<<32 | int64(created.LowDateTime)
}

// look is how long it takes at most to notice the end of standard input: Windows has no event for that.
const look = 200 * time.Millisecond

// A session is standard input, watched for the end of its writer.
type session struct{ pipe windows.Handle }

// newSession returns nil if standard input is no session: no pipe, or at its end already.
func newSession() *session {
	h := windows.Handle(os.Stdin.Fd())
	if kind, err := windows.GetFileType(h); err != nil || kind != windows.FILE_TYPE_PIPE {
		return nil
	}
	if _, err := peek(h); err != nil {
		return nil
	}
	var d windows.Handle
	self := windows.CurrentProcess()
	if windows.DuplicateHandle(self, h, self, &d, 0, false, windows.DUPLICATE_SAME_ACCESS) != nil {
		return nil
	}
	return &session{d}
}

// watch calls closed when the writer has closed the pipe and everything in it is read; before, Windows tells of no end. While
// the server reads, a look waits for it to have read: calls on one pipe that was opened for waiting come one after the other.
func (s *session) watch(_ time.Duration, closed func()) {
	defer windows.CloseHandle(s.pipe)
	for {
		if _, err := peek(s.pipe); err != nil {
			closed()
			return
		}
		time.Sleep(look)
	}
}

// letGoOfStdio takes the shim's own copies of standard input and output away: the reader of the server's output has to
// see its end when the server closes it.
func letGoOfStdio() {
	os.Stdin.Close()
	os.Stdout.Close()
}

// duplicate is another descriptor of an open file.
func duplicate(f *os.File) (*os.File, error) {
	var d windows.Handle
	self := windows.CurrentProcess()
	if err := windows.DuplicateHandle(self, windows.Handle(f.Fd()), self, &d, 0, false, windows.DUPLICATE_SAME_ACCESS); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(d), f.Name()), nil
}
