package privdir

import "golang.org/x/sys/unix"

// openPath opens a folder, which must be readable: there is no O_PATH.
const openPath = unix.O_RDONLY

// IsUnmapped is false: there are no user namespaces.
func IsUnmapped(int) bool { return false }

// isMountRoot is false: servers have no mounts of their own here.
func isMountRoot(int) bool { return false }

// MakeSearchable gives its owner every right to a folder again, and never to what a symbolic link in its place
// leads to.
func MakeSearchable(dir int, name string) { unix.Fchmodat(dir, name, 0o700, unix.AT_SYMLINK_NOFOLLOW) }
