package program

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// On every machine whole pages alone are forgotten, and no other byte changes: the kernel would round lengths up. The
// pages of other machines are tried by their size, which is a multiple of this one's.
func TestForgetsWholePages(t *testing.T) {
	defer func() { page = os.Getpagesize() }()
	for _, page = range []int{os.Getpagesize(), 16 << 10, 64 << 10} {
		for n := 0; n < 300; n += 23 {
			forget(t, n)
		}
	}
}

func forget(t *testing.T, n int) {
	t.Helper()
	fd, mem, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(fd)
	defer unix.Munmap(mem)
	b := New(mem)
	add := func(n int) {
		for range n {
			b.Step(Sys(unix.SYS_GETPID))
			b.Data(bytes.Repeat([]byte{1}, 80))
		}
	}
	add(40 + n)
	from := Mark(b)
	add(800)
	kept := b.Step(Sys(unix.SYS_GETPID))
	add(1600)
	to := Mark(b)
	add(10)
	before, gone := slices.Clone(mem[:b.end]), 0
	Forget(b.Program, from, to, kept)
	for at := 0; at+page <= b.end; at += page {
		end, want := at+page, before[at:at+page]
		if at >= from.ops && end <= to.ops && (end <= kept.offset() || at >= kept.offset()+opSize) ||
			at >= from.data && end <= to.data {
			gone++
			want = make([]byte, page)
		}
		if !bytes.Equal(mem[at:end], want) {
			t.Errorf("pages of %d: that at %d is not as it should be", page, at)
		}
	}
	if gone == 0 {
		t.Errorf("no page of %d was forgotten", page)
	}
}
