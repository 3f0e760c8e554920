package resources_test

import (
	"os/exec"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A heartbeat finds out whether the host can go on while a server misbehaves: start a program and see its end, again
// and again.
type heartbeat struct {
	stop, done chan bool
	beats      int
	worst      time.Duration
	failed     error
}

func beat() *heartbeat {
	h := &heartbeat{stop: make(chan bool), done: make(chan bool)}
	go func() {
		defer close(h.done)
		for !h.over() {
			testbed.Span(200 * time.Millisecond) // the beats are no load themselves
			began := time.Now()
			if err := exec.Command("/bin/true").Run(); err != nil {
				h.failed = err
			}
			h.beats++
			h.worst = max(h.worst, time.Since(began))
		}
	}()
	return h
}

// over reports whether the heartbeat was ended, after one beat at least.
func (h *heartbeat) over() bool {
	select {
	case <-h.stop:
		return h.beats > 0
	default:
		return false
	}
}

// calm ends the heartbeat, and demands that the host could go on: others work on the machine, and some stand still for
// seconds, but what was used up does not come back.
func (h *heartbeat) calm(t *testing.T) {
	t.Helper()
	close(h.stop)
	testbed.Receive(t, "the end of the host's /bin/true", h.done)
	t.Logf("%d times /bin/true, which took %d ms at most", h.beats, h.worst.Milliseconds())
	if h.failed != nil || h.worst > testbed.Patience() {
		t.Errorf("the host could not go on: /bin/true took %v, %v", h.worst, h.failed)
	}
}
