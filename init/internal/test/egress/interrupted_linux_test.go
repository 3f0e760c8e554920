package egress_test

import (
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// Signals to the launcher, as the Go runtime sends them to itself, change no answer to the server: each of its sockets
// is a new descriptor, and never standard input.
func TestInterruptedLauncher(t *testing.T) {
	reduced.need(t)
	const sockets = 40
	s := newSite(t, "interrupted.example.com").serve(t, 7, echo)
	l := launch{in: reduced, network: network{Allowed: []string{s.Name + ":7"}}}
	run := l.session(t, act("wait"), act("serial", s.Name+":7", strconv.Itoa(sockets)), act("wait"))
	run.release()
	enough, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for {
			select {
			case <-enough:
				return
			default:
				unix.Kill(run.Shim, unix.SIGURG)
			}
		}
	}()
	r := run.next()
	close(enough)
	<-over
	if r.Error != "" || r.Count != sockets {
		t.Errorf("%s", r)
	}
	run.release()
	run.end()
}
