package escape_test

import (
	"encoding/binary"
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// word is a number as the bytes of an int.
func word(t *testing.T, number string) []byte {
	t.Helper()
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return binary.NativeEndian.AppendUint32(nil, uint32(n))
}

// ipc makes one object of each kind that has no path, readable by all, and removes them in the end.
func ipc(t *testing.T) []string {
	t.Helper()
	const create = 0o1000 | 0o2000 | 0o666 // IPC_CREAT, IPC_EXCL
	key := os.Getpid()<<8 | 1
	var words []string
	for _, k := range []struct {
		name, id    string
		get, remove uintptr
		args        [3]uintptr
	}{
		{"=M", "=K", unix.SYS_SHMGET, unix.SYS_SHMCTL, [3]uintptr{uintptr(key), 4096, create}},
		{"=Q", "=L", unix.SYS_MSGGET, unix.SYS_MSGCTL, [3]uintptr{uintptr(key), create}},
		{"=N", "=J", unix.SYS_SEMGET, unix.SYS_SEMCTL, [3]uintptr{uintptr(key), 1, create}},
	} {
		id, _, errno := unix.Syscall(k.get, k.args[0], k.args[1], k.args[2])
		for try := 0; errno == unix.EEXIST && try < 100; try++ { // somebody else's key
			k.args[0] += 7919
			id, _, errno = unix.Syscall(k.get, k.args[0], k.args[1], k.args[2])
		}
		if errno != 0 {
			t.Fatalf("%s: %v", k.name, errno)
		}
		t.Cleanup(func() {
			if k.get == unix.SYS_SEMGET {
				unix.Syscall(k.remove, id, 0, unix.IPC_RMID)
			} else {
				unix.Syscall(k.remove, id, unix.IPC_RMID, 0)
			}
		})
		words = append(words, k.name, strconv.Itoa(int(k.args[0])), k.id, strconv.Itoa(int(id)))
	}
	return append(words, "=O", posix(t))
}

// terminal is a terminal of the host.
func terminal(t *testing.T) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetUint32(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	return "/dev/pts/" + strconv.Itoa(int(n))
}
