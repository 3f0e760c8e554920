package supervise

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// freeze stops every process of the sandbox but init, and returns when none of their threads runs any more.
func (s *shim) freeze(until time.Time) error {
	if _, err := unix.Write(s.lifeline, []byte{rows.Freeze}); err != nil {
		return errors.New("init cannot be told: " + err.Error())
	}
	if err := s.answer(until); err != nil {
		return err
	}
	for pause := 100 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		running := s.running()
		if running == 0 {
			return nil
		}
		if time.Now().After(until) {
			return errors.New("process " + strconv.Itoa(running) + " does not stop")
		}
		time.Sleep(pause)
	}
}

// answer waits for init to have done it. Where nothing ran that can be seen to stop, nothing else would tell.
func (s *shim) answer(until time.Time) error {
	for s.up >= 0 {
		fds := []unix.PollFd{{Fd: int32(s.up), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(max(0, time.Until(until))/time.Millisecond)+1)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil || n == 0:
			return errors.New("init does not answer")
		}
		var b [8]byte
		switch n, err := unix.Read(s.up, b[:]); {
		case err == nil && string(b[:n]) == rows.Frozen:
			return nil
		case err == nil && string(b[:n]) == rows.Stopped: // what follows from the freeze itself
		default:
			s.initEnds(n > 0 && err == nil)
		}
	}
	return errors.New("init ends")
}

// running is a process of the sandbox of which a thread may still make system calls, or 0.
func (s *shim) running() int {
	for _, p := range s.tree() {
		dir := "/proc/" + strconv.Itoa(p.pid) + "/task/"
		for _, thread := range numbers(dir) {
			b, err := platform.ReadSmall(dir+thread+"/stat", 4096)
			if err != nil {
				continue // it ended
			}
			if state, _, ok := platform.ParseStat(b); !ok || !halted(state) && !(state == 'D' && awaitsExec(dir+thread)) {
				return p.pid
			}
		}
	}
	return 0
}

func halted(state byte) bool { return state == 'T' || state == 't' || state == 'Z' || state == 'X' }

// awaitsExec reports whether a thread that cannot be stopped sleeps in vfork: its child, which is stopped, has its memory.
// proc_pid_syscall(5)
func awaitsExec(dir string) bool {
	b, err := platform.ReadSmall(dir+"/syscall", 1024)
	if err != nil {
		return false
	}
	end := slices.Index(b, ' ')
	if end < 0 {
		return false
	}
	nr, err := strconv.Atoi(string(b[:end]))
	return err == nil && startsProcess(nr)
}

// thaw lets everything go on that freeze stopped, children first: a shell that finds its child stopped takes it for a
// suspended job. To a process that was stopped before, the signal to stop still waits to be delivered. One that had been
// told to stop and had not yet done so goes on as well: two signals of a kind that wait are one, signal(7).
func (s *shim) thaw() {
	var b [8]byte
	for fds := []unix.PollFd{{Fd: int32(s.up), Events: unix.POLLIN}}; ; {
		// That a server with a terminal was stopped is no news now.
		if n, err := unix.Poll(fds, 0); n <= 0 || err != nil {
			break
		}
		if n, _, err := unix.Recvfrom(s.up, b[:], unix.MSG_PEEK); err != nil || string(b[:n]) != rows.Stopped {
			break
		}
		unix.Read(s.up, b[:])
	}
	frozen := s.tree()
	slices.SortFunc(frozen, func(a, b process) int { return b.depth - a.depth })
	for _, p := range frozen {
		b, err := platform.ReadSmall("/proc/"+strconv.Itoa(p.pid)+"/status", 16<<10)
		if err != nil {
			continue // killed meanwhile
		}
		const stop = 1 << (uint(unix.SIGSTOP) - 1)
		if waits, ok := platform.Pending(b); p.state == 'T' && ok && waits&stop != 0 {
			continue
		}
		unix.Kill(p.pid, unix.SIGCONT)
	}
}
