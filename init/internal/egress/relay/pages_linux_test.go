package relay

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What goes out is what was looked at, though the peer's socket holds pages of a file that the peer writes to meanwhile;
// sendfile(2), NOTES. Later bytes go out as they are then.
func TestHoldSendsWhatItSaw(t *testing.T) {
	eachWay(t, func(t *testing.T, b *bench) {
		const size = 8 << 10
		fd, err := unix.MemfdCreate("pages", unix.MFD_CLOEXEC)
		if err == nil {
			err = unix.Ftruncate(fd, size)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		pages, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Munmap(pages)
		fill := func(what byte) { copy(pages, bytes.Repeat([]byte{what}, size)) }
		fill('a')
		saw := 0
		j := b.hold(func(first []byte) Verdict {
			switch {
			case saw > 0:
				return Pass
			case len(first) < size:
				return Wait
			}
			fill('b')
			saw = len(first)
			return Verdict(size)
		})
		err = of(j.inside, func(to int) error {
			for sent := 0; sent < size; {
				n, err := unix.Sendfile(to, fd, nil, size-sent)
				if err != nil && err != unix.EAGAIN {
					return err
				}
				sent += n
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		j.inside.CloseWrite()
		if all, err := io.ReadAll(j.outside); err != nil || string(all) != strings.Repeat("a", size) {
			t.Errorf("%d bytes, %d of them as they are now, %v", len(all), bytes.Count(all, []byte("b")), err)
		}
		j.outside.Close()
		if e := j.wait(t); e.Sent != size {
			t.Errorf("%+v", e)
		}
	})
}
