package fsview

// An acl is an access list as the kernel stores it; acl(5), linux/posix_acl_xattr.h.
type acl []aclEntry

type aclEntry struct {
	tag, perm uint16
	id        uint32
}

// Tags of an entry.
const (
	aclOwner     = 0x01
	aclUser      = 0x02
	aclOwnGroup  = 0x04
	aclGroup     = 0x08
	aclMask      = 0x10
	aclOther     = 0x20
	aclVersion   = 2
	aclEntrySize = 8
)

// parseACL reads the attribute: a version, then entries, all little-endian. nil if it is something else.
func parseACL(b []byte) acl {
	if len(b) < 4 || len(b)%aclEntrySize != 4 || b[0] != aclVersion {
		return nil
	}
	list := make(acl, 0, len(b)/aclEntrySize)
	for b = b[4:]; len(b) > 0; b = b[aclEntrySize:] {
		list = append(list, aclEntry{
			tag:  uint16(b[0]) | uint16(b[1])<<8,
			perm: uint16(b[2]) | uint16(b[3])<<8,
			id:   uint32(b[4]) | uint32(b[5])<<8 | uint32(b[6])<<16 | uint32(b[7])<<24,
		})
	}
	return list
}

// allows follows the access check algorithm of acl(5).
func (l acl) allows(e *entry, uid, gid, need uint32) bool {
	mask := uint16(7)
	for _, x := range l {
		if x.tag == aclMask {
			mask = x.perm
		}
	}
	has := func(perm uint16) bool { return uint32(perm)&need == need }
	if e.uid == uid {
		for _, x := range l {
			if x.tag == aclOwner {
				return has(x.perm)
			}
		}
	}
	for _, x := range l {
		if x.tag == aclUser && x.id == uid {
			return has(x.perm & mask)
		}
	}
	group := false
	for _, x := range l {
		if x.tag == aclOwnGroup && e.gid == gid || x.tag == aclGroup && x.id == gid {
			group = true
			if has(x.perm & mask) {
				return true
			}
		}
	}
	if group {
		return false
	}
	for _, x := range l {
		if x.tag == aclOther {
			return has(x.perm)
		}
	}
	return false
}
