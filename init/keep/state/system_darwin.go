package state

import "golang.org/x/sys/unix"

// openPath opens a folder, which must be readable: there is no O_PATH.
const openPath = unix.O_RDONLY
