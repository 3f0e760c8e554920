//go:build darwin || linux

package limitsonly

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// find is the file of a command: with a slash in it relative to dir, without looked up in PATH; empty and relative
// entries are passed over.
func find(o *order.Order) (string, error) {
	name := o.Command[0]
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(o.Dir, name)
		}
		if err := executable(name); err != nil {
			kind := fsview.ErrNotExecutable
			if err == unix.ENOENT || err == unix.ENOTDIR {
				kind = fsview.ErrNotFound
			}
			return "", &fsview.CommandError{Path: name, Kind: kind, Err: err}
		}
		return name, nil
	}
	failed := &fsview.CommandError{Path: name, Kind: fsview.ErrNotFound}
	for folder := range strings.SplitSeq(order.Lookup(o.Env, "PATH"), ":") {
		if !filepath.IsAbs(folder) {
			continue
		}
		at := filepath.Join(folder, name)
		err := executable(at)
		if err == nil {
			return at, nil
		}
		if err != unix.ENOENT && err != unix.ENOTDIR { // passed over, as execvp does
			failed = &fsview.CommandError{Path: at, Kind: fsview.ErrNotExecutable, Err: err}
		}
	}
	return "", failed
}

func executable(path string) error {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return err
	}
	switch {
	case st.Mode&unix.S_IFMT == unix.S_IFDIR:
		return unix.EISDIR
	case st.Mode&unix.S_IFMT != unix.S_IFREG || st.Mode&0o111 == 0:
		return unix.EACCES
	}
	return unix.Access(path, unix.X_OK)
}

// ids are those of a process.
type ids struct{ uid, gid int }

func ownIDs() ids { return ids{os.Getuid(), os.Getgid()} }

func (i ids) String() string { return strconv.Itoa(i.uid) + ":" + strconv.Itoa(i.gid) }

// userOf are the server's ids. Those of a root launcher's server are the policy's, or else ids of no user;
// other launchers give the server their own.
func userOf(p *policy.Policy) ids {
	if os.Getuid() != 0 || p.Level == policy.Privileged {
		return ownIDs()
	}
	uid, gid, _ := strings.Cut(p.User, ":")
	u, err1 := strconv.Atoi(uid)
	g, err2 := strconv.Atoi(gid)
	if err1 != nil || err2 != nil {
		return ids{65533, 65533}
	}
	return ids{u, g}
}

// checkUser refuses ids that an ordinary launcher cannot give.
func checkUser(p *policy.Policy) error {
	if own := userOf(p).String(); p.User != "" && p.User != own {
		return refusedPath("user", p.User, unix.EPERM)
	}
	return nil
}
