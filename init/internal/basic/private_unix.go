//go:build darwin || linux

package basic

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// ownMask lets the owner into what is made, whatever the umask is, until what it returns is called.
func ownMask() func() {
	old := unix.Umask(0o077)
	return func() { unix.Umask(old) }
}

// makePrivate makes a folder of mode 0700.
func makePrivate(base, prefix string) (string, error) { return os.MkdirTemp(base, prefix) }

func (v *private) folders() []string { return nil }

func (v *private) variables() []string { return []string{"HOME=" + v.home, "TMPDIR=" + v.tmp} }

// give makes the folder the server's, where that is another user.
func (v *private) give() error {
	if v.owner.uid == os.Getuid() && v.owner.gid == os.Getgid() {
		return nil
	}
	return filepath.Walk(v.dir, func(path string, _ os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, v.owner.uid, v.owner.gid)
	})
}

// facts reads back who may enter the folder.
func (v *private) facts() []order.Fact {
	f := order.Fact{Name: "private folder", Want: "0700 of " + strconv.Itoa(v.owner.uid)}
	var st unix.Stat_t
	if err := unix.Lstat(v.dir, &st); err != nil {
		f.Reason, f.Effect = err.Error(), "there is none"
		return []order.Fact{f}
	}
	f.Got = "0" + strconv.FormatUint(uint64(st.Mode)&0o7777, 8) + " of " + strconv.Itoa(int(st.Uid))
	return []order.Fact{f}
}

// mine reports whether a folder belongs to this user and is no link.
func mine(dir string) bool {
	var st unix.Stat_t
	return unix.Lstat(dir, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR && int(st.Uid) == os.Getuid()
}

// alive reports whether a process runs. What may not be signalled does.
func alive(pid int) bool { return unix.Kill(pid, 0) != unix.ESRCH }
