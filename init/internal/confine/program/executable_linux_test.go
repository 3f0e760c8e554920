package program

import (
	"bytes"
	"debug/elf"
	"errors"
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// TestUnlinked runs the file that takes a memfd's place.
func TestUnlinked(t *testing.T) {
	code, err := ELF()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	old := unix.Umask(0o777)
	exe, err := unlinked(code, "/nonexistent", "/proc", dir, "/var/tmp", "/dev/shm")
	unix.Umask(old)
	if err != nil {
		t.Fatal(err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(exe, &st); err != nil || st.Nlink != 0 || st.Mode != unix.S_IFREG|0o500 {
		t.Errorf("links %d, mode %o, %v", st.Nlink, st.Mode, err)
	}
	if _, err := unix.Write(exe, []byte{0}); err != unix.EBADF {
		t.Errorf("a write to it: %v", err)
	}
	fd, p := open(t)
	exit(p, Int(6))
	if code := runExe(t, exe, fd); code != 6 {
		t.Errorf("exit status %d", code)
	}
	if _, err := unlinked(code, "/nonexistent", "/proc"); !errors.Is(err, unix.ENOENT) {
		t.Errorf("no folder to be had: %v", err)
	}
}

// TestExecutable: the memfd holds the ELF file, nobody can change it, and its one segment is not writable.
func TestExecutable(t *testing.T) {
	exe, err := Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(exe), "executable")
	defer f.Close()
	want, err := ELF()
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want)+1)
	if n, _ := f.ReadAt(got, 0); !bytes.Equal(got[:n], want) {
		t.Errorf("%d bytes, want %d", n, len(want))
	}
	if _, err := f.WriteAt([]byte{0}, 0); !errors.Is(err, unix.EPERM) {
		t.Errorf("a write to it: %v", err)
	}
	e, err := elf.NewFile(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Progs) != 2 || e.Progs[0].Type != elf.PT_LOAD || e.Progs[0].Flags != elf.PF_R|elf.PF_X ||
		e.Progs[1].Type != elf.PT_GNU_STACK || e.Progs[1].Flags != elf.PF_R|elf.PF_W || e.Type != elf.ET_EXEC {
		t.Errorf("%v %+v", e.Type, e.Progs)
	}
	if load := e.Progs[0]; load.Filesz != uint64(len(want)) || e.Entry != load.Vaddr+176 || len(want) > 1024 {
		t.Errorf("entry %#x, segment %+v", e.Entry, load.ProgHeader)
	}
}

// TestManyStarts starts both kinds of executable from several threads at once: none is busy (ETXTBSY) or mixed up, and
// no descriptor stays open.
func TestManyStarts(t *testing.T) {
	code, err := ELF()
	if err != nil {
		t.Fatal(err)
	}
	count := func() int {
		d, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(d)
	}
	before := count()
	var wg sync.WaitGroup
	for w := range 8 {
		fd, p := open(t)
		exit(p, Int(w))
		wg.Go(func() {
			for i := range 25 {
				exe, err := Executable()
				if i%2 == 1 {
					unix.Close(exe)
					exe, err = unlinked(code, os.TempDir(), "/var/tmp", "/dev/shm")
				}
				if err != nil {
					t.Error(err)
					return
				}
				pid, err := start(exe, []int{0, 1, 2, fd}, -1)
				if err != nil {
					t.Error(err)
					return
				}
				var status unix.WaitStatus
				if _, err := unix.Wait4(pid, &status, 0, nil); err != nil && err != unix.EINTR || status.ExitStatus() != w {
					t.Errorf("runner %d ended with %#x, %v", w, uint32(status), err)
				}
			}
		})
	}
	wg.Wait()
	if after := count() - 8; after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}
