package cgroup

import (
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
