package cgroup

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Whoever locks a group's folder, which every user may, holds up no launch; and where the kernel has a file that only
// the owner can open, not even for a moment.
func TestLockOfOthers(t *testing.T) {
	for _, own := range []bool{false, true} {
		dir := t.TempDir()
		f, err := openFolder(unix.AT_FDCWD, dir)
		if err != nil {
			t.Fatal(err)
		}
		defer f.close()
		if own {
			fd, err := unix.Open(dir+"/cgroup.kill", unix.O_CREAT|unix.O_WRONLY, 0o200)
			if err != nil {
				t.Fatal(err)
			}
			unix.Close(fd)
		}
		other, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(other)
		if err := unix.Flock(other, unix.LOCK_EX|unix.LOCK_NB); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			fd, err := f.lock(unix.LOCK_SH, time.Now().Add(50*time.Millisecond))
			if err == nil {
				unix.Close(fd)
			}
			done <- err
		}()
		if err := testbed.Receive(t, "an answer beside the other's lock", done); own != (err == nil) || !own && err != unix.EWOULDBLOCK {
			t.Errorf("own %v: %v", own, err)
		}
		unix.Flock(other, unix.LOCK_UN)
		fd, err := f.lock(unix.LOCK_SH, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.lock(unix.LOCK_EX, time.Time{}); err != unix.EWOULDBLOCK {
			t.Errorf("own %v: two locks at once: %v", own, err)
		}
		unix.Close(fd)
	}
}

// What a killed launcher left is killed and removed, but for processes in a group that launchers move themselves into.
func TestRemoveUnlocked(t *testing.T) {
	dir := t.TempDir()
	const server, launcher, empty = prefix + "aaaaaaaaaa", prefix + "bbbbbbbbbb" + shimSuffix, prefix + "cccccccccc" + shimSuffix
	const other = prefix + "dddddddddd"                      // and one that hangs keeps the other from nothing
	for _, name := range []string{server, launcher, other} { // a file stands for a process: the folder cannot be removed
		if err := errors.Join(os.Mkdir(dir+"/"+name, 0o755), os.WriteFile(dir+"/"+name+"/cgroup.kill", nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir+"/"+empty, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := openFolder(unix.AT_FDCWD, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	f.removeUnlocked()
	for name, want := range map[string]string{server: "1", other: "1", launcher: ""} {
		if b, err := os.ReadFile(dir + "/" + name + "/cgroup.kill"); err != nil || strings.Trim(string(b), "1") != "" || (len(b) > 0) != (want != "") {
			t.Errorf("%s: cgroup.kill has %q, %v", name, b, err)
		}
	}
	if _, err := os.Stat(dir + "/" + empty); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty group of a launcher: %v", err)
	}
}
