// Package loop waits in one poll(2) for descriptors and times, and calls the functions registered for them.
//
//	var l loop.Loop
//	in := l.Add(fd, unix.POLLIN, func(revents int16) { ... })
//	at := l.Timer(func() { ... })
//	at.Set(time.Now().Add(time.Second))
//	err := l.Run() // until l.End()
//
// In each turn every source that is ready and every timer that is due is called once, and each call does a bounded
// piece of work: poll reports the rest in the next turn. So no source starves another. A loop has no effect outside its
// own memory: several can run in one process, each in a thread of its own. One for calls that may block runs beside
// another ([Loop.Beside]).
package loop

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A Loop is ready for use as its zero value.
type Loop struct {
	sources []*Source
	timers  []*Timer
	fds     []unix.PollFd
	ended   bool

	// Poll waits; nil: poll(2), and a thread with it. Every is called in each turn of the loop, if it is set.
	Poll  func(fds []unix.PollFd, milliseconds int) (int, error)
	Every func()

	turns   *sync.Mutex // of two loops; nil: there is no loop beside this one
	holds   bool        // turns, but in poll(2) and in [Loop.Outside]
	beside  *Loop       // to be run with this one
	failed  error       // of the one beside
	wake    int         // eventfd(2); -1: none
	polling bool
}

// A Source is a descriptor that a loop waits for. A nil Source is none: its methods do nothing.
type Source struct {
	fd     int
	events int16
	ready  func(revents int16)
}

// Add waits for a descriptor, or for none if fd is negative. Sources are called in the order in which they were added.
func (l *Loop) Add(fd int, events int16, ready func(revents int16)) *Source {
	s := &Source{fd, events, ready}
	l.sources = append(l.sources, s)
	return s
}

// Watch makes the source wait for another descriptor, or for none if fd is negative.
func (s *Source) Watch(fd int) {
	if s != nil {
		s.fd = fd
	}
}

// Remove makes the source wait for nothing more. The descriptor stays open.
func (s *Source) Remove() { s.Watch(-1) }

// A Timer is a time at which a loop calls a function, once. A nil Timer is none: its methods do nothing.
type Timer struct {
	of  *Loop
	at  time.Time // zero: never
	due func()
}

// Timer makes a timer that is not set.
func (l *Loop) Timer(due func()) *Timer {
	t := &Timer{of: l, due: due}
	l.timers = append(l.timers, t)
	return t
}

// Set sets the time; the zero time stops the timer.
func (t *Timer) Set(at time.Time) {
	if t == nil {
		return
	}
	t.at = at
	if t.of.polling { // this is the thread of the loop beside
		t.of.rouse()
	}
}

// Stop unsets the timer.
func (t *Timer) Stop() { t.Set(time.Time{}) }

// IsSet reports whether the timer has a time that has not come.
func (t *Timer) IsSet() bool { return t != nil && !t.at.IsZero() }

// End makes Run return. Nothing more is called.
func (l *Loop) End() { l.ended = true }

// Run serves sources and timers until End. An error is poll's.
func (l *Loop) Run() error {
	if l.beside != nil {
		defer l.begin()()
	}
	if err := l.serve(); err != nil {
		return err
	}
	return l.failed
}

func (l *Loop) serve() error {
	for !l.ended {
		if err := l.turn(); err != nil {
			return err
		}
	}
	return nil
}

func (l *Loop) turn() error {
	l.fds = l.fds[:0]
	for _, s := range l.sources {
		l.fds = append(l.fds, unix.PollFd{Fd: int32(s.fd), Events: s.events})
	}
	timeout := l.timeout()
	l.polling = l.holds
	var err error
	l.Outside(func() { _, err = l.Wait(l.fds, timeout) })
	l.polling = false
	if err != nil && err != unix.EINTR {
		return err
	}
	for i, fd := range l.fds {
		// A source that was called before may have changed this one.
		if s := l.sources[i]; fd.Revents != 0 && s.fd == int(fd.Fd) && !l.ended {
			s.ready(fd.Revents)
		}
	}
	if l.Every != nil && !l.ended {
		l.Every()
	}
	now := time.Now()
	for _, t := range l.timers {
		if t.IsSet() && !now.Before(t.at) && !l.ended {
			t.at = time.Time{}
			t.due()
		}
	}
	return nil
}

// Wait is poll(2), as the loop waits.
func (l *Loop) Wait(fds []unix.PollFd, milliseconds int) (n int, err error) {
	if l.Poll != nil {
		return l.Poll(fds, milliseconds)
	}
	return unix.Poll(fds, milliseconds)
}

// timeout is how many milliseconds poll may wait for the first timer, or -1.
func (l *Loop) timeout() int {
	const most = 24 * time.Hour // the kernel takes 32 bits of milliseconds
	timeout := -1
	for _, t := range l.timers {
		if !t.IsSet() {
			continue
		}
		if left := int(min(most, max(0, time.Until(t.at)))/time.Millisecond) + 1; timeout < 0 || left < timeout {
			timeout = left
		}
	}
	return timeout
}
