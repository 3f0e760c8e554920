package layers

import (
	"testing"

	"golang.org/x/sys/unix"
)

// A server gets no right to a higher priority, whatever the launcher has.
func TestNoPriority(t *testing.T) {
	var r Request
	for _, resource := range []int{unix.RLIMIT_RTPRIO, unix.RLIMIT_NICE} {
		for hard, want := range map[uint64]int{0: 0, 20: 1} { // the kernel's default is 0, and stays
			r.Machine.Hard[resource] = hard
			n := 0
			for _, l := range limitsOf(&r) {
				if l.resource == resource && l.value == 0 && l.hard == 0 {
					n++
				}
			}
			if n != want {
				t.Errorf("resource %d of a launcher with %d is set to 0 %d times", resource, hard, n)
			}
		}
	}
}

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
