//go:build darwin || linux

package state

import (
	"errors"
	"os"
	"path"

	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// Foresee says where [Open] would find or make the folder of a name, and makes nothing. The errors are Open's, as far
// as a look shows them.
func Foresee(name string, o Owner) (string, error) {
	p, err := places.Of(os.Getenv)
	if err != nil {
		return "", err
	}
	at, err := folder.Resolve(path.Dir(p.State))
	if err != nil {
		return "", err
	}
	at += "/" + path.Base(p.State) + "/" + path.Base(p.States()) + "/" + name
	root, _, err := openRoot(false)
	if errors.Is(err, unix.ENOENT) {
		return at, nil
	}
	if err != nil {
		return at, err
	}
	defer unix.Close(root)
	var st unix.Stat_t
	switch err = unix.Fstatat(root, name, &st, unix.AT_SYMLINK_NOFOLLOW); {
	case err == unix.ENOENT:
		return at, nil
	case err == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR:
		err = folder.Unfit("it is no folder")
	case err == nil && !o.has(&st):
		err = &Foreign{int(st.Uid), o.UID}
	}
	if err != nil {
		return at, &os.PathError{Op: "open", Path: at, Err: err}
	}
	return at, nil
}

// has reports whether a file is the server's, or can be given to the server.
func (o *Owner) has(st *unix.Stat_t) bool {
	return int(st.Uid) == o.UID || o.Chown && int(st.Uid) == unix.Geteuid()
}
