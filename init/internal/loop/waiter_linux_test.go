package loop

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// waits has a goroutine wait for what there is to read, until the function has ended.
func waits(t *testing.T, fd int, milliseconds int, while func(w *Waiter)) int {
	t.Helper()
	made, result := make(chan *Waiter), make(chan int, 1)
	go func() {
		w, err := NewWaiter()
		made <- w
		if err != nil {
			result <- -1
			return
		}
		defer w.Close()
		fds := []unix.PollFd{{Fd: -1}, {Fd: int32(fd), Events: unix.POLLIN}}
		n, err := w.Poll(fds, milliseconds)
		if err != nil || n > 0 && fds[1].Revents&unix.POLLIN == 0 {
			n = -1
		}
		result <- n
	}()
	while(<-made)
	return testbed.Receive(t, "the end of the wait", result)
}

// A waiter comes back for a descriptor that is ready before, while it waits, or with a number that had another file; when
// its time is over; and when it is roused.
func TestWaiter(t *testing.T) {
	var p, other [2]int
	for _, pipe := range []*[2]int{&p, &other} {
		if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
			t.Fatal(err)
		}
		defer unix.Close(pipe[1])
	}
	defer unix.Close(p[0])
	write := func(fd int) func(*Waiter) {
		return func(*Waiter) { _, _ = unix.Write(fd, []byte("x")) }
	}
	if n := waits(t, p[0], 1, func(*Waiter) {}); n != 0 {
		t.Error("nothing is ready:", n)
	}
	if n := waits(t, p[0], -1, (*Waiter).Rouse); n != 0 {
		t.Error("roused:", n)
	}
	for range 100 {
		if n := waits(t, p[0], -1, write(p[1])); n != 1 {
			t.Fatal("written to while it waits:", n)
		}
		if n := waits(t, p[0], -1, func(*Waiter) {}); n != 1 {
			t.Fatal("ready before:", n)
		}
		var b [1]byte
		_, _ = unix.Read(p[0], b[:])
	}
	if err := unix.Dup3(other[0], p[0], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	unix.Close(other[0])
	if n := waits(t, p[0], -1, write(other[1])); n != 1 {
		t.Error("another file:", n)
	}
}

// A write without a reader fails in a goroutine that has a waiter, and leaves no signal behind.
func TestWaiterHasNoPipeSignal(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	unix.Close(p[0])
	defer unix.Close(p[1])
	done := make(chan error, 1)
	go func() {
		w, err := NewWaiter()
		if err != nil {
			done <- err
			return
		}
		_, err = unix.Write(p[1], []byte("x"))
		w.Close()
		done <- err
	}()
	if err := testbed.Receive(t, "the write", done); err != unix.EPIPE {
		t.Error(err)
	}
}

// A fault in what all waiters share ends their waits with an error, and not the process; those that begin later wait as
// before.
func TestWaitersAreLost(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p[0])
	defer unix.Close(p[1])
	h, err := theHub()
	if err != nil {
		t.Fatal(err)
	}
	broken := &Waiter{hub: h, roused: make(chan struct{})}
	close(broken.roused) // to rouse it is a fault
	h.add(broken)
	ends := make(chan error, 1)
	go func() {
		w, err := NewWaiter()
		for err == nil {
			_, err = w.Poll([]unix.PollFd{{Fd: -1}}, -1)
		}
		w.Close()
		ends <- err
	}()
	testbed.Await(t, "the waiter", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.waiters) > 1
	})
	if err := h.await(broken.id, []unix.PollFd{{Fd: int32(p[1]), Events: unix.POLLOUT}}); err != nil {
		t.Fatal(err)
	}
	if err := testbed.Receive(t, "the end of a wait that is lost", ends); !errors.Is(err, errLost) {
		t.Error(err)
	}
	h.remove(broken)
	if n := waits(t, p[0], -1, func(*Waiter) { _, _ = unix.Write(p[1], []byte("x")) }); n != 1 {
		t.Error("a later wait:", n)
	}
}
