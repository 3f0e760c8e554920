package supervise

import (
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long the shim waits, when everything of the sandbox has ended, for a reader that takes nothing of what
// the server has written: long enough for one that is busy, and less than the SDKs give a server to end.
const patience = time.Second

// drain carries over what the server left in its pipes. Nobody is alive who could write more.
func (s *shim) drain() {
	for _, r := range s.stdio.relays {
		r.ended = nil // nothing is asked of anybody now
	}
	waiting := time.Now().Add(patience)
	for {
		moved, left := false, false
		var fds []unix.PollFd
		for _, r := range s.stdio.relays {
			if r.slow || !r.output {
				continue
			}
			for r.step(true) {
				moved = true
			}
			for i, fd := range r.waits[1:] {
				if fd >= 0 {
					left = true
					fds = append(fds, unix.PollFd{Fd: int32(r.waits[i+1]), Events: unix.POLLOUT})
				}
			}
		}
		if !left {
			return
		}
		if now := time.Now(); moved {
			waiting = now.Add(patience)
		} else if now.After(waiting) {
			s.Say("nobody reads the server's output: the rest of it is lost")
			return
		}
		unix.Poll(fds, int(time.Until(waiting)/time.Millisecond)+1)
	}
}
