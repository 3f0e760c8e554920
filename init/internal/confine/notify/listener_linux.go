// Package notify answers seccomp notifications, SECCOMP_RET_USER_NOTIF of seccomp(2): the calls of sockets by a
// [Server], if there is one, and all others with EPERM, which it counts. While this process is stopped the calls wait;
// after this process has ended the kernel refuses them.
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
	answers tally.Bucket // the rate of refusals

	serving
	untold *order.Denied // has a line, and is being answered

	on      *loop.Loop // nil: none yet. A thread of the server's that stands still may hold the filter's lock
	calls   *loop.Source
	resumes *loop.Timer // ends the wait
}

// serving is of a listener with a server.
type serving struct {
	server  Server
	served  tally.Bucket            // the rate of calls
	waiting []platform.Notification // to be refused when the rate of refusals allows
}

// A Server answers calls in earnest.
type Server interface {
	// Answers reports whether the call of this number is the server's to answer.
	Answers(number uint32) bool
	// Answer answers a notification of the listener, now or later.
	Answer(listener int, n platform.Notification)
}

const (
	// With a server a call's number is known only once it is taken, so calls have a rate of their own.
	callsAtOnce, callsPerSecond = 20000, 20000
	callsATurn                  = 16
	mostWaiting                 = 64 // calls that are taken, and refused later

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
	if l.server != nil {
		_ = platform.WakeHere(fd) // before Linux 6.6 answers take longer
	}
}

// Poll is the descriptor to poll for calls, or -1: for a caller that has no loop yet.
func (l *Listener) Poll() int { return l.polled }

// ServeBy has a server answer its calls. It is called before the listener has a descriptor.
func (l *Listener) ServeBy(s Server) { l.server = s }

// Register has a loop answer calls.
func (l *Listener) Register(on *loop.Loop) {
	l.on = on
	l.calls = on.Add(l.polled, unix.POLLIN, l.Serve)
	l.resumes = on.Timer(l.resume)
	if l.polled != l.fd || len(l.waiting) > 0 { // since before there was a loop
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

// Serve answers calls after poll reported one, or closes the descriptor if no process has the filter any more.
func (l *Listener) Serve(revents int16) {
	if revents&unix.POLLIN == 0 {
		l.Close()
		return
	}
	for range callsATurn {
		now := time.Now()
		if !l.may(now) {
			l.pause(now) // calls wait: a server that makes too many of them slows itself down
			return
		}
		l.answer(now)
		if l.server == nil || l.fd < 0 || !l.pending() {
			return
		}
	}
}

// may reports whether the rates allow to take a call.
func (l *Listener) may(now time.Time) bool {
	if l.server == nil {
		return l.answers.Take(now, time.Second/answersPerSecond, answersAtOnce)
	}
	return len(l.waiting) < mostWaiting && l.served.Take(now, time.Second/callsPerSecond, callsAtOnce)
}

func (l *Listener) pause(now time.Time) {
	l.poll(-1)
	l.resumes.Set(now.Add(Pause))
}

// resume refuses calls that had to wait, as the rate allows, and takes calls again.
func (l *Listener) resume() {
	now := time.Now()
	for len(l.waiting) > 0 && l.answers.Take(now, time.Second/answersPerSecond, answersAtOnce) {
		l.refuse(l.waiting[0], now)
		l.waiting = l.waiting[1:]
	}
	if len(l.waiting) > 0 {
		l.resumes.Set(now.Add(Pause))
	}
	l.poll(l.fd)
}

// pending reports whether there is another call.
func (l *Listener) pending() bool {
	fds := [1]unix.PollFd{{Fd: int32(l.fd), Events: unix.POLLIN}}
	var n int
	var err error
	l.on.Outside(func() { n, err = unix.Poll(fds[:], 0) })
	return n == 1 && err == nil && fds[0].Revents&unix.POLLIN != 0
}

// answer takes the next pending notification, and answers it or has it wait.
func (l *Listener) answer(now time.Time) {
	var n platform.Notification
	var err error
	l.on.Outside(func() { n, err = platform.Notified(l.fd) })
	switch {
	case errors.Is(err, unix.ENOENT): // the call was interrupted
	case err != nil:
		l.Close()
	case l.server == nil:
		l.refuse(n, now)
	case l.server.Answers(n.Number):
		l.server.Answer(l.fd, n)
	case l.answers.Take(now, time.Second/answersPerSecond, answersAtOnce):
		l.refuse(n, now)
	default:
		l.waiting = append(l.waiting, n)
		l.resumes.Set(now.Add(Pause))
	}
}

// refuse answers a notification with EPERM. An interrupted call is notified again when it is restarted, so only
// delivered answers are counted (both can happen, and then the call counts twice). The thread's id is valid until the
// answer.
func (l *Listener) refuse(n platform.Notification, now time.Time) {
	denied := order.Denied{Event: "denied", Layer: order.Seccomp, Errno: "EPERM",
		Act: order.Act{Kind: order.DeniedSyscall, Syscall: l.name(n.Number)}}
	line := l.Counting && l.tally.TakeLine(denied.Act, now)
	if line {
		l.on.Outside(func() { denied.PID = processOf(n.Thread) })
	}
	counted := l.Counting
	if counted { // before the answer: the server may end behind it, and with that the loop
		l.tally.Count(&denied, line)
	}
	if line {
		l.untold = &denied
	}
	var err error
	l.on.Outside(func() { err = platform.RefuseCall(l.fd, n.ID, unix.EPERM) })
	l.untold = nil
	if !counted {
		return
	}
	if err != nil {
		l.tally.Uncount(&denied, line)
	} else if line {
		l.tally.Report(&denied)
	}
}

// Finish reports a refusal whose answer the server's end has overtaken. The loops have ended.
func (l *Listener) Finish() {
	if l.untold != nil {
		l.tally.Report(l.untold)
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
