package loop

import (
	"encoding/binary"
	"sync"

	"golang.org/x/sys/unix"
)

// Beside makes a loop that Run serves in a thread of its own. Of both loops one function is called at a time, so that
// they share what they change. A function of the new loop makes calls that may block by [Loop.Outside], and may set
// timers of l. Once Run of l has returned, no function of the new loop is called, and none that was called returns from
// Outside.
func (l *Loop) Beside() (*Loop, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, err
	}
	l.wake, l.turns = fd, &sync.Mutex{}
	l.beside = &Loop{turns: l.turns, wake: -1}
	l.Add(fd, unix.POLLIN, func(int16) {
		var b [8]byte
		_, _ = unix.Read(fd, b[:])
	})
	return l.beside, nil
}

// begin runs the loop beside l, until the returned function keeps it from its next turn for ever.
func (l *Loop) begin() (end func()) {
	l.holds, l.beside.holds = true, true
	l.turns.Lock()
	go l.runBeside()
	return func() {
		l.holds, l.beside.holds = false, false // the lock is kept
		unix.Close(l.wake)
	}
}

// Outside calls f while the other loop may go on. Without one, and but in Run, it just calls f; so in a nil loop.
func (l *Loop) Outside(f func()) {
	if l == nil || !l.holds {
		f()
		return
	}
	l.turns.Unlock()
	f()
	l.turns.Lock()
}

// runBeside serves the loop beside l; an error ends l too.
func (l *Loop) runBeside() {
	l.turns.Lock()
	if err := l.beside.serve(); err != nil {
		l.failed = err
		l.End()
		l.rouse()
		l.turns.Unlock()
	}
}

// rouse has a loop's poll(2) return.
func (l *Loop) rouse() {
	_, _ = unix.Write(l.wake, binary.NativeEndian.AppendUint64(nil, 1))
}
