//go:build darwin || linux

package privdir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// Bases are the folders in which a private folder may be made, the first before the others.
func Bases() []string {
	all := []string{"/tmp", "/dev/shm"}
	if own := os.Getenv("TMPDIR"); own != "" {
		own = filepath.Clean(own)
		all = append([]string{own}, slices.DeleteFunc(all, func(base string) bool { return base == own })...)
	}
	return all
}

// A NoBase says for each of the bases why the private folder could not be made there.
type NoBase struct {
	Bases string // separated by commas
	why   string
	UID   int // the server's
}

func (n *NoBase) add(base string, err error) {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err
	}
	if n.Bases != "" {
		n.Bases, n.why = n.Bases+", ", n.why+"; "
	}
	n.Bases, n.why = n.Bases+base, n.why+base+": "+err.Error()
}

func (n *NoBase) Error() string { return n.why }

// checkBase is an error if another user could rename or remove files made in a folder. Where swappable is set a
// world-writable folder without the sticky bit, as a Pod's emptyDir, serves if the folder is the root of a mount.
func checkBase(dir int, swappable bool) error {
	var st unix.Stat_t
	if err := unix.Fstat(dir, &st); err != nil {
		return err
	}
	uid := int(st.Uid)
	if folder.IsForeign(uid) {
		return folder.Unfit("it belongs to user " + strconv.Itoa(uid) + ", who could take the folder away")
	}
	if st.Mode&0o022 != 0 && st.Mode&unix.S_ISVTX == 0 && !(swappable && isMountRoot(dir)) {
		return folder.Unfit("others may write to it, and without the sticky bit take the folder away")
	}
	return nil
}

// checkSearchable is an error if others may not search a folder above base, or base itself.
func checkSearchable(base string) error {
	path, err := filepath.EvalSymlinks(base)
	if err != nil {
		return err
	}
	for path = strings.TrimRight(path, "/"); path != ""; path = path[:strings.LastIndexByte(path, '/')] {
		var st unix.Stat_t
		if err := unix.Stat(path, &st); err != nil {
			return err
		}
		if st.Mode&0o001 == 0 {
			return folder.Unfit("the server's user may not enter " + path)
		}
	}
	return nil
}
