package escape_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// reconfigure asks the file system itself, not the mount, to be writable.
func reconfigure(args []string) (string, error) {
	fd, err := unix.Fspick(unix.AT_FDCWD, args[0], unix.FSPICK_CLOEXEC)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	if err := unix.FsconfigSetFlag(fd, "rw"); err != nil {
		return "", err
	}
	return "reconfigured", unix.FsconfigReconfigure(fd)
}

func tmpfile(args []string) (string, error) {
	fd, err := unix.Open(args[0], unix.O_TMPFILE|unix.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	return "linked", unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(fd), unix.AT_FDCWD, args[1], unix.AT_SYMLINK_FOLLOW)
}

func reopen(args []string) (string, error) {
	flags, err := strconv.ParseInt(args[1], 0, 32)
	if err != nil {
		return "", err
	}
	path, err := unix.Open(args[0], unix.O_PATH, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(path)
	fd, err := unix.Open("/proc/self/fd/"+strconv.Itoa(path), int(flags), 0)
	if err == nil {
		unix.Close(fd)
	}
	return "opened", err
}

// moved gives its host a minute.
func moved(args []string) (string, error) {
	dir, err := unix.Open(args[0], unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(dir)
	if err := os.WriteFile(filepath.Join(args[0], "ready"), nil, 0o666); err != nil {
		return "", err
	}
	if !testbed.Comes(func() bool { _, err := os.Lstat(args[0]); return err != nil }) {
		return "", errors.New("nobody moved it")
	}
	fd, err := unix.Openat(dir, args[1], unix.O_RDONLY, 0)
	if err == nil {
		unix.Close(fd)
	}
	return "opened", err
}

// linesWith searches the whole file: a list of the host can be longer than the part that "read" tells.
func linesWith(args []string) (string, error) {
	b, err := os.ReadFile(args[0])
	var with []string
	for line := range strings.Lines(string(b)) {
		if strings.Contains(line, args[1]) {
			with = append(with, line)
		}
	}
	return strings.Join(with, ""), err
}

// readReplaced gives its host a minute.
func readReplaced(args []string) (string, error) {
	if err := os.WriteFile(args[0]+".ready", nil, 0o666); err != nil {
		return "", err
	}
	if !testbed.Comes(func() bool { _, err := os.Lstat(args[0] + ".done"); return err == nil }) {
		return "", errors.New("nobody replaced it")
	}
	b, err := os.ReadFile(args[0])
	return string(b), err
}

// deface tries what a log file would show: its first bytes overwritten, its end cut off.
func deface(args []string) (string, error) {
	fd, err := strconv.Atoi(args[0])
	if err != nil {
		return "", err
	}
	var went []string
	try := func(name string, err error) {
		if err == nil {
			went = append(went, name)
		}
	}
	link := "/proc/self/fd/" + args[0]
	for _, way := range []struct {
		name string
		flag int
	}{{"reopened to write", unix.O_WRONLY}, {"reopened to read", unix.O_RDONLY | unix.O_NONBLOCK}, {"reopened to cut", unix.O_WRONLY | unix.O_TRUNC}} {
		again, err := unix.Open(link, way.flag|unix.O_NOCTTY, 0)
		try(way.name, err)
		if err == nil {
			_, err = unix.Pwrite(again, []byte("FORGED"), 0)
			try(way.name+", overwritten", err)
			unix.Close(again)
		}
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return "", err
	}
	_, err = unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags&^unix.O_APPEND)
	if err == nil {
		_, err = unix.Pwrite(fd, []byte("FORGED"), 0)
	}
	try("overwritten", err)
	try("cut", unix.Ftruncate(fd, 0))
	try("cut by its path", unix.Truncate(link, 0))
	return strings.Join(went, "; ") + ".", nil
}
