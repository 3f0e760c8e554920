package fsview

import "golang.org/x/sys/unix"

// may reports whether the server's ids, without any other group, have all of need (4 read, 2 write, 1 execute or
// search) on a file. The answer is computed from owner, group and mode as the kernel does it, access list included;
// acl(5). To ask the kernel a thread would have to change its ids, which makes the whole process undumpable;
// prctl(2). The folders above need not be looked at: the file is mounted from a descriptor.
func (i *Identity) may(e *entry, path string, need uint32) bool {
	list, b := modeList(e.mode), make([]byte, 1024)
	if n, err := unix.Lgetxattr(path, "system.posix_acl_access", b); err == nil {
		if own := parseACL(b[:n]); own != nil {
			list = own
		}
	}
	return list.allows(e, uint32(i.UID), uint32(i.GID), need)
}

// enters reports whether the server's user may enter a folder, or read a file.
func (i *Identity) enters(e *entry, path string) bool {
	mode := uint32(unix.R_OK)
	switch {
	case e.is(typeLink):
		return true
	case e.is(typeFolder):
		mode = unix.X_OK
	}
	if i.Root {
		return i.may(e, path, mode)
	}
	return unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS) == nil
}
