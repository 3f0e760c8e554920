package platform

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Kernel is the running kernel's release, such as "6.12.9-amd64".
func Kernel() (string, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "", os.NewSyscallError("uname", err)
	}
	return unix.ByteSliceToString(u.Release[:]), nil
}

// LastCap is the number of the highest capability this kernel knows; capabilities(7).
func LastCap() int {
	low, high := 0, 63 // CAP_CHOWN is always there
	for low < high {
		mid := (low + high + 1) / 2
		if _, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(mid), 0, 0, 0); err == nil {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// Namespaces are the inodes of the calling process's namespaces, in the order of [NamespaceNames].
func Namespaces() (ino [7]uint64, err error) {
	for i, n := range NamespaceNames() {
		var st unix.Stat_t
		if err := unix.Stat("/proc/self/ns/"+n, &st); err != nil {
			return ino, &os.PathError{Op: "stat", Path: "/proc/self/ns/" + n, Err: err}
		}
		ino[i] = st.Ino
	}
	return ino, nil
}

// OwnProc reports whether /proc shows the pid namespace of the calling process. One that was mounted in another gives
// each number to another process; pid_namespaces(7).
func OwnProc() (bool, error) {
	self, err := os.Readlink("/proc/self")
	if err != nil {
		return false, err
	}
	return self == strconv.Itoa(os.Getpid()), nil
}

// NamespaceNames are the files of /proc/self/ns; namespaces(7).
func NamespaceNames() [7]string {
	return [7]string{"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"}
}

// Umask reads the file mode creation mask. It sets it for a moment: no other thread may create files meanwhile.
func Umask() int {
	m := unix.Umask(0o77)
	unix.Umask(m)
	return m
}

// HasClone3 reports whether clone3(2) can be called at all: container runtimes answer ENOSYS where their filter cannot see
// its flags. A call without arguments is EINVAL and does nothing.
func HasClone3() bool {
	_, _, e := unix.RawSyscall(unix.SYS_CLONE3, 0, 0, 0)
	return e == unix.EINVAL
}
