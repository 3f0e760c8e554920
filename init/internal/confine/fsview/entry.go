package fsview

import "github.com/security-mcp/mcp-sandbox/platform"

// An entry is the result of statx(2) for a path.
type entry struct {
	platform.FileID
	mode     uint32 // st_mode
	uid, gid uint32
	links    uint32
	target   string // of a symbolic link
	mount    bool   // a mount begins at the path
}

// File types of st_mode; inode(7).
const (
	typeMask   = 0o170000
	typeSocket = 0o140000
	typeLink   = 0o120000
	typeFile   = 0o100000
	typeBlock  = 0o060000
	typeFolder = 0o040000
	typeChar   = 0o020000
	typeFIFO   = 0o010000
)

func (e *entry) is(kind uint32) bool { return e.mode&typeMask == kind }

// same reports whether it is the same file: neither another one nor another kind in its place.
func (e *entry) same(as *entry) bool {
	return e.FileID == as.FileID && e.mode&typeMask == as.mode&typeMask
}
