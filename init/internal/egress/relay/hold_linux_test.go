package relay

import (
	"errors"
	"fmt"
	"io"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// hold is join with a look from the beginning.
func (b *bench) hold(look func([]byte) Verdict) *joined {
	b.t.Helper()
	j, in, out := b.ends()
	b.do(func() {
		j.stream = b.Join(in, out, nil, func(e Ended) { j.ended <- e })
		j.stream.Hold(look)
	})
	return j
}

// said waits for what a look was given.
func said(t *testing.T, looks <-chan string, want string) {
	t.Helper()
	for {
		got := testbed.Receive(t, "a look at "+want, looks)
		if got == want {
			return
		}
		if len(got) >= len(want) || got != want[:len(got)] {
			t.Fatalf("%q was seen, want %q", got, want)
		}
	}
}

// silent demands that the relay, once it has done all that is to do, has sent nothing to one of the peers.
func (b *bench) silent(j *joined, far peer) {
	b.t.Helper()
	testbed.Await(b.t, "the arrival of what the peers have sent", func() bool {
		return (b.pair || of(j.inside, unsent) == nil) && of(j.outside, unsent) == nil // a pair's bytes are there at once
	})
	from := &j.stream.outside
	if far == j.inside {
		from = &j.stream.inside
	}
	testbed.Await(b.t, "a relay that has nothing to do", func() (idle bool) {
		b.do(func() {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(b.set.FD()), Events: unix.POLLIN}}, 0)
			idle = n == 0 && err == nil && (b.pair || unsent(from.fd) == nil)
		})
		return idle
	})
	if err := of(far, unread); err != nil {
		b.t.Errorf("%v: want silence", err)
	}
}

// of is what a look at the descriptor of a connection finds.
func of(c syscall.Conn, look func(fd int) error) (found error) {
	raw, err := c.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { found = look(int(fd)) })
	}
	return errors.Join(found, err)
}

// unsent are bytes, or an end, that the peer's kernel has not acknowledged; SIOCOUTQ of tcp(7).
func unsent(fd int) error {
	n, err := unix.IoctlGetInt(fd, unix.TIOCOUTQ)
	if n > 0 {
		err = fmt.Errorf("%d bytes are on their way", n)
	}
	return err
}

// unread is what a read would find.
func unread(fd int) error {
	n, _, err := unix.Recvfrom(fd, make([]byte, 64), unix.MSG_PEEK|unix.MSG_DONTWAIT)
	if err == unix.EAGAIN {
		return nil
	}
	return fmt.Errorf("%d bytes, %w", n, err)
}

// Nothing goes out while a look waits, outside is heard meanwhile, and all of it goes out once, in order, when it passes.
func TestHoldPasses(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		looks := make(chan string, 64)
		j := b.hold(func(first []byte) Verdict {
			looks <- string(first)
			if len(first) < 6 {
				return Wait
			}
			return Pass
		})
		j.inside.Write([]byte("abc"))
		said(t, looks, "abc")
		b.silent(j, j.outside)
		j.outside.Write([]byte("banner"))
		got := make([]byte, 6)
		if _, err := io.ReadFull(j.inside, got); err != nil || string(got) != "banner" {
			t.Fatalf("%q, %v", got, err)
		}
		b.silent(j, j.outside)
		j.inside.Write([]byte("def"))
		said(t, looks, "abcdef")
		j.inside.Write([]byte("later"))
		j.inside.CloseWrite()
		if all, err := io.ReadAll(j.outside); string(all) != "abcdeflater" || err != nil {
			t.Errorf("%q, %v", all, err)
		}
		j.outside.Close()
		if e := j.wait(t); e != (Ended{Sent: 11, Received: 6}) {
			t.Errorf("%+v", e)
		}
		if len(looks) != 0 {
			t.Errorf("%q was seen after it had passed", <-looks)
		}
	})
}

// Of a refused stream no byte goes out, and both ends see a reset.
func TestHoldRefuses(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		j := b.hold(func([]byte) Verdict { return Refuse })
		j.inside.Write([]byte("secret"))
		if all, err := io.ReadAll(j.outside); len(all) != 0 || !errors.Is(err, unix.ECONNRESET) {
			t.Errorf("outside: %q, %v", all, err)
		}
		if _, err := j.inside.Read(make([]byte, 1)); !errors.Is(err, unix.ECONNRESET) {
			t.Errorf("inside: %v", err)
		}
		if e := j.wait(t); e != (Ended{Reset: true, Err: unix.EACCES}) {
			t.Errorf("%+v", e)
		}
	})
}

// An end of input without any byte is seen as such; one behind bytes that wait goes out no more than they do.
func TestHoldEnd(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		looks := make(chan string, 64)
		look := func(first []byte) Verdict {
			looks <- string(first)
			if len(first) == 0 {
				return Pass
			}
			return Wait
		}
		j := b.hold(look)
		j.inside.CloseWrite()
		said(t, looks, "")
		if all, err := io.ReadAll(j.outside); len(all) != 0 || err != nil {
			t.Errorf("%q, %v", all, err)
		}
		j.outside.Close()
		if e := j.wait(t); e != (Ended{}) {
			t.Errorf("%+v", e)
		}

		j = b.hold(look)
		j.inside.Write([]byte("abc"))
		j.inside.CloseWrite()
		said(t, looks, "abc")
		b.silent(j, j.outside)
		b.do(b.Finish) // the server has ended: what it said is still seen first
		b.silent(j, j.outside)
		b.do(j.stream.Reset)
		if e := j.wait(t); e != (Ended{Reset: true}) {
			t.Errorf("%+v", e)
		}
		if all, err := io.ReadAll(j.outside); len(all) != 0 || !errors.Is(err, unix.ECONNRESET) {
			t.Errorf("outside: %q, %v", all, err)
		}
	})
}

// What was seen is what goes out: urgent data, which is left out, makes no byte go out that stood elsewhere.
func TestHoldUrgent(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		seen := make(chan string, 64)
		open := make(chan bool, 1)
		j := b.hold(func(first []byte) Verdict {
			if taken(open) {
				seen <- string(first)
				return Pass
			}
			return Wait
		})
		raw, err := j.inside.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		urgent := func(c string) {
			raw.Write(func(fd uintptr) bool { err = unix.Sendto(int(fd), []byte(c), unix.MSG_OOB, nil); return true })
			if err != nil {
				t.Fatal(err)
			}
		}
		urgent("u")
		j.inside.Write([]byte("abc"))
		open <- true
		urgent("v")
		j.inside.Write([]byte("def"))
		first := <-seen
		j.inside.CloseWrite()
		all, err := io.ReadAll(j.outside)
		if len(first) == 0 || len(all) < len(first) || string(all[:len(first)]) != first || err != nil {
			t.Errorf("%q was seen, %q went out, %v", first, all, err)
		}
	})
}

func taken(c <-chan bool) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
