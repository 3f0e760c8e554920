package egress

import (
	"errors"
	"net"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// without runs an act on a thread of its own, to which the kernel gives no descriptor: each call that makes one fails.
// So it is where the table of the whole machine is full, and others take what is closed.
func without(t *testing.T, errno syscall.Errno, act func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		err := testbed.RefuseHere(errno, unix.SYS_ACCEPT4, unix.SYS_SOCKET, unix.SYS_OPENAT, unix.SYS_PIPE2)
		if err == nil {
			act()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// full takes all descriptors that this process may have, until the test's end.
func full(t *testing.T) {
	t.Helper()
	var old unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old)
	if err == nil {
		err = unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: above(t), Max: old.Max})
	}
	var all []int
	t.Cleanup(func() {
		for _, fd := range all {
			unix.Close(fd)
		}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
			t.Error(err)
		}
	})
	for err == nil {
		var fd int
		if fd, err = unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0); err == nil {
			all = append(all, fd)
		}
	}
	if err != unix.EMFILE {
		t.Fatal(err)
	}
}

// above is the number above those of all descriptors here: a limit below one of them would take back nothing.
func above(t *testing.T) (most uint64) {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		n, err := strconv.ParseUint(e.Name(), 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, n+1)
	}
	return most
}

func readable(fd int) bool {
	n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	return n > 0
}

// Where there is no descriptor for a connection, and not even the spare one serves, connections wait and are told of;
// the engine sleeps, and goes on when descriptors are there again.
func TestNoDescriptors(t *testing.T) {
	for errno, text := range map[syscall.Errno]string{unix.EMFILE: limitFiles, unix.ENFILE: limitTable} {
		t.Run(unix.ErrnoName(errno), func(t *testing.T) {
			w := newWorld(t, apiHost, onlyAPI())
			listener := w.server(80)
			to := w.handle("api.test", "203.0.113.10")
			first, second := w.connect(to, 80), w.connect(to, 80)
			begun, from := time.Now(), &w.accepter.from
			var again time.Time
			without(t, errno, func() {
				for range 3 { // of which the first finds the spare descriptor
					w.Serve()
					if again.IsZero() && !from.again.IsZero() {
						again, from.again = from.again, from.again.Add(time.Hour) // not while the test looks
					}
				}
			})
			over := time.Now()
			if readable(w.FD()) || w.accepter.living != 0 || w.accepter.from.reserve.Held() {
				t.Fatalf("%d live, the spare descriptor is held %v: the engine has work without a descriptor", w.accepter.living, w.accepter.from.reserve.Held())
			}
			if len(w.said) != 1 || w.said[0].Kind != order.DeniedLimit || w.said[0].Asked != text {
				t.Errorf("said %+v", w.said)
			}
			if again.Before(begun.Add(rest)) || again.After(over.Add(rest)) || !w.next().Equal(from.again) {
				t.Errorf("it goes on %v after it began", again.Sub(begun))
			}
			from.again = again
			w.until("both are joined", func() bool { return w.accepter.relay.Live() == 2 })
			if !w.accepter.from.reserve.Held() || w.accepter.from.paused {
				t.Errorf("the spare descriptor is lost: %+v", w.accepter.from)
			}
			for _, fd := range []int{first, second, w.connect(to, 80)} {
				w.carries(listener, fd)
			}
		})
	}
}

// carries demands that a byte of a connection of the server's comes to a host.
func (w *world) carries(listener, from int) {
	w.t.Helper()
	var host int
	w.until("the host has the connection", func() (ok bool) {
		var err error
		host, _, err = unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		return err == nil
	})
	_, err := unix.Write(from, []byte("x"))
	w.must(err)
	if text, err := w.read(host); text != "x" || err != nil {
		w.t.Errorf("%q, %v", text, err)
	}
	reset(from)
	unix.Close(host)
}

// Where this process may open no more files, each connection is reset at once, not the first one alone: the spare
// descriptor is renewed.
func TestSpareIsRenewed(t *testing.T) {
	w := newWorld(t, apiHost, onlyAPI())
	w.server(80)
	to := w.handle("api.test", "203.0.113.10")
	var all []int
	for range 3 {
		all = append(all, w.connect(to, 80))
	}
	full(t)
	for i, fd := range all {
		w.Serve()
		if _, err := unix.Read(fd, make([]byte, 1)); err != unix.ECONNRESET {
			t.Errorf("connection %d: %v, want %v", i, err, unix.ECONNRESET)
		}
		if !w.accepter.from.reserve.Held() || w.accepter.from.paused {
			t.Errorf("after connection %d: %+v", i, w.accepter.from)
		}
		unix.Close(fd)
	}
}

// So it is with a publisher: its callers wait, or are reset.
func TestPublisherWithoutDescriptors(t *testing.T) {
	p := publish(t, 2)
	l := new(loop.Loop)
	p.Register(l)
	c := p.dial()
	without(t, unix.ENFILE, func() {
		for range 3 {
			p.set.Serve()
		}
	})
	if readable(p.set.FD()) || p.living != 0 || p.from.reserve.Held() || p.from.again.IsZero() {
		t.Fatalf("%d live, %+v: the publisher has work without a descriptor", p.living, p.from)
	}
	p.from.due(p.from.again.Add(-1))
	if !p.from.paused {
		t.Error("the pause is over at once")
	}
	until := time.Now().Add(10 * time.Second)
	var look *loop.Timer
	look = l.Timer(func() {
		if look.Set(time.Now().Add(time.Millisecond)); p.relay.Live() == 1 || time.Now().After(until) {
			l.End()
		}
	})
	look.Set(time.Now())
	if err := l.Run(); err != nil || p.relay.Live() != 1 {
		t.Fatalf("%v, %d are joined", err, p.relay.Live())
	}
	if !p.from.reserve.Held() {
		t.Error("the spare descriptor is lost")
	}
	c.Close()
	var all []net.Conn
	for range 3 {
		all = append(all, p.dial())
	}
	full(t)
	for i, c := range all {
		p.set.Serve()
		if p.living > 1 || p.from.paused {
			t.Errorf("%d: %d live, %+v", i, p.living, p.from)
		}
		c.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, unix.ECONNRESET) {
			t.Errorf("connection %d: %v, want a reset", i, err)
		}
	}
}
