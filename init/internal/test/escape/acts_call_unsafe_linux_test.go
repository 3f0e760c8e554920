package escape_test

import (
	"encoding/hex"
	"os"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rawCall makes a system call as it stands, from a thread that is no other's.
func rawCall(args []string) (string, error) {
	runtime.LockOSThread()
	var a [7]uintptr
	var keep [7][]byte // what the kernel is shown lives until it has answered
	for i, word := range args {
		n, bytes, err := argument(word)
		if err != nil {
			return "", err
		}
		if a[i] = n; bytes != nil {
			keep[i] = bytes
			a[i] = uintptr(unsafe.Pointer(&bytes[0]))
		}
	}
	got, _, errno := unix.Syscall6(a[0], a[1], a[2], a[3], a[4], a[5], a[6])
	runtime.KeepAlive(&keep)
	if errno != 0 {
		return "", os.NewSyscallError("call", errno)
	}
	if len(args) > 3 && args[0] == strconv.Itoa(unix.SYS_READLINKAT) {
		return string(keep[3][:got]), nil
	}
	return strconv.Itoa(int(got)), nil
}

// forget disconnects a socket: an address of family AF_UNSPEC, which package unix has not; connect(2).
func forget(fd int) {
	var none [16]byte
	unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&none)), unsafe.Sizeof(none))
}

// argument reads a number, s:TEXT, x:HEX, b:COUNT zero bytes, or o:PATH opened for reading.
func argument(word string) (uintptr, []byte, error) {
	if len(word) > 1 && word[1] == ':' {
		rest := word[2:]
		switch word[0] {
		case 's':
			return 0, append([]byte(rest), 0), nil
		case 'x':
			b, err := hex.DecodeString(rest)
			return 0, b, err
		case 'b':
			n, err := strconv.Atoi(rest)
			return 0, make([]byte, n), err
		case 'o':
			fd, err := unix.Open(rest, unix.O_RDONLY, 0)
			return uintptr(fd), nil, err
		}
	}
	if n, err := strconv.ParseUint(word, 0, 64); err == nil {
		return uintptr(n), nil, nil
	}
	n, err := strconv.ParseInt(word, 0, 64)
	return uintptr(n), nil, err
}
