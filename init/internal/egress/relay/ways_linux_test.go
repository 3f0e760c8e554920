package relay

import (
	"testing"

	"golang.org/x/sys/unix"
)

// ways are the ways of a byte: by splice(2), through the buffer, and from a pipe through memory.
var ways = []struct {
	name string
	set  func(*Relay)
}{
	{"spliced", func(*Relay) {}},
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
