package platform

import (
	"os"

	"golang.org/x/sys/unix"
)

const allSeals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE

// Sealed makes a memory file with these bytes that nobody can change any more; memfd_create(2). The descriptor is
// close-on-exec and stands at the file's start.
func Sealed(name string, data []byte) (int, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_NOEXEC_SEAL)
	if err == unix.EINVAL { // before 6.3
		fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return -1, os.NewSyscallError("memfd_create", err)
	}
	if err = WriteAll(fd, data); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, allSeals)
	}
	if err == nil {
		_, err = unix.Seek(fd, 0, 0)
	}
	if err != nil {
		unix.Close(fd)
		return -1, os.NewSyscallError("memfd "+name, err)
	}
	return fd, nil
}

// IsSealed reports whether a descriptor is a memory file whose content is fixed for ever.
func IsSealed(fd int) bool {
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	return err == nil && seals&allSeals == allSeals
}
