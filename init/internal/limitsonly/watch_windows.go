package limitsonly

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// catchSignals catches requests to end: CTRL_C and CTRL_BREAK, and the end of console or session as SIGTERM.
func catchSignals() chan os.Signal {
	c := make(chan os.Signal, 8)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	return c
}

// kernel is the version, as "10.0.26100".
func kernel() string {
	v := windows.RtlGetVersion()
	return number(v.MajorVersion) + "." + number(v.MinorVersion) + "." + number(v.BuildNumber)
}

// watchParent calls gone when the process that started this one has ended. Windows reuses process ids: a
// process that began after this one is not the parent.
func watchParent(parent int, gone func()) {
	const rights = windows.SYNCHRONIZE | windows.PROCESS_QUERY_LIMITED_INFORMATION
	h, err := windows.OpenProcess(rights, false, uint32(parent))
	if err != nil {
		return // the process has ended, or is another user's: no host
	}
	defer windows.CloseHandle(h)
	if parent, own := beganAt(h), beganAt(windows.CurrentProcess()); parent == 0 || parent > own {
		return
	}
	if _, err := windows.WaitForSingleObject(h, windows.INFINITE); err == nil {
		gone()
	}
}

// beganAt is when a process was made, in units of 100 ns; 0 if that is unknown.
func beganAt(process windows.Handle) int64 {
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(process, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	return int64(created.HighDateTime)<<32 | int64(created.LowDateTime)
}

// peekInterval is how long it takes at most to notice the end of standard input: Windows has no event for that.
const peekInterval = 200 * time.Millisecond

// A session is standard input, watched for the end of its writer.
type session struct{ pipe windows.Handle }

// newSession returns nil if standard input is no session: no pipe, or at its end already.
func newSession() *session {
	h := windows.Handle(os.Stdin.Fd())
	if kind, err := windows.GetFileType(h); err != nil || kind != windows.FILE_TYPE_PIPE {
		return nil
	}
	if peek(h) != nil {
		return nil
	}
	d, err := copyHandle(windows.CurrentProcess(), h, false)
	if err != nil {
		return nil
	}
	return &session{d}
}

// watch calls closed when the writer has closed the pipe and everything in it is read; before that Windows
// reports no end. While the server waits in a read, peek waits too: calls on one pipe that was opened for
// waiting come one after the other.
func (s *session) watch(_ time.Duration, closed func()) {
	defer windows.CloseHandle(s.pipe)
	for {
		if peek(s.pipe) != nil {
			closed()
			return
		}
		time.Sleep(peekInterval)
	}
}

// closeStdio closes the shim's own standard input and output: the reader of the server's output has to see the
// end when the server closes its output.
func closeStdio() {
	os.Stdin.Close()
	os.Stdout.Close()
}

// duplicate is another descriptor of an open file.
func duplicate(f *os.File) (*os.File, error) {
	d, err := copyHandle(windows.CurrentProcess(), windows.Handle(f.Fd()), false)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(d), f.Name()), nil
}

// copyHandle makes a handle of this process to an object that another process, or this one, has a handle to.
func copyHandle(process, h windows.Handle, inherit bool) (copied windows.Handle, err error) {
	self := windows.CurrentProcess()
	err = windows.DuplicateHandle(process, h, self, &copied, 0, inherit, windows.DUPLICATE_SAME_ACCESS)
	return copied, err
}
