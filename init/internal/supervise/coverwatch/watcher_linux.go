// Package coverwatch keeps the covers of a running sandbox in place, and finds protected names that appeared meanwhile.
// Package layers, root_denied, makes the mount over a denied path.
//
//	w, err := coverwatch.New(config)  // while init is dumpable
//	warnings, err := w.Watch(table)  // before the table of mounts is compared
//	w.Register(&loop)                 // when the server is released; w.OnRename() then follows each SIGIO
//	w.Stop()                          // when the server is killed or has ended
//
// The kernel unmounts a cover when the host replaces or deletes the file below it, since Linux 3.18 (8ed936b5671b),
// and reports that by poll(2) on init's table of mounts. When the host renames the covered file to another name, as
// editors do that keep a backup, the cover goes along and the table does not change. So the folders that covers lie
// in are watched for renames. A host that renames a folder above a cover, which is not itself a cover, is not
// noticed.
//
// Between the host's rename and the new cover the server can open the new file, and keep it open: that is not looked
// for, as a server that hands a descriptor on is not found. The server is not stopped: a timer that sends SIGCONT would
// wake the server, and waiting for the stop would delay the cover.
//
// A watch is never given up: where a watch cannot begin, or a cover cannot be looked at, the server ends. Where a
// folder cannot be watched again because its user's watches are used up, the covers are looked at every 100 ms until it
// can.
//
// In a host, which launches several sandboxes, nothing sends SIGIO: [Renames] report both changes, of folders and of
// the table, by inotify(7) and Go's netpoller.
//
// The package changes nothing that belongs to the whole process: the handler of SIGIO is the caller's. A runner dies
// with the thread that started it, so the loop's thread has to be locked.
package coverwatch

import (
	"errors"
	"iter"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// A Config is one sandbox and its covers. The descriptors stay the caller's.
type Config struct {
	Covers  []fsview.Cover
	Machine layers.Machine
	Init    int         // pid of process 1 of the sandbox
	Ended   func() bool // reports whether that has ended

	// Rouse is called from any goroutine when there is something for Heard, in a process that watches for several
	// sandboxes; nil: the kernel sends SIGIO, and the caller then calls OnRename.
	Rouse func()
	// Lay starts a runner with two descriptors from number 3 on, the end of which Heard is told; nil:
	// runners are children of this process.
	Lay func(files [2]int) error
	// Lost is called once, if a cover cannot be laid again. The caller kills the server.
	Lost func(error)
	// Alter, for tests, changes the program of a runner that lays covers.
	Alter func(*layers.Repair)
}

// errUnwatched is the error of a watch that has failed.
var errUnwatched = errors.New("what reports the changes of covers has failed")

// A Watcher watches the covers of one sandbox and lays lost ones again. A nil Watcher does nothing.
type Watcher struct {
	Config
	namespace int // mount namespace of init, or -1
	paths     paths

	stopped    bool
	repair     *repair      // nil while every cover lies
	wake       *loop.Timer  // resumes the repair
	runnerExit *loop.Source // the same
}

// New opens init's mount namespace.
func New(c Config) (w *Watcher, err error) {
	w = &Watcher{Config: c, paths: paths{mountinfo: -1}}
	if c.Rouse != nil {
		if w.paths.folders.renames, err = NewRenames(c.Rouse); err != nil {
			return nil, err
		}
	}
	for _, k := range c.Covers {
		w.paths.covers = append(w.paths.covers, cover{Cover: k, file: k.FileID})
	}
	path := "/proc/" + strconv.Itoa(c.Init) + "/ns/mnt"
	if w.namespace, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return nil, &order.Refusal{Layer: order.Root, Op: "open", Path: path, Err: err}
	}
	return w, nil
}

// Watch begins to watch: from here on the kernel sends SIGIO, or [Renames] report. The table is init's mountinfo, and
// stays the caller's. Init has mounted since it opened the table: the poll takes that event away, for the table is
// compared afterwards.
func (w *Watcher) Watch(table int) (warnings []string, err error) {
	if w.paths.mountinfo, err = unix.FcntlInt(uintptr(table), unix.F_DUPFD_CLOEXEC, 0); err != nil {
		return nil, &order.Refusal{Layer: order.Root, Op: "fcntl", Path: "mountinfo", Err: err}
	}
	poll(w.paths.mountinfo, unix.POLLPRI)
	if w.Rouse != nil {
		if err = w.paths.folders.renames.follow(w.paths.mountinfo); err != nil {
			return nil, &order.Refusal{Layer: order.Root, Op: "wait for", Path: "mountinfo", Err: err}
		}
	}
	err = w.paths.watchFirst(w.Machine.UID)
	return w.paths.folders.warnings, err
}

// Register has the loop wait for lost covers.
func (w *Watcher) Register(l *loop.Loop) {
	if w != nil {
		if w.Rouse == nil {
			// No process of the sandbox can change that table.
			l.Add(w.paths.mountinfo, unix.POLLPRI, func(int16) { w.onLoss() })
		}
		w.runnerExit = l.Add(-1, unix.POLLIN, func(int16) { w.resume() })
		w.wake = l.Timer(w.resume)
	}
}

// Stop ends the watch. A runner that still lays covers goes on, and the loop reaps it.
func (w *Watcher) Stop() {
	if w != nil {
		w.stopped = true
		w.wake.Stop()
	}
}

// Close closes the descriptors of a watcher that no loop serves any more.
func (w *Watcher) Close() {
	if w != nil {
		if w.repair != nil {
			w.repair.cancel()
			w.repair = nil
		}
		w.paths.close()
		unix.Close(w.namespace)
	}
}

// OnRename looks whether something covered was renamed in a watched folder. Mostly something else was.
func (w *Watcher) OnRename() {
	if w != nil && !w.stopped && w.paths.changed() {
		w.onLoss()
	}
}

// Again watches all folders again, each of which has reported one change to [Renames], and reports whether it could:
// where the user's watches are used up, the covers are to be looked at again and again.
func (w *Watcher) Again() bool {
	if w == nil || w.stopped {
		return true
	}
	err := w.paths.folders.again()
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.ENOMEM) {
		return false
	}
	if err != nil {
		w.Stop()
		w.Lost(err)
	}
	return true
}

// Heard handles what came since the last call, of a watcher with Rouse: changes of folders, for which renamed is
// called, those of init's table of mounts, and the end of a runner of Lay.
func (w *Watcher) Heard(renamed func(), laid bool) {
	if w == nil {
		return
	}
	r := w.paths.folders.renames
	if r.lost.Load() && !w.stopped {
		w.Stop()
		w.Lost(errUnwatched)
	}
	if r.came.Swap(false) {
		renamed()
	}
	if r.mounted.Swap(false) {
		w.onLoss()
	}
	if laid && w.repair != nil && w.repair.laying {
		w.resume()
	}
}

// onLoss begins a repair, or has one that laid all covers begin again.
func (w *Watcher) onLoss() {
	switch r := w.repair; {
	case w.stopped:
	case r == nil:
		w.beginRepair(nil)
	case r.complete:
		r.cancel()
		w.beginRepair(r.laid)
	case !r.laying: // else the covers are compared again when the runner has ended
		w.resume()
	}
}

func (w *Watcher) beginRepair(laid []layers.Lost) {
	r := &repair{Watcher: w, laid: laid}
	if r.next, r.cancel = pull(r.run); w.Lay == nil {
		r.next, r.cancel = iter.Pull(r.run) // in the thread that runners die with
	}
	w.repair = r
	w.resume()
}

// resume goes on with the repair until the next pause.
func (w *Watcher) resume() {
	r := w.repair
	w.wake.Stop()
	delay, paused := r.next()
	switch {
	case w.stopped:
	case w.Ended():
		w.Stop()
	case r.err != nil:
		w.Stop()
		w.Lost(r.err)
	case !paused:
		w.repair = nil
	case delay == untilExit:
		w.wake.Set(r.deadline)
	default:
		w.wake.Set(time.Now().Add(delay))
	}
}

// poll returns the events of a descriptor, or all if they cannot be found out.
func poll(fd int, events int16) int16 {
	fds := []unix.PollFd{{Fd: int32(fd), Events: events}}
	if _, err := unix.Poll(fds, 0); err != nil {
		return -1
	}
	return fds[0].Revents
}
