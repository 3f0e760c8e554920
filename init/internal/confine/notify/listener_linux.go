// Package notify answers seccomp notifications, SECCOMP_RET_USER_NOTIF of seccomp(2), with EPERM, and counts the calls.
// While this process is stopped the calls wait; after this process has ended the kernel refuses them.
package notify

import (
	"errors"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A Listener receives the notifications of one filter.
type Listener struct {
	// Counting is set when the server's process has proved its filter: calls before that are the proof's own, and are
	// answered without being counted.
	Counting bool

	fd      int // -1: none
	polled  int // fd, or -1 while calls are left to wait
	name    func(number uint32) string
	tally   *tally.Tally
	answers tally.Bucket // the rate of answers

	calls   *loop.Source
	resumes *loop.Timer // ends the wait
}

const (
	// The rate of answers: answersAtOnce, then answersPerSecond. An answer takes 27 µs of the launcher's processor time
	// where a processor has to be woken, so the answers take at most 2 % of a processor.
	answersAtOnce    = 1000
	answersPerSecond = 500

	// Pause is how long calls above the rate wait.
	Pause = 10 * time.Millisecond
)

// New is a listener without a descriptor. The calls are counted in the tally; name is the name of a call's number.
func New(name func(number uint32) string, t *tally.Tally) *Listener {
	return &Listener{fd: -1, polled: -1, name: name, tally: t}
}

// Take takes over the filter's descriptor. A second descriptor is closed.
func (l *Listener) Take(fd int) {
	if l.fd >= 0 {
		unix.Close(fd)
		return
	}
	l.fd = fd
	l.poll(fd)
}

// Poll is the descriptor to poll for calls, or -1: for a caller that has no loop yet.
func (l *Listener) Poll() int { return l.polled }

// Register has a loop answer calls.
func (l *Listener) Register(on *loop.Loop) {
	l.calls = on.Add(l.polled, unix.POLLIN, l.Serve)
	l.resumes = on.Timer(func() { l.poll(l.fd) })
	if l.polled != l.fd { // paused before there was a loop
		l.resumes.Set(time.Now())
	}
}

func (l *Listener) poll(fd int) {
	l.polled = fd
	l.calls.Watch(fd)
}

// Close closes the filter's descriptor. The kernel refuses all calls then.
func (l *Listener) Close() {
	if l.fd >= 0 {
		unix.Close(l.fd)
	}
	l.fd = -1
	l.poll(-1)
}

// Serve answers one call after poll reported it, or closes the descriptor if no process has the filter any more.
func (l *Listener) Serve(revents int16) {
	now := time.Now()
	switch {
	case revents&unix.POLLIN == 0:
		l.Close()
	case !l.answers.Take(now, time.Second/answersPerSecond, answersAtOnce):
		l.poll(-1) // calls wait: a server that makes too many of them slows itself down
		l.resumes.Set(now.Add(Pause))
	default:
		l.refuse(now)
	}
}

// refuse answers the next pending notification. An interrupted call is notified again when it is restarted, so only
// delivered answers are counted (both can happen, and then the call counts twice). The thread's id is valid until the
// answer.
func (l *Listener) refuse(now time.Time) {
	n, err := platform.Notified(l.fd)
	if err != nil {
		if !errors.Is(err, unix.ENOENT) { // the call was interrupted
			l.Close()
		}
		return
	}
	denied := order.Denied{Event: "denied", Layer: order.Seccomp, Errno: "EPERM",
		Act: order.Act{Kind: order.DeniedSyscall, Syscall: l.name(n.Number)}}
	line := l.Counting && l.tally.TakeLine(denied.Act, now)
	if line {
		denied.PID = processOf(n.Thread)
	}
	if platform.RefuseCall(l.fd, n.ID, unix.EPERM) != nil || !l.Counting {
		return
	}
	l.tally.Count(&denied, line)
	if line {
		l.tally.Report(&denied)
	}
}

// processOf is the pid of a thread's process, or 0.
func processOf(thread int) int {
	b, err := platform.ReadSmall("/proc/"+strconv.Itoa(thread)+"/status", 16<<10)
	if err != nil {
		return 0
	}
	pid, _ := platform.Process(b)
	return pid
}
