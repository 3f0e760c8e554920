package launch

import (
	"os"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// copyCertificates makes the files of a view's copies in the private folder. All is made below descriptors, and the
// rule that lets the server read them is for the folder that was made here, whatever lies at its path by then.
func copyCertificates(a *Attempt) error {
	if len(a.View.Copies) == 0 {
		return nil
	}
	id, err := makeCopies(a.kept.private.FD(), a.View.Copies)
	at := a.kept.private.Path + "/" + fsview.PrivateCertificates
	if err != nil {
		return &order.Refusal{Layer: order.Root, Op: "copy certificates", Path: at, Err: err}
	}
	for i := range a.View.Nodes {
		if n := &a.View.Nodes[i]; n.Path == at {
			n.FileID = id
		}
	}
	return nil
}

// makeCopies makes the folder of the copies in an open folder.
func makeCopies(private int, all [][]fsview.Node) (id platform.FileID, err error) {
	top, err := makeOpen(private, fsview.PrivateCertificates)
	if err != nil {
		return id, err
	}
	defer unix.Close(top)
	for i, files := range all {
		folder, err := makeOpen(top, strconv.Itoa(i))
		if err != nil {
			return id, err
		}
		for j := range files {
			if err = makeCopy(folder, &files[j]); err != nil {
				break
			}
		}
		unix.Close(folder)
		if err != nil {
			return id, err
		}
	}
	var st unix.Stat_t
	err = unix.Fstat(top, &st)
	return platform.StatID(&st), err
}

// makeOpen makes a folder that every user may enter, whatever the umask is, and opens it.
func makeOpen(at int, name string) (fd int, err error) {
	if err = unix.Mkdirat(at, name, 0o700); err != nil {
		return -1, err
	}
	fd, err = unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		err = unix.Fchmod(fd, 0o755)
	}
	return fd, err
}

func makeCopy(at int, n *fsview.Node) error {
	const flags = unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(at, n.Path, flags, 0o600)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), n.Path)
	defer f.Close()
	if _, err = f.WriteString(n.Content); err != nil {
		return err
	}
	return unix.Fchmod(fd, n.Mode)
}
