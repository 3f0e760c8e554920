package platform

// This file: facts about the machine and this process, from the kernel and /proc.

import (
	"os"
	"runtime"
	"strconv"
	"syscall"

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

// Umask is the calling thread's file mode creation mask. It stays as it is: umask(2) answers with the mask only by
// setting another one for every thread. Where /proc does not show the mask a thread asks that shares its own with none.
func Umask() (int, error) {
	b, err := ReadSmall("/proc/thread-self/status", 64<<10)
	if err != nil {
		return 0, err
	}
	if mask, ok := umask(b); ok {
		return mask, nil
	}
	return umaskAside()
}

// umaskAside asks umask(2) in a thread that has left the others (CLONE_FS of unshare(2)), and ends behind the answer.
func umaskAside() (mask int, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked
		if e := unix.Unshare(unix.CLONE_FS); e != nil {
			err = os.NewSyscallError("unshare", e)
			return
		}
		mask = unix.Umask(0o077)
		unix.Umask(mask) // the first thread of the process does not end with its goroutine
	}()
	<-done
	return mask, err
}

// HasClone3 reports whether clone3(2) can be called at all: container runtimes answer ENOSYS where their filter
// cannot see its flags. A call without arguments is EINVAL and does nothing.
func HasClone3() bool {
	_, _, e := unix.RawSyscall(unix.SYS_CLONE3, 0, 0, 0)
	return e == unix.EINVAL
}

// LandlockABI asks the kernel for its version of Landlock, landlock(7); 0 where there is none to be had, and NoLandlock
// tells why.
func LandlockABI() (int, error) {
	switch abi, e := landlockVersion(); e {
	case 0, unix.ENOSYS, unix.EOPNOTSUPP, unix.EPERM, unix.EACCES:
		return abi, nil
	default:
		return 0, os.NewSyscallError("landlock_create_ruleset", e)
	}
}

// NoLandlock is the error of a kernel without Landlock: ENOSYS if not built in or hidden by a filter, EOPNOTSUPP if
// not started at boot, EPERM or EACCES if refused by a filter; 0 with Landlock.
func NoLandlock() unix.Errno {
	_, e := landlockVersion()
	return e
}

func landlockVersion() (int, unix.Errno) {
	v, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if e != 0 {
		return 0, e
	}
	return int(v), 0
}

// ErrnoName is the symbol of an error number, such as "EACCES".
func ErrnoName(e syscall.Errno) string {
	if n := unix.ErrnoName(e); n != "" {
		return n
	}
	return "errno " + strconv.Itoa(int(e))
}

// overflow is the number of users that have none in this namespace: kernel.overflowuid as nearly every machine
// leaves it.
const overflow = 65534

// MachinesRoot reports whether the calling process is user 0 of the whole machine, whatever its number is in
// this user namespace. The uid map names only an id of the parent namespace, which may be any user's. But this
// file is the machine's root's (fs/proc/proc_sysctl.c, GLOBAL_ROOT_UID), and stat(2) shows an owner by its id
// in this namespace. Where stat(2) fails, only user 0 counts as the machine's root.
func MachinesRoot() bool {
	const file = "/proc/sys/kernel/core_pattern"
	uid := unix.Geteuid()
	var fs unix.Statfs_t
	var st unix.Stat_t
	if unix.Statfs(file, &fs) != nil || unix.Lstat(file, &st) != nil || fs.Type != unix.PROC_SUPER_MAGIC {
		return uid == 0
	}
	// An owner without a mapping here reads as the overflow id; its right to write then is not this process's, with any
	// capability.
	if uid == overflow && int(st.Uid) == uid {
		return unix.Access(file, unix.W_OK) != unix.EACCES
	}
	return int(st.Uid) == uid
}

// HasIPv6 reports whether the kernel, and what filters this process, let it make a socket of IPv6.
func HasIPv6() bool {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}

// RouteOut reports whether a UDP socket of this process can be connected to an address of the documentation range
// (RFC 5737), which sends nothing. The result is the control for the same connect inside, which must fail.
func RouteOut() bool {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return unix.Connect(fd, &unix.SockaddrInet4{Port: 9, Addr: [4]byte{192, 0, 2, 1}}) == nil
}
