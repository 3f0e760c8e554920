package cgroup

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestMkdirUmask: the umask does not keep a group's maker out, and is not changed: the umask belongs to the whole
// process.
func TestMkdirUmask(t *testing.T) {
	parent, err := openFolder(unix.AT_FDCWD, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer parent.close()
	before := unix.Umask(0o777)
	made, err := parent.mkdir("group")
	if after := unix.Umask(before); after != 0o777 {
		t.Errorf("the umask is %o", after)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer made.close()
	var st unix.Stat_t
	if err := unix.Fstat(made.fd, &st); err != nil || st.Mode&0o777 != 0o755 {
		t.Errorf("mode %o, %v", st.Mode, err)
	}
}
