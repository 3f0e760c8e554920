package main

import "syscall"

// private makes the file of a unix socket this user's alone from its first moment: bind(2) takes the mode of the
// socket.
func private(_, _ string, c syscall.RawConn) (err error) {
	if bad := c.Control(func(fd uintptr) { err = syscall.Fchmod(int(fd), 0o600) }); bad != nil {
		return bad
	}
	return err
}
