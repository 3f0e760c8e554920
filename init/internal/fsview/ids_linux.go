package fsview

import "golang.org/x/sys/unix"

// may reports whether the server's ids, without any other group, have all of need (4 read, 2 write, 1 execute or
// search) on an object. It is reckoned from owner, group and mode as the kernel does it, access list included; acl(5).
// Changing the ids of a thread to ask the kernel is no way in a Go process. The folders above need not be looked at:
// the object is mounted from a descriptor.
func (p *planner) may(e *entry, path string, need uint32) bool {
	if list := accessList(path); list != nil {
		return list.allows(e, uint32(p.r.UID), uint32(p.r.GID), need)
	}
	bits := e.mode
	switch {
	case e.uid == uint32(p.r.UID):
		bits >>= 6
	case e.gid == uint32(p.r.GID):
		bits >>= 3
	}
	return bits&need == need
}

// accessList reads an object's access list; nil where it has none beyond its mode.
func accessList(path string) acl {
	b := make([]byte, 1024)
	n, err := unix.Lgetxattr(path, "system.posix_acl_access", b)
	if err != nil {
		return nil
	}
	return parseACL(b[:n])
}
