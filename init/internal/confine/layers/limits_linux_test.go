package layers

import (
	"testing"

	"golang.org/x/sys/unix"
)

// A server that was killed at RLIMIT_CPU has by its rusage what a busy machine leaves of the kernel's ticks, and one that
// something else killed has less.
func TestOverCPU(t *testing.T) {
	l := Layout{req: &Request{}}
	l.req.Machine.Hard[unix.RLIMIT_CPU] = 3
	for seconds, want := range map[float64]bool{0.1: false, 1.5: false, 2.22: true, 3: true} {
		if got := l.OverCPU(seconds); got != want {
			t.Errorf("%v s of 3: %v", seconds, got)
		}
	}
}
