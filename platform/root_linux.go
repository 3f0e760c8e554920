package platform

import "golang.org/x/sys/unix"

// overflow is the number of users that have none in this namespace: kernel.overflowuid as nearly every machine leaves it.
const overflow = 65534

// MachinesRoot reports whether the calling process is user 0 of the whole machine, whatever its number is in this user
// namespace. The map does not tell: it names a number of the namespace around, which may be anybody. But this file is the
// machine's root's (fs/proc/proc_sysctl.c, GLOBAL_ROOT_UID), and stat(2) shows an owner by the number that it has here. Where it cannot
// be asked, user 0 counts as that one and nobody else does.
func MachinesRoot() bool {
	const file = "/proc/sys/kernel/core_pattern"
	uid := unix.Geteuid()
	var fs unix.Statfs_t
	var st unix.Stat_t
	if unix.Statfs(file, &fs) != nil || unix.Lstat(file, &st) != nil || fs.Type != unix.PROC_SUPER_MAGIC {
		return uid == 0
	}
	if uid == overflow && int(st.Uid) == uid { // the owner may have none; then its right to write is not for us, with any capability
		return unix.Access(file, unix.W_OK) != unix.EACCES
	}
	return int(st.Uid) == uid
}
