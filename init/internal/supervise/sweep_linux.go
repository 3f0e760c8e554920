package supervise

import (
	"slices"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/proctree"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process the parent of what init leaves behind, should init be killed, and opens the image with
// which init does the same for it. Children that it has already, of the program that it was before, are not the sandbox's.
func (s *shim) adoptOrphans() error {
	if err := platform.SetChildSubreaper(); err != nil {
		return refusedStart("prctl", err)
	}
	s.strangers = nil
	if proctree.Childless() {
		return s.openImage()
	}
	for _, p := range proctree.Descendants(unix.Getpid()) {
		s.strangers = append(s.strangers, p.PID)
	}
	return s.openImage()
}

// sweepTree ends everything below init, which reaps it and then ends itself. It returns how many that were at first. What
// takes longer is left to finish.
func (s *shim) sweepTree() (killed int) {
	w := proctree.Sweep{Root: s.init}
	killed = w.Kill()
	until := time.Now().Add(forInit)
	for pause := time.Millisecond; !s.initEnded() && time.Now().Before(until); pause = min(2*pause, 20*time.Millisecond) {
		unix.Poll([]unix.PollFd{{Fd: int32(s.initFD), Events: unix.POLLIN}}, int(pause/time.Millisecond))
		w.Kill()
	}
	return killed
}

// sweepOwn ends and reaps what has come to this process from an init that was killed.
func (s *shim) sweepOwn() (killed int, used unix.Rusage) {
	w := proctree.Sweep{Root: unix.Getpid(), Spares: s.stranger}
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		if proctree.Childless() {
			return killed, used
		}
		killed += w.Kill()
		left := 0
		for _, p := range w.Found() {
			var ru unix.Rusage
			if pid, err := unix.Wait4(p.PID, nil, unix.WNOHANG, &ru); err == nil && pid == p.PID {
				add(&used, &ru)
			} else if unix.Kill(p.PID, 0) != unix.EPERM { // another user's cannot be ended
				left++
			}
		}
		if left == 0 {
			return killed, used
		}
		unix.Poll(nil, int(pause/time.Millisecond))
	}
}

func add(sum, ru *unix.Rusage) {
	sum.Utime.Sec += ru.Utime.Sec
	sum.Utime.Usec += ru.Utime.Usec
	sum.Stime.Sec += ru.Stime.Sec
	sum.Stime.Usec += ru.Stime.Usec
	sum.Maxrss = max(sum.Maxrss, ru.Maxrss)
}

// stranger reports whether a process below this one is not the sandbox's: it was there before, or is a child of one that
// was, or may still gain rights, which no confined process can.
func (s *shim) stranger(pid int) bool {
	if slices.Contains(s.strangers, pid) {
		return true
	}
	if s.rung == policy.None {
		return false
	}
	b, err := platform.ReadSmall("/proc/"+strconv.Itoa(pid)+"/status", 16<<10)
	if err != nil {
		return false
	}
	held, ok := platform.NoNewPrivs(b)
	return ok && !held
}

// initEnded reports whether init has ended.
func (s *shim) initEnded() bool {
	fds := []unix.PollFd{{Fd: int32(s.initFD), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return n > 0 && err == nil
}
