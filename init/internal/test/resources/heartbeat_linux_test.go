package resources_test

import (
	"os/exec"
	"testing"
	"time"
)

// A heartbeat finds out how long the host has to wait while a server misbehaves: for its turn, and for a program to
// start and end.
type heartbeat struct {
	stop, done  chan bool
	late, start time.Duration
}

func beat() *heartbeat {
	h := &heartbeat{stop: make(chan bool), done: make(chan bool)}
	go func() {
		defer close(h.done)
		for n := 0; ; n++ {
			began := time.Now()
			select {
			case <-h.stop:
				return
			case <-time.After(10 * time.Millisecond):
			}
			h.late = max(h.late, time.Since(began)-10*time.Millisecond)
			if n%20 == 0 {
				began = time.Now()
				if exec.Command("/bin/true").Run() != nil {
					h.start = time.Hour
				}
				h.start = max(h.start, time.Since(began))
			}
		}
	}()
	return h
}

// calm ends the heartbeat, and demands that the host could go on. The machines are small and emulated, others work on
// them, and some stand still for seconds: many seconds mean that something was used up.
func (h *heartbeat) calm(t *testing.T) {
	t.Helper()
	close(h.stop)
	<-h.done
	t.Logf("the host was late by %d ms at most, and /bin/true took %d ms", h.late.Milliseconds(), h.start.Milliseconds())
	if h.late > 10*time.Second || h.start > 20*time.Second {
		t.Errorf("the host was late by %v, and /bin/true took %v", h.late, h.start)
	}
}
