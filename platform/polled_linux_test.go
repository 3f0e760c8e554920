package platform

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// isOpen reports whether a number is a descriptor.
func isOpen(fd int) bool {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil
}

// Polled asks until it is told that all is done, closes the descriptor then, and where it cannot wait for it too.
func TestPolled(t *testing.T) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ends[1])
	asked, goOn := make(chan bool), make(chan bool)
	if _, err := Polled(ends[0], "pipe", func() bool { asked <- true; return <-goOn }); err != nil {
		t.Fatal(err)
	}
	for _, done := range []bool{false, true} {
		<-asked
		if !isOpen(ends[0]) {
			t.Error("closed before it was done")
		}
		if _, err := unix.Write(ends[1], []byte("x")); err != nil {
			t.Fatal(err)
		}
		goOn <- done
	}
	fds := []unix.PollFd{{Fd: int32(ends[1])}}
	if n, err := unix.Poll(fds, 60_000); n != 1 || fds[0].Revents&unix.POLLERR == 0 { // the writer learns of the end
		t.Errorf("the reading end was not closed in a minute: %d, %v", n, err)
	}
	fd, err := unix.Open(os.Args[0], unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Polled(fd, "file", func() bool { t.Error("asked about a regular file"); return true }); err == nil || isOpen(fd) {
		t.Errorf("a regular file: %v, open: %t", err, isOpen(fd))
	}
}
