package supervise

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// opPrivate is the step that a launch is refused at where there is no place for the private folder.
const opPrivate = "make the private folder in"

// bases are where the private folder may lie, the first before the others.
func bases() []string {
	var all []string
	for _, base := range [...]string{os.Getenv("TMPDIR"), "/tmp", "/dev/shm"} {
		if base == "" {
			continue
		}
		if base = filepath.Clean(base); !slices.Contains(all, base) {
			all = append(all, base)
		}
	}
	return all
}

// nowhere is why the private folder could be made in no place.
type nowhere struct {
	where, why string
	uid        int
}

func (n *nowhere) add(base string, err error) {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	if n.where != "" {
		n.where, n.why = n.where+", ", n.why+"; "
	}
	n.where, n.why = n.where+base, n.why+base+": "+err.Error()
}

func (n *nowhere) Error() string { return n.why }

func (n *nowhere) hint() string {
	return "mount a tmpfs (in a Pod an emptyDir) on /tmp that user " + strconv.Itoa(n.uid) +
		" may write to, or set TMPDIR to a folder that this user alone may write to"
}

// unkept is why a folder does not serve.
type unkept string

func (u unkept) Error() string { return string(u) }

// keeps is an error if others could take away what is made in a folder. Where swapped is set that does no harm in a mount of
// its own, as a Pod's emptyDir, which anybody may write to, without the sticky bit.
func keeps(dir int, swapped bool) error {
	var st unix.Stat_t
	if err := unix.Fstat(dir, &st); err != nil {
		return err
	}
	uid := int(st.Uid)
	if uid != 0 && uid != unix.Geteuid() && (uid != overflow || known(overflow)) {
		return unkept("it belongs to user " + strconv.Itoa(uid) + ", who could take the folder away")
	}
	if st.Mode&0o022 != 0 && st.Mode&unix.S_ISVTX == 0 && !(swapped && mounted(dir)) {
		return unkept("others may write to it, and without the sticky bit take the folder away")
	}
	return nil
}

// overflow is what an id looks like that this user namespace has not got, the machine's root for one.
const overflow = 65534

// known reports whether an id is somebody's here. What cannot be found out is.
func known(id int) bool {
	b, err := platform.ReadSmall("/proc/self/uid_map", 64<<10)
	ranges, ok := platform.ParseIDMap(b)
	return err != nil || !ok || platform.Mapped(ranges, id)
}

// mounted reports whether a folder is what a mount shows first; statx(2).
func mounted(dir int) bool {
	var st unix.Statx_t
	err := unix.Statx(dir, "", unix.AT_EMPTY_PATH, 0, &st)
	return err == nil && st.Attributes_mask&st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}

// passable is an error if a folder cannot be reached by everybody: the server of a root launcher is another user.
func passable(base string) error {
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
			return unkept("the server's user may not enter " + path)
		}
	}
	return nil
}
