package answers

import (
	"bytes"
	"errors"
	"math"
	"os"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// OpLook is the step of a launch that is refused because a file system does not answer.
const OpLook = "look at"

// A Wait is how long an answer is waited for.
type Wait struct {
	Timeout time.Duration
	// FDs end the wait where Check, which is called after each poll of them, has an error.
	FDs   []unix.PollFd
	Check func(polled []unix.PollFd) error
}

// A NoAnswer is why a launch is refused.
type NoAnswer struct {
	Type, Mount string
	There       bool  // the path that was looked at is the mount point
	Err         error // that ended the wait
}

func (e *NoAnswer) Error() string {
	what := e.Type + " that is mounted there does not answer"
	if !e.There {
		what = e.Type + " at " + e.Mount + " does not answer"
	}
	return what + ": " + e.Err.Error()
}

// Unwrap is the error that ended the wait.
func (e *NoAnswer) Unwrap() error { return e.Err }

// Mounts is the table of mounts, or nil where none of them needs an answer: then there is nothing to ask.
func Mounts() []platform.Mount {
	b, err := platform.ReadSmall("/proc/self/mountinfo", 8<<20)
	if err != nil {
		return nil // the launch reports the error
	}
	if !mayWait(b) { // every launch asks, and most machines have no such mount
		return nil
	}
	mounts, _ := platform.ParseMountinfo(b)
	if !slices.ContainsFunc(mounts, func(m platform.Mount) bool { return waits(&m) }) {
		return nil
	}
	return mounts
}

// mayWait reports whether a table of mounts, proc_pid_mountinfo(5), has a type of those that wait.
func mayWait(table []byte) bool {
	for line := range bytes.Lines(table) {
		_, rest, _ := bytes.Cut(line, []byte(" - "))
		if kind, _, _ := bytes.Cut(rest, []byte(" ")); waiting(string(kind)) {
			return true
		}
	}
	return false
}

// Ask is an *order.Refusal with a *[NoAnswer] where a look would not come back. Where no process can be started for
// that nothing is known. The calling thread must be locked, as for program.Start.
func Ask(mounts []platform.Mount, looks []Look, w Wait) error {
	if ask := reached(mounts, looks, host{readlink, isProgram, list}); len(ask) > 0 {
		return askAll(ask, w)
	}
	return nil
}

// Asks reports whether Ask would start a process.
func Asks(mounts []platform.Mount, looks []Look) bool {
	return len(reached(mounts, looks, host{readlink, isProgram, list})) > 0
}

func readlink(at string) (string, error) {
	var b [unix.PathMax]byte
	n, err := unix.Readlink(at, b[:])
	if err == unix.EINVAL {
		return "", nil
	}
	return string(b[:max(n, 0)]), err
}

func list(folder string) []string {
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, err := f.Readdirnames(0)
	if err != nil {
		return nil
	}
	return append(names, "") // not nil
}

func isProgram(at string) bool {
	info, err := os.Stat(at)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// askAll starts the process, and waits for its end.
func askAll(ask []question, w Wait) error {
	fd, mem, err := program.Open()
	if err != nil {
		return nil
	}
	defer unix.Munmap(mem)
	defer unix.Close(fd)
	p := program.New(mem)
	last := layout(p, ask)
	pid, err := program.Start([]int{-1, -1, -1, fd}, -1)
	if err != nil {
		return nil
	}
	runner, err := unix.PidfdOpen(pid, 0)
	if err == nil {
		defer unix.Close(runner)
		err = w.until(runner)
	}
	if err == nil {
		unix.Wait4(pid, nil, 0, nil)
		return nil
	}
	unix.Kill(pid, unix.SIGKILL) // it ends now, or when the file system answers or goes
	results := p.Copy()
	i := slices.IndexFunc(last, func(o program.Op) bool { return !results.Ran(o) })
	unix.Wait4(pid, nil, unix.WNOHANG, nil)
	if i < 0 {
		return nil
	}
	layer := order.Root
	if !errors.As(err, new(late)) {
		layer = order.Exec // the launch was ended
	}
	q := &ask[i]
	no := &NoAnswer{Type: q.kind, Mount: q.mount, There: q.path == q.mount, Err: err}
	return &order.Refusal{Layer: layer, Op: OpLook, Path: q.path, Err: no}
}

// layout lays the looks out, and returns the last one of each question. The kernel may remember the attributes of a
// path; statfs(2) asks the server of the file system. The process has no folder, no session and no descriptor of this
// one's, not even those that a shell handed on by mistake: a wait for their end is no wait for the process.
func layout(p *program.Builder, ask []question) (last []program.Op) {
	p.Call(sys.Prctl(unix.PR_SET_NAME, program.Str(order.RunnerName)))
	p.Call(sys.Setsid())
	p.Call(sys.Chdir("/"))
	p.Call(sys.CloseRange(0, math.MaxUint32, 0))
	buf := p.Space(512) // more than struct statfs and struct statx
	for i, q := range ask {
		before := slices.ContainsFunc(ask[:i], func(b question) bool { return b.mount == q.mount })
		if q.kind != autofs && !before {
			p.Call(sys.Statfs(q.mount, buf))
		}
		last = append(last, p.Call(sys.Statx(program.Int(unix.AT_FDCWD), q.path, 0, unix.STATX_BASIC_STATS, buf)))
	}
	p.Call(sys.ExitGroup(0))
	return last
}

// until waits for the end of the process.
func (w *Wait) until(runner int) error {
	began := time.Now()
	for {
		fds := append([]unix.PollFd{{Fd: int32(runner), Events: unix.POLLIN}}, w.FDs...)
		left := w.Timeout - time.Since(began)
		if left <= 0 {
			return late{w.Timeout}
		}
		if _, err := unix.Poll(fds, int(left/time.Millisecond)+1); err != nil && err != unix.EINTR {
			return nil
		}
		if fds[0].Revents != 0 {
			return nil
		}
		if w.Check != nil {
			if err := w.Check(fds[1:]); err != nil {
				return err
			}
		}
	}
}

// late is the end of a wait that was long enough.
type late struct{ time.Duration }

func (l late) Error() string { return "not in " + l.String() }
