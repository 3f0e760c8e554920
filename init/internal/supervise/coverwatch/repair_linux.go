package coverwatch

import (
	"errors"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/proctree"
	"golang.org/x/sys/unix"
)

const (
	// repairTimeout is how long laying the covers may take, and then the search for holders. A machine that stands
	// still for a second need not cost the server its life.
	repairTimeout = 5 * time.Second
	// retryDelay is the wait for a host's, or the kernel's, unfinished change.
	retryDelay = time.Millisecond
	// leastTries are the failed tries to lay covers before a file that stays the same is given up.
	leastTries = 5
	// untilExit is a pause until the runner has ended, or the deadline.
	untilExit time.Duration = -1
)

// A repair lays covers over the host's present files at their paths, and then searches for holders. A repair
// is a coroutine: where it pauses, the loop serves everything else.
type repair struct {
	*Watcher
	laid      []layers.Lost // or tried: a runner that failed may have laid some of its covers
	laying    bool          // a runner lays covers
	searching bool          // every cover lies
	deadline  time.Time
	failed    int    // tries to lay covers
	late      string // the error after the deadline
	err       error  // of a repair that failed

	yield  func(time.Duration) bool
	next   func() (delay time.Duration, paused bool)
	cancel func()
}

func (r *repair) run(yield func(time.Duration) bool) {
	r.yield = yield
	r.due("it does so faster than it can be covered")
	r.err = r.mountAndSearch()
}

// due sets the deadline, and the error at the deadline.
func (r *repair) due(late string) { r.deadline, r.late = time.Now().Add(repairTimeout), late }

// pause lets the loop go on. An error means that the repair is too late or cancelled.
func (r *repair) pause(delay time.Duration) error {
	if !r.yield(delay) {
		return errors.New("cancelled")
	}
	if time.Now().After(r.deadline) {
		return errors.New(r.late)
	}
	return nil
}

// mountAndSearch mounts covers until none is missing, and then searches for holders. The host may go on replacing files
// meanwhile.
func (r *repair) mountAndSearch() error {
	for !r.stopped {
		// The watch comes first: whatever changes after the comparison brings another event.
		if err := r.paths.watch(); err != nil {
			return err
		}
		mounts, err := r.paths.mounts()
		if err != nil {
			return err
		}
		lost, retry, err := r.paths.updateLost(mounts)
		switch {
		case err != nil:
		case len(lost) > 0:
			err = r.mountCovers(lost)
		case retry:
			err = r.pause(retryDelay)
		case len(r.laid) == 0:
			return nil
		default:
			r.searching = true
			r.due("finding out who has it open takes too long")
			return r.search(mounts)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mountCovers starts a runner that enters the namespaces and lays covers, and compares what the runner leaves.
func (r *repair) mountCovers(lost []layers.Lost) error {
	r.laid = append(r.laid, lost...)
	fd, mem, err := program.Open()
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	defer unix.Munmap(mem)
	p, err := layers.NewRepair(mem, &r.Machine, lost)
	if err != nil {
		return err
	}
	if r.Alter != nil {
		r.Alter(p)
	}
	pid, err := program.Start(layers.RepairFiles(fd, r.namespaces[0], r.namespaces[1]), -1)
	if err != nil {
		return err
	}
	if err = r.await(pid); err != nil {
		return err
	}
	err = p.Check(p.Copy())
	// A cover goes away a moment before the host's rename is done, and until then nothing can be mounted there.
	// Where this process seldom runs, the first try may end long after that.
	if err != nil {
		r.failed++
	}
	if err == nil || r.failed >= leastTries && time.Until(r.deadline) < repairTimeout*3/4 && unchanged(lost) {
		return err
	}
	return r.pause(retryDelay)
}

// await pauses until the runner has ended, and reaps it. A late runner is not reaped: its sleep may be
// uninterruptible.
func (r *repair) await(pid int) error {
	pidfd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return err
	}
	defer unix.Close(pidfd)
	r.laying = true
	r.runnerExit.Watch(pidfd)
	late := r.pause(untilExit)
	r.runnerExit.Remove()
	r.laying = false
	if late != nil {
		unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0)
		return errors.New("laying it again takes too long")
	}
	_, err = unix.Wait4(pid, nil, 0, nil)
	return err
}

// unchanged reports whether the host still has the same files at the paths of covers.
func unchanged(lost []layers.Lost) bool {
	return !slices.ContainsFunc(lost, func(k layers.Lost) bool {
		f, err := lookAt(k.Path)
		return err != nil || f.id() != k.FileID
	})
}

// processes are those of the sandbox that may hold a target. Before execve the server's process is undumpable, so
// /proc hides its files, and holds only the rows' descriptors. execve closes the last read end of the release pipe:
// POLLERR.
func (r *repair) processes() []proctree.Process {
	return slices.DeleteFunc(proctree.Descendants(r.Init), func(p proctree.Process) bool {
		return p.Dead() || p.PID == r.server && poll(r.Release, 0)&unix.POLLERR == 0
	})
}
