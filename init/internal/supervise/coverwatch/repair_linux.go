package coverwatch

import (
	"errors"
	"runtime"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"golang.org/x/sys/unix"
)

const (
	// repairTimeout is how long laying the covers may take. A machine that stands still for a second need not cost
	// the server its life.
	repairTimeout = 5 * time.Second
	// retryDelay is the wait for a host's, or the kernel's, unfinished change.
	retryDelay = time.Millisecond
	// scarceDelay is the wait for descriptors or memory.
	scarceDelay = 20 * time.Millisecond
	// scarceTries bound how long a file that the host replaced may stay open meanwhile.
	scarceTries = 25
	// leastTries are the failed tries to lay covers before a file that stays the same is given up.
	leastTries = 5
	// linkTimeout is how long a covered file may have another name.
	linkTimeout = 200 * time.Millisecond
	// untilExit is a pause until the runner has ended, or the deadline.
	untilExit time.Duration = -1
)

// A repair lays covers over the host's present files at their paths, and then looks whether these have other names. A
// repair is a coroutine: where it pauses, the loop serves everything else.
type repair struct {
	*Watcher
	laid     []layers.Lost // or tried: a runner that failed may have laid some of its covers
	laying   bool          // a runner lays covers
	complete bool          // every cover lies
	deadline time.Time
	failed   int   // tries to lay covers
	scarce   int   // tries that lacked descriptors or memory
	err      error // of a repair that failed

	yield  func(time.Duration) bool
	next   func() (delay time.Duration, paused bool)
	cancel func()
}

func (r *repair) run(yield func(time.Duration) bool) {
	r.yield = yield
	r.deadline = time.Now().Add(repairTimeout)
	r.err = r.mountAll()
}

// pause lets the loop go on. An error means that the repair is too late or cancelled.
func (r *repair) pause(delay time.Duration) error {
	if !r.yield(delay) {
		return errors.New("cancelled")
	}
	if time.Now().After(r.deadline) {
		return errors.New("it does so faster than it can be covered")
	}
	return nil
}

// mountAll mounts covers until none is missing. The host may go on replacing files meanwhile.
func (r *repair) mountAll() error {
	for !r.stopped {
		done, err := r.mountLost()
		if isScarce(err) && r.scarce < scarceTries && r.pause(scarceDelay) == nil {
			r.scarce++
			continue
		}
		if done || err != nil {
			return err
		}
	}
	return nil
}

// mountLost mounts the covers that are missing; done: none is. The watch comes first: whatever changes after the
// comparison brings another event.
func (r *repair) mountLost() (done bool, err error) {
	if err := r.paths.watch(); err != nil {
		return false, err
	}
	mounts, err := r.paths.mounts()
	if err != nil {
		return false, err
	}
	lost, retry, err := r.paths.updateLost(mounts)
	switch {
	case err != nil:
		return false, err
	case len(lost) > 0:
		return false, r.mountCovers(lost)
	case retry:
		return false, r.pause(retryDelay)
	case len(r.laid) == 0:
		return true, nil
	}
	r.complete = true
	return true, r.checkNames()
}

// isScarce reports whether an error is of what others can use up for a moment, as all sandboxes of a host do.
func isScarce(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOMEM)
}

// mountCovers starts a runner that enters the namespaces and lays covers, and checks the runner's results.
func (r *repair) mountCovers(lost []layers.Lost) error {
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
	r.laid = append(r.laid, lost...)
	if err = r.start(fd); err != nil {
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

// start starts a runner on a program, and pauses until the runner has ended.
func (r *repair) start(prog int) error {
	// ETOOMANYREFS: a server of this user has as many descriptors in flight as this process may have open; unix(7).
	if r.Lay == nil || r.Lay([2]int{prog, r.namespace}) != nil {
		if r.Lay != nil { // in a goroutine, and a start needs a thread
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		}
		pid, err := program.Start(layers.RepairFiles(prog, r.namespace), -1)
		if err != nil {
			return err
		}
		return r.await(pid)
	}
	r.laying = true
	err := r.pause(untilExit)
	r.laying = false
	return err
}

// await pauses until the runner has ended, and reaps it. A late runner is not reaped: its sleep may be
// uninterruptible.
func (r *repair) await(pid int) error {
	pidfd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		unix.Kill(pid, unix.SIGKILL)
		go unix.Wait4(pid, nil, 0, nil)                 // the runner's sleep may be uninterruptible
		return errors.New("pidfd_open: " + err.Error()) // not to be tried again: what the runner laid is unknown
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
	if _, err = unix.Wait4(pid, nil, 0, nil); err == unix.ECHILD && r.Lay != nil {
		return nil // a host that waits for all its children has reaped it
	}
	return err
}

// checkNames looks for other names of covered files, by which the server could open them. A host that replaces a file
// by a link to a new one removes the other name at once, so such a name is an error only after a while.
func (r *repair) checkNames() error {
	until := time.Now().Add(linkTimeout)
	for i := 0; i < len(r.laid); {
		k := &r.laid[i]
		f, err := lookAt(k.Path)
		switch {
		case err == unix.ENOENT || err == nil && (k.Kind == fsview.Pin || !f.linked()):
			i++
			continue
		case err != nil:
			return err
		case time.Now().After(until):
			return errors.New("the new " + k.Path + " has another name (a hard link)")
		}
		if err = r.pause(retryDelay); err != nil {
			return err
		}
	}
	return nil
}

// unchanged reports whether the host still has the same files at the paths of covers.
func unchanged(lost []layers.Lost) bool {
	return !slices.ContainsFunc(lost, func(k layers.Lost) bool {
		f, err := lookAt(k.Path)
		return err != nil || f.id() != k.FileID
	})
}
