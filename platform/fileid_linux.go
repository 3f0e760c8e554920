package platform

import "golang.org/x/sys/unix"

// StatxID is the file that statx(2) looked at.
func StatxID(st *unix.Statx_t) FileID {
	return FileID{Dev: uint64(st.Dev_major)<<32 | uint64(st.Dev_minor), Ino: st.Ino}
}

// StatID is the file that stat(2) looked at.
func StatID(st *unix.Stat_t) FileID {
	return FileID{Dev: uint64(unix.Major(st.Dev))<<32 | uint64(unix.Minor(st.Dev)), Ino: st.Ino}
}
