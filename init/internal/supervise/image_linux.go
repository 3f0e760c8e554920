package supervise

import (
	"os"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/privdir"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// openImage keeps a descriptor of this binary for init to execute when the shim is gone. A file that the server's user
// could write, through whichever of its names, is no such thing: its content then is copied to memory that nobody can
// write. The same where that user may not execute the file.
func (s *shim) openImage() error {
	if len(s.Reaper) == 0 {
		return &order.Refusal{Layer: order.Exec, Op: "supervise", Err: unix.ENOSYS}
	}
	const self = "/proc/self/exe"
	fd, err := unix.Open(self, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return refusedStart("open "+self, err)
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err != nil {
		return refusedStart("stat "+self, err)
	}
	m := &s.machine
	const anyone, others = 0o111, 0o001
	if int(st.Uid) != m.UID && st.Mode&0o022 == 0 && st.Mode&others != 0 && st.Mode&anyone == anyone {
		s.image = fd
		return nil
	}
	unix.Close(fd)
	if s.image, err = copyImage(self); err != nil {
		return refusedStart("copy "+self, err)
	}
	return nil
}

// copyImage copies a program into sealed memory, or where such may not be executed, into a file without a name.
func copyImage(path string) (fd int, err error) {
	from, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(from)
	fd, err = unix.MemfdCreate("mcp-sandbox", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_EXEC)
	if err == unix.EINVAL { // before 6.3
		fd, err = unix.MemfdCreate("mcp-sandbox", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err == unix.EACCES { // vm.memfd_noexec=2
		return unnamedImage(from)
	}
	if err != nil {
		return -1, os.NewSyscallError("memfd_create", err)
	}
	if err = sendAll(fd, from); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SEAL|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func unnamedImage(from int) (fd int, err error) {
	for _, dir := range privdir.Bases() {
		if fd, err = unix.Open(dir, unix.O_TMPFILE|unix.O_EXCL|unix.O_RDWR|unix.O_CLOEXEC, 0o555); err == nil {
			break
		}
		err = &os.PathError{Op: "open O_TMPFILE", Path: dir, Err: err}
	}
	if err != nil {
		return -1, err
	}
	defer unix.Close(fd) // what is open for writing cannot be executed
	if err = sendAll(fd, from); err == nil {
		err = unix.Fchmod(fd, 0o555)
	}
	if err != nil {
		return -1, err
	}
	return unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_PATH|unix.O_CLOEXEC, 0)
}

func sendAll(to, from int) error {
	for {
		n, err := unix.Sendfile(to, from, nil, 1<<30)
		if err == unix.EINTR {
			continue
		}
		if n == 0 || err != nil {
			return err
		}
	}
}
