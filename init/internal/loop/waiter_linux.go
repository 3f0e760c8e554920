package loop

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A Waiter waits as poll(2) does, for a goroutine of a program that has other work: no thread waits. All waiters of the
// process share one epoll(7) descriptor, in Go's netpoller. It does not wait for changes of a table of mounts, of which
// poll(2) tells once, whichever call asks: epoll in epoll asks twice.
//
// While the goroutine does not wait it is locked to a thread that has SIGPIPE blocked: a write to a pipe without a
// reader fails, and a program that would see that signal does not.
type Waiter struct {
	hub    *hub
	id     int32
	roused chan struct{}
	lost   atomic.Bool   // nothing rouses it any more
	before unix.Sigset_t // the mask of the thread
}

// errLost is the error of a wait that nothing would end.
var errLost = errors.New("what waits for descriptors has failed")

// NewWaiter makes a waiter for the calling goroutine, which calls [Waiter.Close] at the end.
func NewWaiter() (*Waiter, error) {
	h, err := theHub()
	if err != nil {
		return nil, err
	}
	w := &Waiter{hub: h, roused: make(chan struct{}, 1)}
	h.add(w)
	w.enter()
	return w, nil
}

// Close ends the last turn.
func (w *Waiter) Close() {
	w.hub.remove(w)
	w.leave()
}

// Rouse has Poll return, from any goroutine.
func (w *Waiter) Rouse() {
	select {
	case w.roused <- struct{}{}:
	default:
	}
}

// Poll is poll(2). It may return 0 before the time is over.
func (w *Waiter) Poll(fds []unix.PollFd, milliseconds int) (n int, err error) {
	if n, err = unix.Poll(fds, 0); n != 0 || err != nil || milliseconds == 0 {
		return n, err
	}
	for i := range fds {
		if err = w.hub.await(w.id, fds[:i+1]); err != nil {
			return 0, err
		}
	}
	if w.lost.Load() {
		return 0, errLost
	}
	w.leave()
	defer w.enter()
	if milliseconds < 0 {
		<-w.roused
	} else {
		select {
		case <-w.roused:
		case <-time.After(time.Duration(milliseconds) * time.Millisecond):
		}
	}
	return unix.Poll(fds, 0)
}

// lose has Poll return an error from now on.
func (w *Waiter) lose() {
	defer func() { _ = recover() }() // whatever Rouse did to its caller before
	w.lost.Store(true)
	w.Rouse()
}

var pipeSignal = func() (s unix.Sigset_t) {
	s.Val[0] = 1 << (uint(unix.SIGPIPE) - 1)
	return s
}()

func (w *Waiter) enter() {
	runtime.LockOSThread()
	_ = unix.PthreadSigmask(unix.SIG_BLOCK, &pipeSignal, &w.before) // there is no reason to fail
}

// leave takes a pending SIGPIPE away: write(2) sends it to its own thread.
func (w *Waiter) leave() {
	if w.before.Val[0]&pipeSignal.Val[0] == 0 {
		takePending(&pipeSignal)
	}
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &w.before, nil)
	runtime.UnlockOSThread()
}

// A hub rouses a waiter when one of its descriptors is ready.
type hub struct {
	epoll   int
	mu      sync.Mutex
	waiters map[int32]*Waiter
	last    int32
}

// kept is the hub of this process.
var kept platform.Kept[*hub]

func theHub() (*hub, error) { return kept.Get(newHub) }

func newHub() (*hub, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	h := &hub{epoll: fd, waiters: map[int32]*Waiter{}}
	var events [64]unix.EpollEvent
	_, err = platform.Polled(fd, "sandboxes", func() bool { // until the end of the process
		h.serve(events[:])
		return false
	})
	return h, err
}

func (h *hub) add(w *Waiter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.last++; h.waiters[h.last] != nil; h.last++ {
	}
	w.id, h.waiters[h.last] = h.last, w
}

func (h *hub) remove(w *Waiter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.waiters, w.id)
}

// await waits for the last of these descriptors, once. Epoll finds out now whether that is ready. A descriptor leaves
// epoll where it is closed, and a number that is given out again comes anew. One that other descriptors are copies of
// may stay, and at most rouses a waiter in vain.
func (h *hub) await(id int32, fds []unix.PollFd) error {
	last := &fds[len(fds)-1]
	if last.Fd < 0 {
		return nil
	}
	e := unix.EpollEvent{Events: unix.EPOLLONESHOT, Fd: id}
	for _, f := range fds { // the same number may be there for other events
		if f.Fd == last.Fd {
			e.Events |= uint32(uint16(f.Events))
		}
	}
	err := unix.EpollCtl(h.epoll, unix.EPOLL_CTL_MOD, int(last.Fd), &e)
	if err == unix.ENOENT {
		err = unix.EpollCtl(h.epoll, unix.EPOLL_CTL_ADD, int(last.Fd), &e)
	}
	return os.NewSyscallError("epoll_ctl", err)
}

// serve rouses the waiters of all descriptors that are ready now. Where that fails, all that wait are lost, for each
// event comes once; the next ones may do better.
func (h *hub) serve(events []unix.EpollEvent) {
	defer func() {
		if recover() != nil {
			h.mu.Lock()
			defer h.mu.Unlock()
			for _, w := range h.waiters {
				w.lose()
			}
		}
	}()
	for {
		n, err := unix.EpollWait(h.epoll, events, 0)
		if err == unix.EINTR {
			continue
		}
		h.rouse(events[:max(0, n)])
		if n < len(events) {
			return
		}
	}
}

func (h *hub) rouse(events []unix.EpollEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range events {
		if w := h.waiters[e.Fd]; w != nil {
			w.Rouse()
		}
	}
}
