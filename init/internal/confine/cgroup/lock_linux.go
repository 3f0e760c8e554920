package cgroup

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A group's name is the prefix and random letters; the suffix marks a group that a shim moved itself into. The name
// of a systemd unit ends in a dot and the unit's type, so no unit has such a name.
const (
	prefix     = "mcp-sandbox-"
	alphabet   = "abcdefghijklmnopqrstuvwxyz234567"
	idLength   = 10
	shimSuffix = "-shim"
)

// isSandboxName reports whether this package gives such names.
func isSandboxName(name string) bool {
	id, ok := strings.CutPrefix(strings.TrimSuffix(name, shimSuffix), prefix)
	return ok && len(id) == idLength && strings.Trim(id, alphabet) == ""
}

// lockTimeout is how long lock waits. A launch holds a lock for some milliseconds.
const lockTimeout = 2 * time.Second

// lock takes the flock(2) lock of a group until the descriptor is closed. The lock is on cgroup.kill, which only the
// owner can open: every user of the machine can open, and so lock, the folder. The folder is locked where cgroup.kill
// is missing: before Linux 5.14 and in the root of the hierarchy.
func (f *folder) lock(how int, until time.Time) (int, error) {
	fd, err := unix.Openat(f.fd, "cgroup.kill", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		fd, err = unix.Openat(f.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	for err == nil {
		switch err = unix.Flock(fd, how|unix.LOCK_NB); {
		case err == nil:
			return fd, nil
		case err == unix.EINTR:
			err = nil
		case err == unix.EWOULDBLOCK && time.Now().Before(until):
			time.Sleep(time.Millisecond)
			err = nil
		default:
			unix.Close(fd)
		}
	}
	return -1, err
}

// mkdirLocked makes a group with a random name and locks the group. Another launch's removeUnlocked may remove the
// group before it is locked; then the next name is tried.
func (f *folder) mkdirLocked(suffix string) (*folder, error) {
	for range 8 {
		var id [idLength]byte
		if _, err := unix.Getrandom(id[:], unix.GRND_NONBLOCK); err != nil {
			return nil, err
		}
		for i, v := range id {
			id[i] = alphabet[v%byte(len(alphabet))]
		}
		name := prefix + string(id[:]) + suffix
		made, err := f.mkdir(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if unix.Flock(made.fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
			kind, err := made.read("cgroup.type")
			if err == nil && kind == "domain" {
				return made, nil
			}
			if err == nil {
				made.close()
				unix.Unlinkat(f.fd, name, unix.AT_REMOVEDIR)
				return nil, errors.New("a group of type " + kind + " takes no process")
			}
		}
		made.close()
	}
	return nil, unix.EAGAIN
}

// removeUnlocked removes the sandbox groups below f that no launch has locked. In one that a launcher moved itself into
// nothing is killed: the parent of a host becomes a shim there, which has no lock of it.
func (f *folder) removeUnlocked() {
	until := time.Now().Add(removeTimeout) // for all of them: a process that hangs in the kernel keeps its group
	for _, name := range f.children() {
		if !isSandboxName(name) {
			continue
		}
		if stale, err := openFolder(f.fd, name); err == nil {
			switch free := unix.Flock(stale.fd, unix.LOCK_EX|unix.LOCK_NB) == nil; {
			case free && strings.HasSuffix(name, shimSuffix):
				unix.Unlinkat(f.fd, name, unix.AT_REMOVEDIR)
			case free:
				f.remove(stale, until)
			}
			stale.close()
		}
	}
}

// removeTimeout is how long a removal waits for killed processes to end.
const removeTimeout = 200 * time.Millisecond

// remove removes a group below f and the groups in it. Processes in them are killed.
func (f *folder) remove(top *folder, until time.Time) {
	for {
		for _, name := range top.children() {
			unix.Unlinkat(top.fd, name, unix.AT_REMOVEDIR)
		}
		err := unix.Unlinkat(f.fd, top.name, unix.AT_REMOVEDIR)
		if err != unix.EBUSY && err != unix.ENOTEMPTY {
			return
		}
		if top.kill(); time.Now().After(until) { // the next launch removes what is left
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// kill kills every process in a group and in the groups below it: by cgroup.kill since Linux 5.14, before one by one.
func (f *folder) kill() {
	if f.write("cgroup.kill", "1") == nil {
		return
	}
	pids, _ := f.read("cgroup.procs")
	for _, pid := range strings.Fields(pids) {
		if n, err := strconv.Atoi(pid); err == nil && n > 0 && n != unix.Getpid() {
			unix.Kill(n, unix.SIGKILL)
		}
	}
	for _, name := range f.children() {
		if below, err := openFolder(f.fd, name); err == nil {
			below.kill()
			below.close()
		}
	}
}
