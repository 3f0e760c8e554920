// Package installed opens for a launch the folders of the store: that of the package which the launch starts, and the
// one in which a package manager installs.
//
//	f, err := installed.Open("/home/ann/.local/share/mcp-sandbox/store/npm/x/1.2.3-0123abcd", uid, held)
//	defer f.Close()
//
// Only a path below the store of this user is opened, through no symbolic link below the store. A package is locked
// shared, by flock(2) on its folder: the remover of packages takes that lock alone, and spares a package that runs. The
// store's contents, and whether a package changed, are another package's knowledge.
package installed

import (
	"errors"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
)

// ErrRemoving is the error of [Open] while a package is removed.
var ErrRemoving = errors.New("the package is being removed or changed: start the server again once that is done")

// ErrNone is the error of a folder that is not there.
var ErrNone = errors.New("the package is not in the store: `mcp-sandbox install` puts it there")

// foreign is the error of a folder that belongs to another user.
func foreign(owner, want int) error {
	return folder.Unfit("it belongs to user " + strconv.Itoa(owner) + ", and not to user " + strconv.Itoa(want))
}
