package supervise

import (
	"errors"
	"os"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/denials"
	"github.com/security-mcp/mcp-sandbox/init/internal/filter"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A listener is the end of the filter's questions: each is a call of the server that waits to be told EPERM. Nothing else
// is ever answered. When this process is stopped those calls wait; when it is gone the kernel refuses them.
type listener struct {
	fd    int // -1: none
	calls int // the same, but -1 while calls are left waiting
	pause int // a timer that ends that, or -1
	tally denials.Tally

	source, rests *loop.Source
}

func noListener() listener { return listener{fd: -1, calls: -1, pause: -1} }

// take takes over what the server's process sent. There is one.
func (l *listener) take(fd int) {
	if l.fd >= 0 {
		unix.Close(fd)
		return
	}
	l.fd, l.calls = fd, fd
}

func (l *listener) close() {
	unix.Close(l.fd)
	l.fd = -1
	l.watch(-1)
}

// watch waits for calls on a descriptor, or for none.
func (l *listener) watch(fd int) {
	l.calls = fd
	l.source.Watch(fd)
}

func (l *listener) register(on *loop.Loop, denied func(revents int16)) {
	l.source = on.Add(l.calls, unix.POLLIN, denied)
	l.rests = on.Add(l.pause, unix.POLLIN, func(int16) { l.rested() })
}

// denied is told that a call waits, or that no process has the filter any more.
func (s *shim) denied(revents int16) {
	l, now := &s.listener, time.Now()
	switch {
	case revents&unix.POLLIN == 0:
		l.close()
	case !l.tally.Answers(now):
		l.rest()
	default:
		s.refuseCall(now)
	}
}

// refuseCall answers the next call that waits, and tells of it. One that a signal interrupted is asked about again when it
// is made again, so only an answer that was taken counts (where both meet, twice); till then the thread's number is its own. What its process
// tries before it tells that it is ready is no denial.
func (s *shim) refuseCall(now time.Time) {
	l := &s.listener
	n, err := platform.Notified(l.fd)
	if err != nil {
		if !errors.Is(err, unix.ENOENT) {
			l.close() // no listener at all
		}
		return
	}
	server, pid := s.server > 0, 0
	told := server && l.tally.Tells(n.Number, now)
	if told {
		pid = processOf(n.Thread)
	}
	if platform.RefuseCall(l.fd, n.ID, unix.EPERM) != nil || !server {
		return
	}
	l.tally.Count(n.Number, told)
	if told {
		s.sink.Later(&order.Denied{Event: "denied", Syscall: filter.Name(n.Number), PID: pid, Errno: "EPERM", Layer: order.Seccomp})
	}
}

// processOf is the process of a thread, by its number in the sandbox, or 0.
func processOf(thread int) int {
	b, err := platform.ReadSmall("/proc/"+strconv.Itoa(thread)+"/status", 16<<10)
	if err != nil {
		return 0
	}
	pid, _ := platform.Process(b)
	return pid
}

// rest leaves calls waiting for a moment: a server that makes too many of them slows down itself.
func (l *listener) rest() {
	moment := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(denials.Pause))}
	var err error
	if l.pause < 0 {
		l.pause, err = unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	}
	if err == nil {
		err = unix.TimerfdSettime(l.pause, 0, &moment, nil)
	}
	if err != nil {
		l.close()
		return
	}
	l.rests.Watch(l.pause)
	l.watch(-1)
}

// rested is told that the moment is over.
func (l *listener) rested() {
	var b [8]byte
	unix.Read(l.pause, b[:])
	l.watch(l.fd)
}

// denials says in one line, and returns for the last record, which calls were refused.
func (s *shim) denials() []order.DeniedCalls {
	calls := s.listener.tally.Calls(filter.Name)
	if line := denials.Summary(calls); line != "" {
		s.Say(line)
	}
	return calls
}

// message reads one message of init's or of the server's process: the process that the kernel says it is from, and the
// descriptor it carries, or -1; unix(7), SCM_CREDENTIALS and SCM_RIGHTS.
func message(fd int) (pid, carried int, err error) {
	var b [8]byte
	carried = -1
	oob := make([]byte, unix.CmsgSpace(unix.SizeofUcred)+unix.CmsgSpace(4))
	n, oobn, _, _, err := unix.Recvmsg(fd, b[:], oob, unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
	if err != nil || n == 0 {
		return 0, -1, errors.New("its processes ended")
	}
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil {
		return 0, -1, os.NewSyscallError("recvmsg", err)
	}
	for i := range messages {
		if cred, err := unix.ParseUnixCredentials(&messages[i]); err == nil {
			pid = int(cred.Pid)
		} else if fds, err := unix.ParseUnixRights(&messages[i]); err == nil && len(fds) == 1 {
			carried = fds[0]
		}
	}
	if pid == 0 {
		return 0, carried, errors.New("a message without its sender")
	}
	return pid, carried, nil
}
