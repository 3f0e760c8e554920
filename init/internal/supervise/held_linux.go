package supervise

import (
	"errors"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// nobodyHolds is an error if a process of the sandbox, which is stopped, has the file open that is covered now.
func (s *shim) nobodyHolds(f found, covered string) error {
	pid, err := s.held(f, covered)
	if err != nil {
		return errors.New("who holds " + covered + " open: " + err.Error())
	}
	if pid != 0 {
		return errors.New("process " + strconv.Itoa(pid) + " has the new " + covered + " open")
	}
	return nil
}

// held reports which process of the frozen sandbox holds a file that was covered meanwhile: by a descriptor, as a folder
// it is in, or in its memory. What cannot be looked into, such as a server whose binary its user may not read, is an
// error. A descriptor on its way through a socket is not seen.
func (s *shim) held(f found, path string) (pid int, err error) {
	for _, p := range s.tree() {
		if p.state == 'Z' || p.state == 'X' || p.pid == s.server && !s.executed() {
			continue
		}
		holds, err := holds(p.pid, f, path)
		if err != nil && unix.Kill(p.pid, 0) != unix.ESRCH {
			return 0, errors.New("process " + strconv.Itoa(p.pid) + " cannot be looked into: " + err.Error())
		}
		if holds {
			return p.pid, nil
		}
	}
	return 0, nil
}

// executed reports whether the server's own program runs. Before, its process is not dumpable, so nobody may look into it,
// and holds what the rows left it. Its end of the release is closed by execve, and init has none: then the pipe has no reader.
func (s *shim) executed() bool {
	fds := []unix.PollFd{{Fd: int32(s.release)}}
	_, err := unix.Poll(fds, 0)
	return err != nil || fds[0].Revents&unix.POLLERR != 0
}

func holds(pid int, f found, path string) (bool, error) {
	dir := "/proc/" + strconv.Itoa(pid)
	threads := dir + "/task/"
	for _, t := range numbers(threads) { // each may have a table of its own
		fds := threads + t + "/fd/"
		names, err := list(fds)
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH) {
			continue
		}
		if err != nil {
			return false, err
		}
		links := append(make([]string, 0, len(names)+2), threads+t+"/cwd", threads+t+"/root")
		for _, n := range names {
			links = append(links, fds+n)
		}
		for _, l := range links {
			if got, err := lookFD(unix.AT_FDCWD, l, 0); err == nil && got.dev == f.dev && got.ino == f.ino {
				return true, nil
			}
		}
	}
	b, err := platform.ReadSmall(dir+"/maps", 64<<20)
	if err != nil {
		return false, err
	}
	maps, ok := platform.ParseMaps(b)
	if !ok {
		return false, errors.New("maps: a line is not as proc_pid_maps(5) says")
	}
	for _, m := range maps {
		// The device is another one than stat's on btrfs, and the inode on overlayfs.
		if m.Ino != 0 && (m.Dev == f.dev && m.Ino == f.ino || m.Path == path) {
			return true, nil
		}
	}
	return false, nil
}
