package platform

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func TestSealed(t *testing.T) {
	for _, size := range []int{0, 1, 4096, 3 << 20} {
		data := bytes.Repeat([]byte{'x'}, size)
		fd, err := Sealed("test", data)
		if err != nil {
			t.Fatal(err)
		}
		if !IsSealed(fd) {
			t.Errorf("%d bytes: not sealed", size)
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("close-on-exec: %#x, %v", flags, err)
		}
		if got, err := ReadFD(fd, size); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
		for name, act := range map[string]func() error{
			"write":  func() error { _, err := unix.Pwrite(fd, []byte("y"), 0); return err },
			"shrink": func() error { return unix.Ftruncate(fd, 0) },
			"grow":   func() error { return unix.Ftruncate(fd, int64(size)+1) },
			"unseal": func() error {
				_, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_FUTURE_WRITE)
				return err
			},
			"map": func() error { _, err := unix.Mmap(fd, 0, 4096, unix.PROT_WRITE, unix.MAP_SHARED); return err },
		} {
			if name == "shrink" && size == 0 {
				continue
			}
			if err := act(); err != unix.EPERM {
				t.Errorf("%d bytes: %s: %v, want EPERM", size, name, err)
			}
		}
		unix.Close(fd)
	}
}

// A page that somebody else holds makes the kernel refuse for a while.
func TestSealWaits(t *testing.T) {
	held := func() (fd int, release func()) {
		fd, err := Memfd("test", false)
		if err != nil {
			t.Fatal(err)
		}
		var pipe [2]int
		if err := errors.Join(WriteAll(fd, make([]byte, 4096)), unix.Pipe2(pipe[:], unix.O_CLOEXEC)); err != nil {
			t.Fatal(err)
		}
		if _, err := unix.Splice(fd, new(int64), pipe[1], nil, 4096, 0); err != nil {
			t.Fatal(err)
		}
		release = sync.OnceFunc(func() { unix.Close(pipe[0]); unix.Close(pipe[1]) })
		t.Cleanup(func() { release(); unix.Close(fd) })
		return fd, release
	}
	fd, release := held()
	other, _ := held()
	sealed := make(chan error, 1)
	go func() { sealed <- Seal(fd) }()
	for range 2 { // the kernel waits as long for either
		if _, err := unix.FcntlInt(uintptr(other), unix.F_ADD_SEALS, allSeals); err != unix.EBUSY {
			t.Fatalf("a page that is held: %v", err)
		}
	}
	release()
	if err := <-sealed; err != nil || !IsSealed(fd) {
		t.Errorf("sealed: %v", err)
	}
}

func TestIsSealed(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	open, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(open)
	for _, seal := range []int{0, unix.F_SEAL_WRITE, unix.F_SEAL_SHRINK, unix.F_SEAL_GROW} {
		if _, err := unix.FcntlInt(uintptr(open), unix.F_ADD_SEALS, seal); err != nil || IsSealed(open) {
			t.Errorf("sealed by %#x: %v", seal, err)
		}
	}
	if IsSealed(int(file.Fd())) || IsSealed(-1) {
		t.Error("a file, or nothing, is sealed")
	}
	if _, err := unix.FcntlInt(uintptr(open), unix.F_ADD_SEALS, unix.F_SEAL_SEAL); err != nil || !IsSealed(open) {
		t.Errorf("the last seal: %v", err)
	}
}

func TestPeerIs(t *testing.T) {
	pair := func(kind int) int {
		p, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(p[0]); unix.Close(p[1]) })
		return p[0]
	}
	if err := PeerIs(pair(unix.SOCK_SEQPACKET), os.Getpid()); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"another process": PeerIs(pair(unix.SOCK_SEQPACKET), os.Getppid()), "stream": PeerIs(pair(unix.SOCK_STREAM), os.Getpid()),
		"datagram": PeerIs(pair(unix.SOCK_DGRAM), os.Getpid()), "nothing": PeerIs(-1, os.Getpid()),
	} {
		if err == nil {
			t.Errorf("%s is the peer", name)
		}
	}
}

// The refusals are tested by set-user-ID copies in init/reexec.
func TestUnprivileged(t *testing.T) {
	if err := Unprivileged(); err != nil {
		t.Error(err)
	}
}
