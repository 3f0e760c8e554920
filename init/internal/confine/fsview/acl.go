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

// modeList is the access list that the permission bits of a mode stand for.
func modeList(mode uint32) acl {
	m := uint16(mode)
	return acl{{tag: aclOwner, perm: m >> 6 & 7}, {tag: aclOwnGroup, perm: m >> 3 & 7}, {tag: aclOther, perm: m & 7}}
}

// allows follows the kernel through a list, whose entries are sorted by their tags: the first kind that is for the user
// decides, and of groups one that allows suffices; acl(5), posix_acl_permission in fs/posix_acl.c.
func (l acl) allows(e *entry, uid, gid, need uint32) bool {
	mask := uint16(7)
	for _, x := range l {
		if x.tag == aclMask {
			mask = x.perm
		}
	}
	refused := false // by a group
	for _, x := range l {
		perm, group := x.perm&mask, false
		switch {
		case x.tag == aclOwner && e.uid == uid, x.tag == aclOther && !refused:
			perm = x.perm
		case x.tag == aclUser && x.id == uid:
		case x.tag == aclOwnGroup && e.gid == gid, x.tag == aclGroup && x.id == gid:
			group = true
		default:
			continue
		}
		if allowed := uint32(perm)&need == need; allowed || !group {
			return allowed
		}
		refused = true
	}
	return false
}
