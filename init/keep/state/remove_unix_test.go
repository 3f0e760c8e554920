//go:build darwin || linux

package state

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Whatever a server left is removed, and nothing that it leads to.
func TestRemoveWhatAServerLeft(t *testing.T) {
	_, me := stage(t)
	path := opened(t, "acme", me)
	outside := t.TempDir()
	os.WriteFile(outside+"/kept", []byte("kept"), 0o640)
	os.Symlink("/etc", path+"/.ssh")
	os.Symlink(outside, path+"/out")
	os.Symlink(outside+"/kept", path+"/.bashrc")
	os.Link(outside+"/kept", path+"/hard")
	os.MkdirAll(path+"/closed/in/deeper", 0o700)
	os.WriteFile(path+"/closed/in/f", nil, 0)
	unix.Chmod(path+"/closed/in/deeper", 0)
	unix.Chmod(path+"/closed/in", 0)
	unix.Chmod(path+"/closed", 0o7000)
	unix.Mkfifo(path+"/fifo", 0)
	unix.Mknod(path+"/plain", unix.S_IFREG, 0)
	if s, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); err == nil {
		t.Chdir(path)
		unix.Bind(s, &unix.SockaddrUnix{Name: "socket"})
		unix.Close(s)
		t.Chdir("/")
	}
	for _, name := range []string{"a\nb", "\x1b[31mred", "\xff\xfe", "-rf", "...", strings.Repeat("n", 255)} {
		os.WriteFile(path+"/"+name, nil, 0o600)
		os.Mkdir(path+"/d"+name, 0)
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 300 { // deeper than a path can be long
		name := strings.Repeat("x", 60)
		unix.Mkdirat(fd, name, 0o700)
		next, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			t.Fatal(err)
		}
		unix.Close(fd)
		fd = next
	}
	unix.Close(fd)
	for i := range 3000 {
		unix.Mknod(path+"/n"+strconv.Itoa(i), unix.S_IFREG|0o600, 0)
	}
	if all, err := List(); err != nil || len(all) != 1 || mode(t, path+"/closed").Perm() != 0 {
		t.Errorf("a list: %v, %v, or it changed a mode", all, err)
	}
	unix.Chmod(path, 0)
	if err := Remove("acme"); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(outside + "/kept"); string(b) != "kept" || mode(t, outside+"/kept").Perm() != 0o640 {
		t.Errorf("what a link led to: %q, %v", b, err)
	}
	if all, _ := List(); len(all) != 0 {
		t.Errorf("left: %v", all)
	}
}
