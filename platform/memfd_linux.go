package platform

import (
	"os"

	"golang.org/x/sys/unix"
)

const allSeals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE

// Memfd makes an empty memory file; memfd_create(2). The file is close-on-exec, can be sealed, and its mode allows
// execution only with exec (before 6.3 always). EACCES means vm.memfd_noexec=2.
func Memfd(name string, exec bool) (int, error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	mode := unix.MFD_NOEXEC_SEAL
	if exec {
		mode = unix.MFD_EXEC
	}
	fd, err := unix.MemfdCreate(name, flags|mode)
	if err == unix.EINVAL { // before 6.3
		fd, err = unix.MemfdCreate(name, flags)
	}
	return fd, os.NewSyscallError("memfd_create", err)
}

// Seal fixes the content of a memory file for ever. EBUSY: another process holds a page of the file. The kernel itself
// does so at times, as it moves pages or measures their use, and after it has waited for 150 ms the call is to be made
// again; memfd_wait_for_pins in mm/memfd.c.
func Seal(fd int) error {
	err := error(unix.EBUSY)
	for tries := 0; err == unix.EBUSY && tries < 20; tries++ {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, allSeals)
	}
	return os.NewSyscallError("fcntl F_ADD_SEALS", err)
}

// Sealed makes a memory file with these bytes, sealed against any change. The descriptor's offset is 0.
func Sealed(name string, data []byte) (int, error) {
	fd, err := Memfd(name, false)
	if err != nil {
		return -1, err
	}
	if err = WriteAll(fd, data); err == nil {
		err = Seal(fd)
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

// IsSealed reports whether a descriptor is a memory file with content that is fixed for ever.
func IsSealed(fd int) bool {
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	return err == nil && seals&allSeals == allSeals
}
