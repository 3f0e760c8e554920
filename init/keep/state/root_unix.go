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

// openRoot opens the folder of all states, and says where it is.
func openRoot(create bool) (root int, at string, err error) { return OpenOwn("state", create) }

// OpenOwn opens one of this product's folders of the user's state directory by its name, and says where it is. The
// folder is this user's alone, and no other user, but root, can put another in its place.
func OpenOwn(name string, create bool) (fd int, at string, err error) {
	p, err := places.Of(os.Getenv)
	if err != nil {
		return -1, "", err
	}
	return OpenBelow(p.State, name, create)
}

// OpenStore opens the folder of the installed packages as [OpenOwn] opens those of states and reports.
func OpenStore(create bool) (fd int, at string, err error) {
	p, err := places.Of(os.Getenv)
	if err != nil {
		return -1, "", err
	}
	return OpenBelow(p.Data, path.Base(p.Store()), create)
}

// OpenBelow is OpenOwn for a folder in one of the [places.Places].
func OpenBelow(place, name string, create bool) (fd int, at string, err error) {
	if at, err = folder.Resolve(path.Dir(place)); err != nil {
		return -1, "", err
	}
	if fd, err = folder.Walk(at, create); err != nil {
		return -1, "", withWayOut(err)
	}
	for _, name := range [...]string{path.Base(place), name} {
		at += "/" + name
		above := fd
		fd, err = folder.Own(above, name, create)
		unix.Close(above)
		if err != nil {
			return -1, "", withWayOut(&os.PathError{Op: "open", Path: at, Err: err})
		}
	}
	return fd, at, nil
}

// withWayOut adds to the error of a folder that another user owns, or that cannot be made, how to keep the data in
// other folders. Set in front of a command the variables do not count.
func withWayOut(err error) error {
	const elsewhere = ": start mcp-sandbox from a program that has XDG_STATE_HOME and XDG_DATA_HOME lead to folders " +
		"of your own (in a shell export them, then exec $SHELL)"
	_, foreign := errors.AsType[*folder.Foreign](err)
	_, unmade := errors.AsType[*folder.Unmade](err)
	if p, ok := errors.AsType[*os.PathError](err); ok && (foreign || unmade) {
		p.Err = &lost{p.Err, elsewhere}
	}
	return err
}

// A lost folder is one that another place could stand in for.
type lost struct {
	error
	wayOut string
}

func (l *lost) Error() string { return l.error.Error() + l.wayOut }
func (l *lost) Unwrap() error { return l.error }
