package lasting_test

import (
	"cmp"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// attackIs is the role of a server that attacks a package and its neighbour.
const attackIs = "lasting.test attack"

// attack tries to read the neighbour, and to change the package or the neighbour, under every name that the server can
// find for them, below the home. These are the words.
func attack(words []string) int {
	pack, neighbour, home := words[0], words[1], words[2]
	own := cmp.Or(os.Getenv("TMPDIR"), "/tmp") + "/own"
	_ = os.WriteFile(own, []byte("mine\n"), 0o666)
	show(own)
	out, _ := exec.Command("/bin/sh", pack+"/program").Output()
	os.Stdout.Write(out)
	show(neighbour + "/lock")
	for _, root := range []string{"", "/proc/self/root", "/proc/1/root", "/proc/self/cwd" + strings.Repeat("/..", 11)} {
		for _, at := range []string{root + pack, root + neighbour} {
			change(at)
			_ = unix.Rename(at, at+".old")
			show(root + neighbour + "/lock")
		}
		parent := func(s string) string { return s[:strings.LastIndexByte(s, '/')] }
		for up := parent(root + pack); up != root+home; up = parent(up) {
			if unix.Rename(up, up+".old") == nil {
				_ = os.Mkdir(up, 0o777)
			}
			_ = os.WriteFile(up+"/new", nil, 0o666)
			_ = unix.Rmdir(up)
		}
	}
	dir, _ := unix.Open(pack, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	lock, _ := unix.Open(pack+"/lock", unix.O_RDONLY, 0)
	by := func(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }
	_ = os.WriteFile(by(dir)+"/new", nil, 0o666)
	add(by(lock))
	_ = unix.Unlink(by(dir) + "/lock")
	_ = unix.Chmod(by(dir), 0o777)
	show(by(dir) + "/../../../z/2.0.0-4567/lock")
	for _, at := range []string{pack + "/..", pack + "/../../.."} {
		names, _ := os.ReadDir(at)
		for _, e := range names {
			os.Stdout.WriteString(e.Name() + "\n")
		}
	}
	return 0
}

func show(path string) {
	b, _ := os.ReadFile(path)
	os.Stdout.Write(b)
}

func add(path string) {
	if f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666); err == nil {
		_, _ = f.WriteString("changed\n")
		f.Close()
	}
}

// change changes a package in every way.
func change(at string) {
	_ = os.WriteFile(at+"/new", nil, 0o666)
	add(at + "/lock")
	_ = os.Mkdir(at+"/in", 0o777)
	_ = os.Symlink("/", at+"/link")
	_ = unix.Unlink(at + "/lock")
	_ = unix.Chmod(at, 0o777)
	_ = unix.Chmod(at+"/lock", 0o777)
	_ = os.Chtimes(at+"/lock", time.Unix(1, 0), time.Unix(1, 0))
}
