package relay

import (
	"errors"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ways are the ways of a byte: by splice(2), through the buffer, and from a pipe through memory.
var ways = []struct {
	name string
	set  func(*Relay)
}{
	{"spliced", func(*Relay) {}},
	{"a pair", func(*Relay) {}},
	{"no pipe", func(r *Relay) { r.pipes.made = pipeMost }},
	{"splice refuses sources", func(r *Relay) {
		r.splice = func(int, int, int) (int, error) { return 0, unix.EINVAL }
	}},
	{"splice refuses destinations", func(r *Relay) {
		r.splice = func(in, out, n int) (int, error) {
			if isSocket(out) {
				return 0, unix.ENOMEM
			}
			return splice(in, out, n)
		}
	}},
}

func isSocket(fd int) bool {
	_, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	return err == nil
}

func eachWay(t *testing.T, f func(*testing.T, *bench)) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			b := newBench(t)
			b.pair = w.name == "a pair"
			b.do(func() { w.set(b.Relay) })
			f(t, b)
			b.do(func() {
				if n := b.pipes.made; w.name == "no pipe" && n != pipeMost || n > pipeMost {
					t.Errorf("%d pipes", n)
				}
			})
		})
	}
}

// abort closes a connection of TCP with a reset.
func abort(c peer) {
	c.(*net.TCPConn).SetLinger(0)
	c.Close()
}

// fill writes until nothing is taken for half a second, and returns how much was taken.
func fill(t *testing.T, c peer) (n int) {
	t.Helper()
	block := make([]byte, 64<<10)
	for {
		c.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
		w, err := c.Write(block)
		n += w
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.ETIMEDOUT) || isTimeout(err) {
			c.SetWriteDeadline(time.Time{})
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
