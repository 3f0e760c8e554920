package platform

import (
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Notification is a system call that waits for the answer of a seccomp listener; seccomp_unotify(2).
type Notification struct {
	ID     uint64
	Thread int // in the caller's pid namespace
	Number uint32
	Args   [6]uint64
}

// struct seccomp_notif, seccomp_notif_resp and seccomp_notif_addfd of linux/seccomp.h, and their ioctls, which have the
// sizes in them.
type (
	seccompNotif struct {
		id         uint64
		pid, flags uint32
		nr         int32
		arch       uint32
		pointer    uint64
		args       [6]uint64
	}
	seccompResp struct {
		id    uint64
		val   int64
		errno int32
		flags uint32
	}
	seccompAddFD struct {
		id            uint64
		flags, source uint32
		fd, fdFlags   uint32
	}
)

const (
	notifRecv  = 0xc0502100 // SECCOMP_IOCTL_NOTIF_RECV
	notifSend  = 0xc0182101 // SECCOMP_IOCTL_NOTIF_SEND
	notifValid = 0x40082102 // SECCOMP_IOCTL_NOTIF_ID_VALID
	notifAddFD = 0x40182103 // SECCOMP_IOCTL_NOTIF_ADDFD
	notifFlags = 0x40082104 // SECCOMP_IOCTL_NOTIF_SET_FLAGS

	flagContinue = 1 // SECCOMP_USER_NOTIF_FLAG_CONTINUE
	flagSend     = 2 // SECCOMP_ADDFD_FLAG_SEND
	syncWakeUp   = 1 // SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
)

// Notified takes the next notification of a listener that poll(2) reports ready, and so does not block. ENOENT means
// that the waiting caller is gone.
func Notified(listener int) (Notification, error) {
	var n seccompNotif // the kernel takes no other than a zero one
	if err := notifIoctl(listener, notifRecv, unsafe.Pointer(&n)); err != nil {
		return Notification{}, err
	}
	return Notification{ID: n.id, Thread: int(n.pid), Number: uint32(n.nr), Args: n.args}, nil
}

// RefuseCall answers a notification: the call has failed with this errno. ENOENT is a caller that did not wait.
func RefuseCall(listener int, id uint64, errno unix.Errno) error {
	return respond(listener, seccompResp{id: id, errno: -int32(errno)})
}

// ReturnCall answers a notification: the call has returned this value. ENOENT is a caller that did not wait.
func ReturnCall(listener int, id uint64, value int64) error {
	return respond(listener, seccompResp{id: id, val: value})
}

// ContinueCall answers a notification: the kernel makes the call, with whatever the caller has in its memory and its
// table of descriptors by then. So it is for calls alone that the server may make with any arguments.
func ContinueCall(listener int, id uint64) error {
	return respond(listener, seccompResp{id: id, flags: flagContinue})
}

// GiveDescriptor answers a notification: the call has returned a copy of this process's descriptor, in one step (Linux
// 5.14), so that no signal leaves a descriptor behind of which the caller does not know. It waits until the caller's
// thread has run. An errno other than ENOENT, as EMFILE, is no answer: the caller still waits.
//
// A signal to this thread would be worse: the kernel takes the descriptor back, and answers the call all the same, with
// 0 (seccomp_notify_addfd), which is the caller's standard input. So signals wait.
func GiveDescriptor(listener int, id uint64, fd int, closeOnExec bool) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, before unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &all, &before); err != nil {
		return err
	}
	defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil) }() // it has no reason to fail
	a := seccompAddFD{id: id, flags: flagSend, source: uint32(fd)}
	if closeOnExec {
		a.fdFlags = unix.O_CLOEXEC
	}
	return notifIoctl(listener, notifAddFD, unsafe.Pointer(&a))
}

// StillWaits reports whether the caller of a notification waits for its answer: its thread id, and the memory read by
// that id, are those of no other process then.
func StillWaits(listener int, id uint64) bool {
	return notifIoctl(listener, notifValid, unsafe.Pointer(&id)) == nil
}

// WakeHere has the kernel wake a caller on the processor of its listener, and the other way round: an answer takes 10
// µs then in place of 80. It is an error before Linux 6.6, and changes nothing.
func WakeHere(listener int) error {
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), notifFlags, syncWakeUp); e != 0 {
		return os.NewSyscallError("ioctl SECCOMP_IOCTL_NOTIF_SET_FLAGS", e)
	}
	return nil
}

func respond(listener int, r seccompResp) error {
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
