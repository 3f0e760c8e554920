package platform

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Notification is a system call that waits for the answer of a seccomp listener; seccomp_unotify(2).
type Notification struct {
	ID     uint64
	Thread int // in the caller's pid namespace
	Number uint32
}

// struct seccomp_notif and seccomp_notif_resp of linux/seccomp.h, and their ioctls, which have the sizes in them.
type (
	seccompNotif struct {
		id         uint64
		pid, flags uint32
		nr         int32
		arch       uint32
		rest       [7]uint64
	}
	seccompResp struct {
		id    uint64
		val   int64
		errno int32
		flags uint32
	}
)

const (
	notifRecv = 0xc0502100 // SECCOMP_IOCTL_NOTIF_RECV
	notifSend = 0xc0182101 // SECCOMP_IOCTL_NOTIF_SEND
)

// Notified takes the next notification of a listener that poll(2) reports ready, and so does not block. ENOENT means
// that the waiting caller is gone.
func Notified(listener int) (Notification, error) {
	var n seccompNotif // the kernel takes no other than a zero one
	if err := notifIoctl(listener, notifRecv, unsafe.Pointer(&n)); err != nil {
		return Notification{}, err
	}
	return Notification{ID: n.id, Thread: int(n.pid), Number: uint32(n.nr)}, nil
}

// RefuseCall answers a notification: the call has failed with this errno. SECCOMP_USER_NOTIF_FLAG_CONTINUE
// is never used: the kernel could then make another call than the checked one. ENOENT is a caller that did
// not wait.
func RefuseCall(listener int, id uint64, errno unix.Errno) error {
	r := seccompResp{id: id, errno: -int32(errno)}
	return notifIoctl(listener, notifSend, unsafe.Pointer(&r))
}

func notifIoctl(fd int, request uintptr, arg unsafe.Pointer) error {
	_, err := retry(func() (int, error) {
		if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg)); e != 0 {
			return 0, e
		}
		return 0, nil
	})
	return os.NewSyscallError("ioctl SECCOMP_IOCTL_NOTIF", err)
}
