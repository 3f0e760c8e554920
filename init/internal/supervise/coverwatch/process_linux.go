package coverwatch

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/proctree"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

var errInTransit = errors.New("a socket has descriptors in it that were sent and not received")

// searchProcess looks for targets in the memory of a process and at the links of its threads in /proc: each thread
// may have descriptors of its own.
func (q *search) searchProcess(p *proctree.Process) error {
	tasks := "/proc/" + strconv.Itoa(p.PID) + "/task/"
	var threads, fds []string
	err := q.look(p, func() (held *target, err error) {
		if threads, err = list(tasks); err != nil {
			return nil, ignoreEnded(err)
		}
		// The threads share the memory, but the first may have ended, and then shows none.
		for _, thread := range threads {
			some := false
			if held, some, err = q.mapped(tasks + thread); some || ignoreEnded(err) != nil {
				return held, err
			}
		}
		return nil, nil
	})
	for _, thread := range threads {
		if err != nil {
			return err
		}
		dir := tasks + thread
		err = q.look(p, func() (_ *target, err error) {
			fds, err = list(dir + "/fd")
			return nil, ignoreEnding(dir, err)
		})
		links := []string{"/cwd", "/root", "/exe"}
		for _, fd := range fds {
			links = append(links, "/fd/"+fd)
		}
		for _, link := range links {
			if err == nil {
				err = q.look(p, func() (*target, error) {
					held, err := q.heldBy(dir + link)
					return held, ignoreEnding(dir, err)
				})
			}
		}
	}
	return err
}

// ignoreEnded is nil for an error of /proc which says that a thread has ended.
func ignoreEnded(err error) error {
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// ignoreEnding is ignoreEnded, and nil too for a refusal of /proc to show a thread that has begun to end. Once such a
// thread has given up its memory only root may list its descriptors (task_dump_owner, fs/proc/base.c); the server runs
// no code in it any more, and threads that share the descriptors are looked at as well.
func ignoreEnding(thread string, err error) error {
	if isHidden(err) {
		b, statErr := platform.ReadSmall(thread+"/stat", 4096)
		s, ok := platform.ParseStat(b)
		if statErr == nil && ok && s.Exiting {
			return nil
		}
	}
	return ignoreEnded(err)
}

// look calls at until that can look at a place of a process. An error is a target that is held there.
func (q *search) look(p *proctree.Process, at func() (held *target, err error)) error {
	for {
		if err := q.share(); err != nil {
			return err
		}
		held, err := at()
		pid := strconv.Itoa(p.PID)
		switch {
		case held != nil && held.replaced(): // the watch begins another search
			return q.pause(retryDelay)
		case held != nil:
			return errors.New("process " + pid + " has the new " + held.Path + " open")
		case err == nil || p.Ended():
			return nil
		case q.mayRetry(err):
		case errors.Is(err, errInTransit):
			return errors.New("process " + pid + " could have it open: " + err.Error())
		default:
			return errors.New("who has it open: process " + pid + " cannot be looked into: " + err.Error())
		}
		if err := q.pause(retryDelay); err != nil {
			return err
		}
	}
}

// replaced reports whether the host has put something else at the path of a target.
func (t *target) replaced() bool {
	f, err := lookAt(t.Path)
	return err == unix.ENOENT || err == nil && f.id() != t.FileID
}

// mayRetry reports whether a place that cannot be looked at now is looked at again.
func (q *search) mayRetry(err error) bool {
	if errors.Is(err, errInTransit) {
		return time.Since(q.began) < transitTimeout
	}
	q.failures++
	return q.failures <= maxFailures
}

// find is the first target that fits, or nil.
func (q *search) find(fits func(*target) bool) *target {
	for i := range q.targets {
		if fits(&q.targets[i]) {
			return &q.targets[i]
		}
	}
	return nil
}

// isHidden reports whether an error of /proc says that a process may not be looked into.
func isHidden(err error) bool { return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) }

// heldBy is the target that a link in /proc leads to, or into.
func (q *search) heldBy(link string) (*target, error) {
	f, err := statx(unix.AT_FDCWD, link, unix.AT_STATX_DONT_SYNC)
	switch {
	case isHidden(err):
		return nil, &os.PathError{Op: "statx", Path: link, Err: err}
	case err != nil:
		return nil, nil // closed
	case f.Mask&unix.STATX_MNT_ID == 0: // before Linux 5.8; covers need mount_setattr(2), since 5.12
		return nil, &os.PathError{Op: "statx", Path: link, Err: unix.ENOSYS}
	case f.is(unix.S_IFSOCK):
		return nil, inTransit(link)
	}
	to, tooLong := "", false // as seen from the root of the sandbox: its mounts are not below the launcher's
	return q.find(func(t *target) bool {
		same := f.id() == t.FileID
		if !slices.Contains(t.mounts, f.Mnt_id) { // by the cover, by another name, or not of this sandbox
			return same && t.Kind == fsview.Deny
		}
		// From a folder below a pin, reached without the pin, ".." leads round what is mounted on the pin.
		if same || t.Kind == fsview.Pin && !f.is(unix.S_IFDIR) {
			return same
		}
		if to == "" && !tooLong {
			var err error
			to, err = os.Readlink(link)
			tooLong = errors.Is(err, unix.ENAMETOOLONG) // then the link may lead anywhere
		}
		return tooLong || strings.HasPrefix(to, t.Path+"/")
	}), nil
}

// inTransit is an error if a socket has descriptors in it, of which nothing more can be learnt; scm_fds in fdinfo
// since Linux 5.6 (3c32da19a858). Only a link in a folder fd can lead to a socket.
func inTransit(link string) error {
	b, err := platform.ReadSmall(strings.Replace(link, "/fd/", "/fdinfo/", 1), 4096)
	if isHidden(err) {
		return err
	}
	if err != nil {
		return nil // closed
	}
	if _, n, ok := strings.Cut(string(b), "\nscm_fds:"); ok && !strings.HasPrefix(strings.TrimSpace(n), "0") {
		return errInTransit
	}
	return nil
}

// mapped is the target that a thread has in its memory, if it has some memory.
func (q *search) mapped(thread string) (held *target, some bool, err error) {
	for _, name := range [...]string{"maps", "smaps"} {
		b, err := platform.ReadSmall(thread+"/"+name, 64<<20)
		if err != nil {
			return nil, false, err
		}
		maps, ok := platform.ParseMaps(b)
		if !ok {
			return nil, false, errors.New(name + ": a line is not as proc_pid_" + name + "(5) says")
		}
		unsure := false
		if held, unsure = q.inMemory(maps); !unsure {
			return held, len(maps) > 0, nil
		}
	}
	return held, true, nil
}

// inMemory is the mapped target; unsure where only smaps could decide. No mapping shows the mount by which the file
// was opened: a server may map a read-only file, but not by a writable descriptor.
func (q *search) inMemory(maps []platform.Mapping) (held *target, unsure bool) {
	for _, m := range maps {
		if m.Ino == 0 {
			continue
		}
		held = q.find(func(t *target) bool {
			path := strings.ReplaceAll(t.Path, "\n", `\012`)
			// The device is another one than stat's on btrfs, and the inode on overlayfs.
			if m.FileID == t.FileID || m.Path == path {
				return true
			}
			if t.Kind == fsview.Pin || !strings.HasPrefix(m.Path, path+"/") {
				return false
			}
			unsure = unsure || m.Shared && !m.Writes && t.Kind == fsview.ReadOnly
			return m.Writes || t.Kind == fsview.Deny
		})
		if held != nil {
			return held, false
		}
	}
	return nil, unsure
}
