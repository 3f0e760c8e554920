package covers

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/proctree"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// searchProcess looks for targets in the memory of a process and at the links of its threads in /proc: each
// thread may have descriptors of its own.
func (q *search) searchProcess(p *proctree.Process) error {
	tasks := "/proc/" + strconv.Itoa(p.PID) + "/task/"
	var threads, fds []string
	err := q.look(p, func() (held string, err error) {
		if threads, err = list(tasks); err != nil {
			return "", ignoreEnded(err)
		}
		// The threads share the memory, but the first may have ended, and then shows none.
		return q.mapped(tasks, append([]string{strconv.Itoa(p.PID)}, threads...))
	})
	for _, thread := range threads {
		if err != nil {
			return err
		}
		dir := tasks + thread
		err = q.look(p, func() (_ string, err error) {
			fds, err = list(dir + "/fd")
			return "", ignoreEnded(err)
		})
		links := []string{"/cwd", "/root", "/exe"}
		for _, fd := range fds {
			links = append(links, "/fd/"+fd)
		}
		for _, link := range links {
			if err == nil {
				err = q.look(p, func() (string, error) { return q.heldBy(dir + link) })
			}
		}
	}
	return err
}

// look calls at until that can look at a place of a process. An error is a target that is held there.
func (q *search) look(p *proctree.Process, at func() (held string, err error)) error {
	for {
		if err := q.share(); err != nil {
			return err
		}
		held, err := at()
		pid := strconv.Itoa(p.PID)
		switch {
		case held != "" && q.replaced(held): // the watch begins another search
			return q.pause(retryDelay)
		case held != "":
			return errors.New("process " + pid + " has the new " + held + " open")
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
func (q *search) replaced(path string) bool {
	f, err := lookAt(path)
	return err == unix.ENOENT ||
		err == nil && q.find(func(t *target) bool { return t.path == path && t.FileID == f.FileID }) == ""
}

// mayRetry reports whether a place that cannot be looked at now is looked at again.
func (q *search) mayRetry(err error) bool {
	if errors.Is(err, errInTransit) {
		return time.Since(q.began) < transitTimeout
	}
	q.failures++
	return q.failures <= maxFailures
}

// find is the path of the first target that fits, or empty.
func (q *search) find(fits func(*target) bool) string {
	for i := range q.targets {
		if fits(&q.targets[i]) {
			return q.targets[i].path
		}
	}
	return ""
}

// ignoreEnded is nil for an error of /proc which says that a thread has ended.
func ignoreEnded(err error) error {
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// isHidden reports whether an error of /proc says that a process may not be looked into.
func isHidden(err error) bool { return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) }

var errInTransit = errors.New("a socket has descriptors in it that were sent and not received")

// heldBy is the path of the target that a link in /proc leads to, or into.
func (q *search) heldBy(link string) (held string, err error) {
	var st unix.Statx_t
	err = unix.Statx(unix.AT_FDCWD, link, unix.AT_STATX_DONT_SYNC, unix.STATX_BASIC_STATS|unix.STATX_MNT_ID, &st)
	f := fileOf(&st)
	switch {
	case isHidden(err):
		return "", &os.PathError{Op: "statx", Path: link, Err: err}
	case err != nil:
		return "", nil // closed
	case st.Mask&unix.STATX_MNT_ID == 0: // before Linux 5.8; covers need mount_setattr(2), since 5.12
		return "", &os.PathError{Op: "statx", Path: link, Err: unix.ENOSYS}
	case f.is(unix.S_IFSOCK):
		return "", inTransit(link)
	}
	to, tooLong := "", false // as seen from the root of the sandbox: its mounts are not below the launcher's
	return q.find(func(t *target) bool {
		if !slices.Contains(t.mounts, st.Mnt_id) { // by the cover, by another name, or not of this sandbox
			return t.kind == fsview.Deny && t.FileID == f.FileID
		}
		if t.FileID == f.FileID {
			return true
		}
		// From a folder below a pin, reached without the pin, ".." leads round what is mounted on the pin.
		if t.kind == fsview.Pin && !f.is(unix.S_IFDIR) {
			return false
		}
		if to == "" && !tooLong {
			var err error
			to, err = os.Readlink(link)
			tooLong = errors.Is(err, unix.ENAMETOOLONG) // then the link may lead anywhere
		}
		return tooLong || strings.HasPrefix(to, t.path+"/")
	}), nil
}

// inTransit is an error if a socket has descriptors in it, of which nothing more can be learnt; scm_fds in
// fdinfo since Linux 5.6 (3c32da19a858). Only a link in a folder fd can lead to a socket.
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

// mapped is the path of a target in the memory of the first of threads that has memory.
func (q *search) mapped(tasks string, threads []string) (held string, err error) {
	for _, thread := range threads {
		unsure := false
		maps, err := readMaps(tasks+thread, "maps")
		if held, unsure = q.inMemory(maps); unsure {
			maps, err = readMaps(tasks+thread, "smaps")
			held, _ = q.inMemory(maps)
		}
		if ignoreEnded(err) != nil || len(maps) > 0 {
			return held, ignoreEnded(err)
		}
	}
	return "", nil
}

// readMaps reads the mappings of a thread.
func readMaps(thread, name string) ([]platform.Mapping, error) {
	b, err := platform.ReadSmall(thread+"/"+name, 64<<20)
	if err != nil {
		return nil, err
	}
	maps, ok := platform.ParseMaps(b)
	if !ok {
		return nil, errors.New(name + ": a line is not as proc_pid_" + name + "(5) says")
	}
	return maps, nil
}

// inMemory is the path of a target that is mapped. It is unsure where only smaps tells. No mapping says by
// which mount the file was opened: of what is read-only a server may rightly map what lies there, but by no
// descriptor that can be written.
func (q *search) inMemory(maps []platform.Mapping) (held string, unsure bool) {
	for _, m := range maps {
		if m.Ino == 0 {
			continue
		}
		held = q.find(func(t *target) bool {
			path := strings.ReplaceAll(t.path, "\n", `\012`)
			// The device is another one than stat's on btrfs, and the inode on overlayfs.
			if m.FileID == t.FileID || m.Path == path {
				return true
			}
			if t.kind == fsview.Pin || !strings.HasPrefix(m.Path, path+"/") {
				return false
			}
			unsure = unsure || m.Shared && !m.Writes && t.kind == fsview.ReadOnly
			return m.Writes || t.kind == fsview.Deny
		})
		if held != "" {
			return held, false
		}
	}
	return "", unsure
}
