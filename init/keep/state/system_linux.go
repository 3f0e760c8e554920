package state

import "golang.org/x/sys/unix"

// openPath opens a folder that need not be readable; open(2).
const openPath = unix.O_PATH
